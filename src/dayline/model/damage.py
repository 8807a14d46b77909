"""Damage to a database, as it is marked beside it and told to people."""

import shlex
from pathlib import Path

from msgspec import Struct

from dayline.model.timestamps import Microseconds


class Damage(Struct, frozen=True, kw_only=True):
    """What was found, and when. The id tells whether a file was repaired since."""

    id: str
    found: Microseconds
    message: str


def repair_command(database: Path) -> str:
    """The command that repairs this database, and no other one."""
    return f"dayline doctor --repair --database {shlex.quote(str(database))}"
