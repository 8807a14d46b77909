"""Finds the space at a location."""

from pathlib import Path

from dayline.maintenance.sync.spaces.folder import FolderSpace
from dayline.maintenance.sync.spaces.protocol import Space
from dayline.model.errors import Invalid


def space_at(location: str) -> Space:
    """The space at a location. Raises Invalid."""
    if "://" in location:
        raise Invalid(f"{location} is not a folder", hint="sync works through a folder", field="location")
    folder = Path(location)
    if "\0" in location or not folder.is_absolute():
        raise Invalid(f"{location} is not an absolute path", hint="pass the whole path of the folder", field="location")
    return FolderSpace(folder)
