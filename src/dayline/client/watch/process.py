"""The interface of the watch process: how it is started, and what it reports."""

import sys
from typing import Final, Literal

from msgspec import Struct

# -OO: docstrings are a sixth of its memory.
COMMAND: Final = (sys.executable, "-OO", "-m", "dayline.client.watch")
VARIABLES: Final = {"MALLOC_ARENA_MAX": "1"}  # its threads need little memory, and glibc reserves some for each
EXIT_UNAVAILABLE: Final = 75  # as sysexits.h has it: try again later


class WatchConfig(Struct, frozen=True, kw_only=True):
    """What to record, and where to. `is_supervised`: standard input ends with the server that started this process."""

    url: str
    hostname: str
    folder: str  # for queues
    key: str | None = None
    ca_file: str | None = None
    fingerprint: str | None = None
    away_after_s: float
    records_titles: bool = True
    is_supervised: bool = False

    def __repr__(self) -> str:
        return f"WatchConfig(url={self.url!r})"  # without the key


class Report(Struct, frozen=True, kw_only=True):
    """A line on standard output of a supervised process: how it is, for health."""

    state: Literal["checking", "recording", "quiet", "failed"]
    bucket: str | None = None
    message: str | None = None
    hint: str | None = None
