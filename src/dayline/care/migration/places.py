"""Where the existing servers keep their data on this computer."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import platformdirs

_FAMILY: Final = "activitywatch"
_PYTHON: Final = Path("aw-server", "peewee-sqlite.v2.db")
_RUST: Final = Path("aw-server-rust", "sqlite.db")


def usual_databases() -> list[Path]:
    """The databases that are there, the Python server's first."""
    return [folder / name for name in (_PYTHON, _RUST) for folder in _data_folders() if (folder / name).is_file()]


def settings_file_of(database: Path) -> Path | None:
    """The settings file of the Python server whose database that is; None where there is none.

    It lies in the config folder; in a copy that somebody made of both, beside the database.
    """
    places = [database.with_name("settings.json")]
    if database.resolve() in [place.resolve() for place in usual_databases()]:
        places.append(Path(platformdirs.user_config_dir(_FAMILY), "aw-server", "settings.json"))
    return next((place for place in places if place.is_file()), None)


def _data_folders() -> Iterator[Path]:
    # On Windows the Python server's library puts the author's name before that of the program, the Rust server's does
    # not; elsewhere both are the same.
    yield from dict.fromkeys(Path(platformdirs.user_data_dir(_FAMILY, author)) for author in (None, False))
