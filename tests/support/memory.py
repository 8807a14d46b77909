"""Temporary files in memory, where the machine has some to spare: most tests wait for the disk otherwise."""

import shutil
from pathlib import Path
from typing import Final

_MEMORY: Final = Path("/dev/shm")
_ENOUGH: Final = 4 << 30  # bytes; a run of all tests uses about a tenth of it


def temporary_root(otherwise: Path) -> Path:
    """The folder for temporary folders."""
    return _MEMORY if _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ENOUGH else otherwise
