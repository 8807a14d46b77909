"""The engines, for what looks after the data on each of them."""

from tests.storage.conftest import engine, files, servers

__all__ = ["engine", "files", "servers"]
