"""What every service manager has to be able to do for us, and what is told of a service."""

from collections.abc import Mapping
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from dayline.cli.service.runner import Run

DESCRIPTION: Final = "Dayline, a local-first server for activity data"
# It waits ten seconds for requests under way.
STOP_S: Final = 30


class Job(Struct, frozen=True, kw_only=True):
    """What is to be run: the whole command line, and variables besides those that the manager gives."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = {}


class Step(Struct, frozen=True, kw_only=True):
    """A program to run. One that `may_fail` mends a state that need not be there.

    One with `patience_s` is tried again for so long: what was told to end may still be in its way.
    """

    command: tuple[str, ...]
    may_fail: bool = False
    patience_s: float = 0


class State(Struct, frozen=True, kw_only=True):
    """What the manager says of the service; None where it does not tell."""

    is_enabled: bool | None = None
    is_running: bool | None = None
    since: str | None = None
    process: int | None = None
    said: str | None = None


class Platform(Protocol):
    """A service manager."""

    @property
    def title(self) -> str:
        """Its name in sentences."""
        ...

    @property
    def path(self) -> Path:
        """The file that the manager reads."""
        ...

    def content(self, job: Job) -> bytes:
        """The file's content for a job."""
        ...

    def text(self, content: bytes) -> str:
        """The content as people read it."""
        ...

    def command(self, content: bytes) -> tuple[str, ...]:
        """The command line that a file has; empty where none can be found in it."""
        ...

    def check(self, run: Run) -> None:
        """Raises Unavailable where the manager is not there for this user."""
        ...

    def install(self, *, is_changed: bool) -> list[Step]:
        """What makes the manager take the written file, start the service, and start it at every login."""
        ...

    def remove(self) -> list[Step]:
        """What ends the service, before the file goes."""
        ...

    def forget(self) -> list[Step]:
        """What is to be done when the file is gone."""
        ...

    def state(self, run: Run) -> State:
        """How the service is."""
        ...

    def hint(self) -> str | None:
        """What somebody who has just installed it should know."""
        ...
