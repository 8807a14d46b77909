"""A server started with something changed in it: for what takes too long, or cannot be seen from outside."""

from pathlib import Path

from tests.server import RunningServer


class ChangedServer(RunningServer):
    """`change` is Python that runs before the server starts, when most of its modules are loaded."""

    def __init__(self, database: Path, change: str, *flags: str) -> None:
        super().__init__(database, *flags)
        self.change = change
