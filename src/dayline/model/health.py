"""What is wrong with the server or its data, as it is told to people and programs."""

from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.model.timestamps import Timestamp

ProblemKind: TypeAlias = Literal[
    "backup", "damage", "disk", "clock", "check", "replica", "background", "watcher", "connections", "sign-in"
]


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong. `hint` says what mends it; `since` is null where nobody knows."""

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
    """`ok`: everything is well. `degraded`: it serves and records, but something needs looking after.

    `background` lists the work that the server does in the background.
    """

    status: Literal["ok", "degraded"]
    problems: list[Problem]
    background: list[BackgroundWork]
