"""Who this computer is: a random id, made once and kept beside the database."""

import os
import uuid
from pathlib import Path

from dayline.storage.faults import failed


def device_id(folder: Path) -> str:
    """The id of this device; made and stored on the first call."""
    path = folder / "device_id"
    try:
        return str(uuid.UUID(path.read_text("ascii").strip()))
    except (FileNotFoundError, ValueError):
        made = str(uuid.uuid4())
        unfinished = folder / f"device_id.{os.getpid()}"
        try:
            unfinished.write_text(f"{made}\n", "ascii")
            unfinished.replace(path)
        except OSError as error:
            unfinished.unlink(missing_ok=True)
            raise failed("the id of this device cannot be kept", error, path) from error
        return made
    except OSError as error:
        raise failed("the id of this device cannot be read", error, path) from error
