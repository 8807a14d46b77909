"""Compaction: giving back to the system what nobody needs."""

from typing import Annotated, Literal

from msgspec import Meta, Struct


class Compacted(Struct, frozen=True, kw_only=True):
    """What compaction did."""

    values: Annotated[int, Meta(description="distinct values that nobody had any more, and that were removed")]
    before: Annotated[int, Meta(description="bytes of the database file before")]
    after: Annotated[int, Meta(description="bytes of the database file after")]
    seconds: float


class Compaction(Struct, frozen=True, kw_only=True):
    """How far compaction is: unused `values` are removed, then free `pages` given back, then the `log` emptied."""

    state: Literal["idle", "values", "pages", "log"] = "idle"
    done: int = 0
    of: Annotated[int, Meta(description="how many values or pages there are to do; 0 while that is not known")] = 0
    last: Annotated[Compacted | None, Meta(description="what the last one since the start of the server did")] = None
