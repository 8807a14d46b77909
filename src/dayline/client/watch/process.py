"""The interface of the watch process: how it is started, and what it reports."""

import sys
from typing import Final, Literal, TypeAlias

from msgspec import Struct

Session: TypeAlias = Literal["x11", "sway", "wayland", "kwin", "gnome"]  # how a desktop is observed

# -OO: docstrings are a sixth of its memory.
COMMAND: Final = (sys.executable, "-OO", "-m", "dayline.client.watch")
VARIABLES: Final = {"MALLOC_ARENA_MAX": "1"}  # its threads need little memory, and glibc reserves some for each
EXIT_UNAVAILABLE: Final = 75  # as sysexits.h has it: try again later


STOP: Final = b"stop\n"  # on standard input of a supervised process: the server is stopping


class WatchConfig(Struct, frozen=True, kw_only=True):
    """What to record, and where to.

    `is_supervised`: a server started this process. It writes STOP to standard input before it ends. If the input ends
    without it, the server was killed: the process then only stores what it records, for `max_orphaned_s` at most.
    """

    url: str
    hostname: str
    folder: str  # for queues
    key: str | None = None
    ca_file: str | None = None
    fingerprint: str | None = None
    away_after_s: float
    records_titles: bool = True
    is_supervised: bool = False
    max_orphaned_s: float = 0.0

    def __repr__(self) -> str:
        return f"WatchConfig(url={self.url!r})"  # without the key


class Report(Struct, frozen=True, kw_only=True):
    """A line on standard output of a supervised process: its state, or that of a bucket.

    The first one has the `session`, and what cannot be observed in it as the message. If that changes, there is
    another such report.
    """

    state: Literal["checking", "recording", "quiet", "failed"]
    session: Session | None = None
    bucket: str | None = None
    message: str | None = None
    hint: str | None = None
