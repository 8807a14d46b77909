"""What depends on the machine and the kind of run: where temporary files are, and how many examples are tried."""

import os
import shutil
from pathlib import Path
from typing import Final

from hypothesis import settings

_MEMORY: Final = Path("/dev/shm")
_ENOUGH: Final = 4 << 30  # bytes; a run of all tests uses about a tenth of it


def temporary_root(otherwise: Path) -> Path:
    """The folder for temporary folders."""
    is_usable = os.access(_MEMORY, os.W_OK | os.X_OK) and shutil.disk_usage(_MEMORY).free >= _ENOUGH
    return _MEMORY if is_usable else otherwise


_SHARE = 8  # an eighth every day, always the same ones; all of them, and new ones, in the long tests


def examples(many: int, *, daily: int | None = None) -> int:
    """This many in the long tests, fewer in the others: `daily`, or an eighth."""
    if settings.get_current_profile_name() == "long":
        return many
    return many // _SHARE if daily is None else daily
