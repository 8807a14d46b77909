"""The engines: a test with the fixture `engine` runs once on each."""

from tests.support.storage.engines import engine, files, servers

__all__ = ["engine", "files", "servers"]
