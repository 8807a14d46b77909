"""Who this computer is: a random id, made once and kept beside the database."""

import uuid
from pathlib import Path

from dayline.runtime.files import atomic_write
from dayline.storage.disk_faults import failed


def device_id(folder: Path) -> str:
    """The id of this device; made and stored on the first call."""
    path = folder / "device_id"
    try:
        return str(uuid.UUID(path.read_text("ascii").strip()))
    except (FileNotFoundError, ValueError):
        made = str(uuid.uuid4())
        try:
            with atomic_write(path) as file:
                file.write(f"{made}\n".encode("ascii"))
        except OSError as error:
            raise failed("the id of this device cannot be kept", error, path) from error
        return made
    except OSError as error:
        raise failed("the id of this device cannot be read", error, path) from error
