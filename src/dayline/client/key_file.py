"""Files with a key."""

from pathlib import Path

from dayline.model.errors import Invalid


def read_key_file(path: str | Path) -> str:
    """The key in a file that contains nothing else but whitespace. Raises Invalid, which never quotes the content."""
    try:
        text = Path(path).read_bytes().strip()
    except OSError as error:
        raise Invalid(f"cannot read the key file {path}: {error.strerror}") from error
    if not text or not text.isascii() or len(text.split()) != 1:
        raise Invalid(f"{path} is not a key file", hint="the file must contain only the key, as it was shown")
    return text.decode("ascii")
