"""How large the files beside a database are."""

from pathlib import Path

from dayline.storage.sqlite.derived.segment_file import derived_path


def sizes_beside(database: Path) -> tuple[int, int]:
    """Bytes of the segments, and of the write-ahead log."""
    derived = derived_path(database)
    segments = sum(_size(derived.with_name(f"{derived.name}{end}")) for end in ("", "-wal", "-shm", "-journal"))
    return segments, _size(database.with_name(f"{database.name}-wal"))


def _size(file: Path) -> int:
    """0 where there is none: files come and go meanwhile."""
    try:
        return file.stat().st_size
    except OSError:
        return 0
