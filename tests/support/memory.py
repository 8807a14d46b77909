"""Temporary files in memory, where the machine has some to spare: most tests wait for the disk otherwise."""

import os
import shutil
from pathlib import Path
from typing import Final

_MEMORY: Final = Path("/dev/shm")
_ENOUGH: Final = 4 << 30  # bytes; a run of all tests uses about a tenth of it


def temporary_root(otherwise: Path) -> Path:
    """The folder for temporary folders."""
    is_usable = os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free >= _ENOUGH
    return _MEMORY if is_usable else otherwise
