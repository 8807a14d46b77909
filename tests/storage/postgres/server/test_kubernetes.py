"""The server starts with what the Kubernetes manifest gives it, and responses the probes as a node sends them."""

import contextlib
import http.client
import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest

from dayline.access.certificates import CertificateFiles, make_certificates
from tests.support.postgres.cluster import Cluster
from tests.support.project.packaging import container, environment, resources
from tests.support.server import free_port
from tests.support.waiting import eventually

pytestmark = pytest.mark.long


@pytest.fixture
def login(postgres: Cluster, address: str) -> str:
    """The same database by a user that owns nothing."""
    with psycopg.connect(address, autocommit=True) as db:
        if db.execute("SELECT 1 FROM pg_roles WHERE rolname = 'dayline_web'").fetchone() is None:
            db.execute("CREATE ROLE dayline_web LOGIN")
        db.execute("GRANT dayline_server TO dayline_web")
        database = db.info.dbname
    return postgres.address(database, "dayline_web")


@pytest.fixture
def variables(login: str, tmp_path: Path) -> dict[str, str]:
    """Those of the manifest; the files that they name lie in a folder of the test."""
    files = CertificateFiles(tmp_path / "tls")
    make_certificates(files, ["diary.example.org"], now=datetime.now(UTC))
    config = tmp_path / "config.toml"
    config.write_text(resources()["ConfigMap"]["data"]["config.toml"])
    given = {name: value for name, value in environment().items() if value is not None}
    return given | {
        "DAYLINE_DATABASE": login,
        "DAYLINE_PORT": str(free_port()),
        "DAYLINE_TLS_CERT": str(files.server),
        "DAYLINE_TLS_KEY": str(files.server_key),
        "DAYLINE_CONFIG": str(config),
        "HOME": str(tmp_path),
    }


def begun(arguments: list[str], variables: dict[str, str]) -> "subprocess.Popen[str]":
    command = [sys.executable, "-m", "dayline", *arguments]
    return subprocess.Popen(command, env={**os.environ, **variables}, stderr=subprocess.PIPE, text=True)


def status(variables: dict[str, str], path: str, host: str | None = None) -> int:
    """What a node gets, or anyone who calls the service by a name."""
    port = int(variables["DAYLINE_PORT"])
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=context)
    with contextlib.closing(connection):
        connection.request("GET", path, headers={"Host": host or f"127.0.0.1:{port}"})
        return connection.getresponse().status


def answers(variables: dict[str, str], path: str) -> bool:
    try:
        return status(variables, path) == 200
    except OSError:
        return False


@pytest.fixture
def served(variables: dict[str, str]) -> Iterator[dict[str, str]]:
    making = begun(
        ["keys", "create", "--name", "owner", "--scope", "full", "--output", f"{variables['HOME']}/owner.key"],
        variables,
    )
    making.communicate(timeout=30)
    assert making.returncode == 0
    server = begun(container()["args"], variables)
    try:
        eventually(lambda: answers(variables, "/api/0/info"))
        yield variables
    finally:
        server.terminate()
        _, said = server.communicate(timeout=30)
        assert "Traceback" not in said, said


def test_without_a_key_the_server_refuses_to_start_with_a_reason(variables: dict[str, str]) -> None:
    _, said = begun(container()["args"], variables).communicate(timeout=30)

    assert "there is no key" in said


@pytest.mark.parametrize("probe", ["readinessProbe", "livenessProbe"])
def test_the_probes_are_answered(served: dict[str, str], probe: str) -> None:
    assert status(served, container()[probe]["httpGet"]["path"]) == 200


def test_the_service_is_found_by_its_name_and_asks_for_a_key(served: dict[str, str]) -> None:
    assert status(served, "/api/0/info", host="diary.example.org") == 200
    assert status(served, "/api/0/info", host="elsewhere.example.org") == 400
    assert status(served, "/api/0/buckets/", host="diary.example.org") == 401
