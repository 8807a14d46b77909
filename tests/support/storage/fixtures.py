"""Fixtures of the engines: a test with the fixture `engine` runs once on each."""

from collections.abc import Iterator

import pytest

from dayline.storage.postgres.writing import listener
from tests.support.postgres.cluster import Cluster
from tests.support.storage.encrypting import encrypting
from tests.support.storage.engines import Engine, Engines


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Engines:
    """SQLite files."""
    return Engines(tmp_path_factory.mktemp("engines"), None)


@pytest.fixture(scope="session")
def servers(postgres: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engines]:
    """Tenants of a PostgreSQL database, whose servers hear of each other ten times as soon as they otherwise do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(listener, "_SEND_S", 0.01)
        yield Engines(tmp_path_factory.mktemp("engines"), postgres.new_database())


@pytest.fixture(params=["sqlite", "postgres", "encrypted"])
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    """One of them, empty. Only tests marked `encrypted` also run on an encrypted file."""
    made: Engines = request.getfixturevalue("servers" if request.param == "postgres" else "files")
    if request.param == "encrypted":
        with encrypting():
            yield made.new()
    else:
        yield made.new()
