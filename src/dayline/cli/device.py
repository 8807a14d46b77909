"""Who this computer is: a random id, made once and kept beside the database."""

import os
import uuid
from pathlib import Path


def device_id(folder: Path) -> str:
    """The id of this device; made and stored on the first call."""
    path = folder / "device_id"
    try:
        return str(uuid.UUID(path.read_text("ascii").strip()))
    except (FileNotFoundError, ValueError):
        made = str(uuid.uuid4())
        unfinished = folder / f"device_id.{os.getpid()}"
        unfinished.write_text(f"{made}\n", "ascii")
        unfinished.replace(path)
        return made
