"""Where a text has left a trace on disk."""

from pathlib import Path


def files_holding(folder: Path, *texts: str) -> set[str]:
    """The files below a folder in which one of these texts stands, plain or as UTF-16."""
    wanted = [text.encode(encoding) for text in texts for encoding in ("utf-8", "utf-16-le")]
    assert all(wanted), "an empty text stands everywhere"
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files, "there is nothing to look at"
    return {path.name for path in files if any(text in path.read_bytes() for text in wanted)}
