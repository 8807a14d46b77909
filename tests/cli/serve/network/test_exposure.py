"""A server that other machines could reach: refused in each incomplete case, with the command that fixes it."""

import shlex
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest

from dayline.access.certificates import files_beside, make_certificates
from tests.support.calls.endpoints import OUTSIDE_ADDRESS, OUTSIDE_HOST, Door, create_key, event, make_certificate
from tests.support.processes.command import Service, run
from tests.support.server import RunningServer, free_port

WRONG_SETTINGS: Final = 78
NO_KEY: Final = "there is no key"
NO_TLS: Final = "there is no TLS"


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "days.db"


def refusal(database: Path, *arguments: str, host: str = OUTSIDE_HOST) -> str:
    """What a server says that refuses to start for its settings."""
    place = ("--host", host, "--port", "0", "--database", str(database))
    refused = run("serve", *place, *arguments, home=database.parent)
    assert refused.returncode == WRONG_SETTINGS, refused.stderr
    assert "Traceback" not in refused.stderr
    return refused.stderr


@pytest.mark.parametrize("host", [OUTSIDE_HOST, "0.0.0.0", "::", "example.org"])
def test_without_a_key_and_without_tls_both_are_named_and_nothing_is_made(database: Path, host: str) -> None:
    reported = refusal(database, host=host)

    assert f"refusing to listen on {host}: {NO_KEY}" in reported
    assert NO_TLS in reported
    assert list(database.parent.iterdir()) == []


def test_without_tls_the_key_is_not_complained_about(database: Path) -> None:
    create_key(database)

    reported = refusal(database)

    assert NO_TLS in reported
    assert NO_KEY not in reported
    assert "→ dayline tls init --name " in reported


@pytest.mark.parametrize("guard", ["tls init", "--tls-cert", "--trusted-proxy"])
def test_without_a_key_it_is_rejected_however_it_is_guarded(database: Path, guard: str) -> None:
    arguments: tuple[str, ...] = ()
    if guard == "--trusted-proxy":
        arguments = (guard, "127.0.0.1")
    else:
        made = make_certificate(database)
        arguments = ("--tls-cert", made["certificate"], "--tls-key", made["key"]) if guard == "--tls-cert" else ()

    reported = refusal(database, *arguments)

    assert NO_KEY in reported
    assert NO_TLS not in reported
    assert f"→ dayline keys create --name owner --scope full --database {database}\n" in reported
    assert not database.exists()


def test_a_key_that_was_revoked_is_none(database: Path) -> None:
    make_certificate(database)
    key = create_key(database)
    assert run("keys", "revoke", key.split("_")[1], "--database", str(database), home=database.parent).returncode == 0

    assert NO_KEY in refusal(database)


def test_the_unix_socket_as_a_proxy_guards_nothing(database: Path) -> None:
    create_key(database)

    assert NO_TLS in refusal(database, "--uds", str(database.parent / "s"), "--trusted-proxy", "unix")


def test_a_rejected_start_leaves_nothing_open(database: Path) -> None:
    create_key(database)
    uds = database.parent / "s"
    refusal(database, "--uds", str(uds))

    assert not uds.exists()
    with RunningServer(database) as server:
        assert server.get("/api/0/info").status == 200


def test_the_hint_is_what_has_to_be_typed(database: Path) -> None:
    reported = refusal(database)

    commands = reported.partition("→ ")[2].partition(";")[0].split(" && ")
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "dayline"
        assert run(*arguments, home=database.parent).returncode == 0
    arguments = ["--host", OUTSIDE_HOST, "--port", str(free_port()), "--database", str(database)]
    with Service(*arguments, home=database.parent) as service:
        assert "https://" in service.messages[0]
    assert len(commands) == 2


def with_expired_certificate(database: Path) -> tuple[str, ...]:
    make_certificates(files_beside(database), now=datetime.now(UTC) - timedelta(days=400))
    return ()


def with_certificate_alone(database: Path) -> tuple[str, ...]:
    return ("--tls-cert", make_certificate(database)["certificate"])


def with_key_alone(database: Path) -> tuple[str, ...]:
    return ("--tls-key", make_certificate(database)["key"])


def with_missing_file(database: Path) -> tuple[str, ...]:
    return ("--tls-cert", "/no/such/file.pem", "--tls-key", make_certificate(database)["key"])


def with_other_key(database: Path) -> tuple[str, ...]:
    made = make_certificate(database)
    return ("--tls-cert", made["certificate"], "--tls-key", str(files_beside(database).authority_key))


def with_half_of_its_own(database: Path) -> tuple[str, ...]:
    Path(make_certificate(database)["key"]).unlink()
    return ()


@pytest.mark.parametrize(
    ("prepare", "message", "hint"),
    [
        (with_expired_certificate, "has expired", "dayline tls init"),
        (with_certificate_alone, "tls_key is missing", "--tls-key FILE"),
        (with_key_alone, "tls_cert is missing", "--tls-cert FILE"),
        (with_missing_file, "cannot read /no/such/file.pem: No such file or directory", ""),
        (with_other_key, "does not belong to the certificate", ""),
        (with_half_of_its_own, "server.key: No such file or directory", "dayline tls init"),
    ],
)
def test_certificates_that_cannot_be_used_are_reported_before_anything_is_opened(
    database: Path, prepare: Callable[[Path], tuple[str, ...]], message: str, hint: str
) -> None:
    reported = refusal(database, *prepare(database))

    assert message in reported
    assert hint in reported
    assert not database.exists()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("--trusted-proxy", "proxy.lan"), "proxy.lan"),
        (("--trusted-proxy", "0.0.0.0/0"), "includes every address"),
        (("--trusted-proxy", "unix"), "--uds"),
        (("--base-path", "dayline"), "base_path"),
        (("--base-path", "/a/../b"), "base_path"),
    ],
)
def test_settings_that_cannot_be_are_named(database: Path, arguments: tuple[str, ...], named: str) -> None:
    assert named in refusal(database, *arguments, host="localhost")
    assert not database.exists()


def test_on_loopback_keys_are_required_if_configured(database: Path) -> None:
    key = create_key(database)

    with RunningServer(database, "--require-keys") as server:
        assert server.get("/api/0/info").status == 200
        assert server.get("/api/0/buckets/").status == 401
        assert server.get("/api/0/buckets/", Authorization=f"Bearer {key}").status == 200


def test_a_server_without_keys_prints_how_to_make_one(database: Path) -> None:
    with Service("--require-keys", "--port", "0", "--database", str(database), home=database.parent) as service:
        service.read_until("Every request needs a key")

        assert "dayline keys create --name owner --scope full" in service.messages[-1]


def test_on_loopback_the_files_of_tls_init_are_left_alone(database: Path) -> None:
    make_certificate(database)

    with RunningServer(database) as server:
        assert server.get("/api/0/buckets/").status == 200


def test_without_tls_only_the_proxy_and_this_machine_are_served(database: Path) -> None:
    key, port = create_key(database), free_port()
    flags = ("--host", "0.0.0.0", "--port", str(port), "--trusted-proxy", "10.255.255.254")

    with Service(*flags, "--database", str(database), home=database.parent) as service:
        assert f":{port}/" in service.messages[0]
        assert Door("127.0.0.1", port, key=key).get("/api/0/buckets/").status == 200
        assert Door("127.0.0.1", port).get("/api/0/buckets/").status == 401
        Door("127.0.0.1", port, key=key).create("b")
        # What goes to an address of this machine comes from there, too; without one, from loopback.
        outside = Door(OUTSIDE_ADDRESS, port, key=key)
        answers = [outside.get(path) for path in ("/", "/api/0/info", "/api/0/buckets/")]
        answers.append(outside.call("POST", "/api/0/buckets/b/heartbeat?pulsetime=1", event(0)))
        assert {answer.status for answer in answers} == {200 if OUTSIDE_ADDRESS == "127.0.0.1" else 403}
