"""A key in a file: where it belongs, rather than into a command line or a URL."""

from pathlib import Path

from dayline.model.errors import Invalid


def read_key_file(path: str | Path) -> str:
    """The key that a file holds, and nothing else but blanks. Raises Invalid, which never quotes what was read."""
    try:
        text = Path(path).read_bytes().strip()
    except OSError as error:
        raise Invalid(f"the key file {path} cannot be read: {error.strerror}") from error
    if not text or not text.isascii() or len(text.split()) != 1:
        raise Invalid(f"{path} does not hold a key", hint="the file holds the key as it was shown, and nothing else")
    return text.decode("ascii")
