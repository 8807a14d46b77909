"""What is said of a damaged database, everywhere: in every answer, in the state of the server, and in the log."""

from pathlib import Path
from typing import Final

from dayline.model.damage import Damage, repair_command
from dayline.model.health import Problem
from dayline.model.timestamps import format_timestamp
from dayline.storage.sqlite.repair.mark import recovery_path
from dayline.storage.store import Database

_REPAIR: Final = "dayline doctor --repair"  # in a header, which clients elsewhere see: without the path


def damage_problems(database: Database, path: Path) -> list[Problem]:
    """Whether the file is damaged."""
    damage = database.damage
    if damage is None:
        return []
    return [
        Problem(
            kind="damage",
            message=f"{path.name} is damaged: {damage.message}; what is readable is served, recording goes on in "
            f"{recovery_path(path).name}",
            hint=f"stop the server, and run: {repair_command(path)}",
            since=format_timestamp(damage.found) if damage.found else None,
        )
    ]


def damage_headers(damage: Damage | None, path: Path) -> list[tuple[bytes, bytes]]:
    """What every answer says while the file is damaged."""
    if damage is None:
        return []
    name = "".join(letter for letter in path.name if letter.isascii() and letter.isprintable() and letter not in '"\\')
    return [(b"warning", f'199 dayline "{name} is damaged, recording goes on beside it; run: {_REPAIR}"'.encode())]


def told_damage(damage: Damage, path: Path) -> str:
    """The same, for the log."""
    return (
        f"{path.name} is damaged: {damage.message}. What is readable is served, and recording goes on in "
        f"{recovery_path(path).name}. To repair it, stop the server and run: {repair_command(path)}"
    )
