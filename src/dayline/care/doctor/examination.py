"""Looks whether a database is as it should be: the file, and what is derived from its rows."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from msgspec import Struct

from dayline.model.errors import Unavailable
from dayline.storage.background import ChildFailed, run_child
from dayline.storage.sqlite.derived.check import check_derived
from dayline.storage.sqlite.repair.mark import look, read_mark

Kind: TypeAlias = Literal["file", "derived"]


class Finding(Struct, frozen=True, kw_only=True):
    """One thing that is not as it should be."""

    kind: Kind
    message: str


class Examined(Struct, frozen=True, kw_only=True):
    """What was found. `damage` says what is wrong with the file itself."""

    findings: list[Finding]
    damage: str | None = None


def examine(database: Path, *, tell: Callable[[str], None]) -> Examined:
    """Check a database as a whole, in a process of its own where that takes long. Works while a server uses it."""
    mark = read_mark(database)
    if mark is not None:
        return _damaged(f"{database.name} is damaged: {mark.message}", mark.message)
    tell(f"Looking at {database.name} ...")
    message = look(database)
    if message is None:
        tell("Checking every page and every index ...")
        found = asyncio.run(_checked(database))
        message = found[0] if found else None
    if message is not None:
        return _damaged(f"{database.name} is damaged: {message}", message)
    tell("Comparing what is derived with the rows ...")
    return Examined(findings=[Finding(kind="derived", message=text) for text in check_derived(database)])


def _damaged(message: str, damage: str) -> Examined:
    return Examined(findings=[Finding(kind="file", message=message)], damage=damage)


async def _checked(database: Path) -> list[str]:
    try:
        answer = await run_child("dayline.storage.sqlite.repair.check_worker", database, Path("full"))
    except ChildFailed as error:
        raise Unavailable(f"the check came to nothing: {error}") from error
    return msgspec.json.decode(answer, type=list[str])
