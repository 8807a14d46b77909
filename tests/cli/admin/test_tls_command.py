"""`dayline tls init`: what it makes, and what it reports."""

import hashlib
import ssl
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.support.processes.command import run


def init(tmp_path: Path, *arguments: str, **variables: str) -> str:
    made = run("tls", "init", *arguments, home=tmp_path, **variables)
    assert made.returncode == 0, made.stderr
    return made.stdout


def init_as_json(tmp_path: Path, *arguments: str, **variables: str) -> dict[str, Any]:
    return msgspec.json.decode(init(tmp_path, "--json", *arguments, **variables), type=dict[str, Any])


def test_the_output_explains_what_to_do_on_other_devices(tmp_path: Path) -> None:
    reported = init(tmp_path, "--name", "diary.lan")

    folder = tmp_path / ".local" / "share" / "dayline" / "tls"
    assert str(folder / "ca.pem") in reported
    assert "--ca-file ca.pem" in reported
    assert "diary.lan, " in reported


def test_the_fingerprint_is_that_of_the_authority(tmp_path: Path) -> None:
    reported = init(tmp_path)
    made = init_as_json(tmp_path)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_verify_locations(made["ca"])
    [authority] = context.get_ca_certs(binary_form=True)
    assert made["fingerprint"] == hashlib.sha256(authority).digest().hex(":").upper()
    assert f"SHA-256 {made['fingerprint']}" in reported


def test_the_fingerprint_to_pin_is_shown_until_the_certificate_is_renewed(tmp_path: Path) -> None:
    made = init_as_json(tmp_path, "--name", "diary.lan")

    shown = run("tls", "show", home=tmp_path).stdout
    as_json = msgspec.json.decode(run("tls", "show", "--json", home=tmp_path).stdout, type=dict[str, Any])
    renewed = init(tmp_path)

    assert f"SHA-256 {made['server_fingerprint']}" in shown
    assert "for diary.lan, " in shown
    assert as_json["fingerprint"] == made["server_fingerprint"]
    assert "Clients that use --fingerprint need the new fingerprint" in renewed
    assert made["server_fingerprint"] not in renewed


def test_showing_a_certificate_that_is_missing_names_the_command(tmp_path: Path) -> None:
    refused = run("tls", "show", home=tmp_path)

    assert "dayline tls init" in refused.stderr
    assert refused.returncode != 0


def test_a_second_call_reports_that_the_authority_is_the_same(tmp_path: Path) -> None:
    first = init_as_json(tmp_path, "--name", "diary.lan")

    reported = init(tmp_path, "--name", "days.diary.lan")

    assert "The authority is the same as before" in reported
    assert "diary.lan" in reported
    assert "days.diary.lan" in reported
    assert init_as_json(tmp_path)["fingerprint"] == first["fingerprint"]


def test_the_files_lie_beside_the_database_that_serve_would_use(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[server]\ndatabase = "{tmp_path}/of-the-file/days.db"\n')

    assert init_as_json(tmp_path, "--config", str(config))["ca"] == str(tmp_path / "of-the-file" / "tls" / "ca.pem")
    assert init_as_json(tmp_path, DAYLINE_DATABASE=str(tmp_path / "of-the-variable" / "days.db"))["ca"] == str(
        tmp_path / "of-the-variable" / "tls" / "ca.pem"
    )


def test_no_key_is_reported(tmp_path: Path) -> None:
    reported = init(tmp_path) + init(tmp_path, "--json")

    folder = tmp_path / ".local" / "share" / "dayline" / "tls"
    for path in folder.glob("*.key"):
        assert path.read_text().splitlines()[1] not in reported


@pytest.mark.parametrize(
    ("arguments", "code", "named"),
    [
        (("--name", "http://diary.lan"), 65, "http://diary.lan"),
        (("--days", "0"), 64, "--days"),
        (("--days", "826"), 64, "--days"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_made(
    tmp_path: Path, arguments: tuple[str, ...], code: int, named: str
) -> None:
    refused = run("tls", "init", *arguments, home=tmp_path)

    assert refused.returncode == code
    assert named in refused.stderr
    assert list(tmp_path.iterdir()) == []
