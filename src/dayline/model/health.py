"""What is wrong with the server or its data, as it is told to people and programs."""

from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.model.timestamps import Timestamp

ProblemKind: TypeAlias = Literal["backup", "damage", "disk", "clock", "check", "replica", "watcher"]


class Problem(Struct, frozen=True, kw_only=True):
    """One thing that is wrong. `hint` says what mends it; `since` is null where nobody knows."""

    kind: ProblemKind
    message: str
    hint: str | None = None
    since: Timestamp | None = None


class HealthView(Struct, frozen=True, kw_only=True):
    """`ok`: everything is well. `degraded`: it serves and records, but something needs looking after."""

    status: Literal["ok", "degraded"]
    problems: list[Problem]
