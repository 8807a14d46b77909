"""Temporary folders of commands, on the disk of the data. One that was left by a killed command is removed later."""

import shutil
import tempfile
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_ABANDONED_S: Final = 86_400  # no command takes this long


@contextmanager
def scratch_folder(prefix: str, parent: Path | None) -> Generator[Path]:
    """A new folder with a name of its own for the length of the block, by default in the system's temporary folder."""
    parent = parent or Path(tempfile.gettempdir())
    for left in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=prefix, dir=parent, ignore_cleanup_errors=True) as folder:
        yield Path(folder)
