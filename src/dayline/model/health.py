"""Health of a server, and damage to its database."""

import shlex
from pathlib import Path
from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.model.time import Microseconds, Timestamp

ProblemKind: TypeAlias = Literal[
    "backup",
    "damage",
    "disk",
    "clock",
    "check",
    "replica",
    "background",
    "watcher",
    "connections",
    "sign-in",
    "sync",
]


class Problem(Struct, frozen=True, kw_only=True):
    """A problem. `hint` says how to fix it; `since` is null if it is unknown."""

    kind: ProblemKind
    message: str
    hint: str | None = None
    since: Timestamp | None = None


class BackgroundWork(Struct, frozen=True, kw_only=True):
    """Work that the server does in the background. `failing`: the last run failed, and it is retried.

    `last_run` is when it last began; `next_run` is null while it runs and if it waits to be needed. `failures` counts
    the failed runs in a row, and `last_error` is the cause of the last one.
    """

    name: str
    state: Literal["waiting", "running", "failing"]
    last_run: Timestamp | None
    next_run: Timestamp | None
    last_error: str | None
    failures: int


class HealthView(Struct, frozen=True, kw_only=True):
    """`ok`: no problems. `degraded`: it serves and records, but something needs attention.

    `background` lists the background work of the server.
    """

    status: Literal["ok", "degraded"]
    problems: list[Problem]
    background: list[BackgroundWork]


class Damage(Struct, frozen=True, kw_only=True):
    """The damage and when it was found. The id shows whether a file was repaired since."""

    id: str
    found: Microseconds
    message: str


def repair_command(database: Path) -> str:
    """The command that repairs this database."""
    return f"dayline doctor --repair --database {shlex.quote(str(database))}"
