"""What must guard a server before other machines can reach it, and what a refusal says."""

from pathlib import Path

import pytest

from dayline.access.exposure import Exposure, HintCommands, ListenOptions, check_exposure
from dayline.model.errors import Invalid

COMMANDS = HintCommands(machine="laptop")
OFF_LOOPBACK = ["0.0.0.0", "::", "192.168.1.5", "fd00::7", "diary.lan", "localhost.evil.example", "127.0.0.1.nip.io"]
ON_LOOPBACK = ["localhost", "127.0.0.1", "127.0.0.2", "::1"]
NO_KEY = "there is no key"
NO_TLS = "there is no TLS"
CREATE_KEY = "dayline keys create --name owner --scope full"


def refusal(options: ListenOptions, *, has_key: bool, commands: HintCommands = COMMANDS) -> Invalid:
    with pytest.raises(Invalid) as caught:
        check_exposure(options, has_key=has_key, commands=commands)
    return caught.value


@pytest.mark.parametrize("host", ON_LOOPBACK)
def test_on_loopback_everything_is_open(host: str) -> None:
    assert check_exposure(ListenOptions(host=host, has_uds=True), has_key=False, commands=COMMANDS) == Exposure(
        needs_keys=False, only_trusted=False
    )


@pytest.mark.parametrize("has_key", [True, False])
@pytest.mark.parametrize(
    "options",
    [
        ListenOptions(host="localhost", require_keys=True),
        ListenOptions(host="localhost", trusted_proxies=["127.0.0.1"]),
        ListenOptions(host="localhost", has_uds=True, trusted_proxies=["unix"]),
    ],
)
def test_on_loopback_keys_are_needed_when_asked_for_or_behind_a_proxy(options: ListenOptions, *, has_key: bool) -> None:
    assert check_exposure(options, has_key=has_key, commands=COMMANDS) == Exposure(needs_keys=True, only_trusted=False)


def test_tls_on_loopback_changes_nothing() -> None:
    assert not check_exposure(
        ListenOptions(host="localhost", has_tls=True), has_key=False, commands=COMMANDS
    ).needs_keys


@pytest.mark.parametrize("host", OFF_LOOPBACK)
def test_off_loopback_with_a_key_and_tls_everybody_with_a_key_may_call(host: str) -> None:
    options = ListenOptions(host=host, has_tls=True)

    assert check_exposure(options, has_key=True, commands=COMMANDS) == Exposure(needs_keys=True, only_trusted=False)


@pytest.mark.parametrize("host", OFF_LOOPBACK)
def test_off_loopback_with_a_key_and_a_proxy_only_the_proxy_may_connect(host: str) -> None:
    options = ListenOptions(host=host, trusted_proxies=["10.0.0.1"])

    assert check_exposure(options, has_key=True, commands=COMMANDS) == Exposure(needs_keys=True, only_trusted=True)


def test_tls_and_a_proxy_admit_everybody_with_a_key() -> None:
    options = ListenOptions(host="0.0.0.0", has_tls=True, trusted_proxies=["10.0.0.1"])

    assert check_exposure(options, has_key=True, commands=COMMANDS) == Exposure(needs_keys=True, only_trusted=False)


@pytest.mark.parametrize("host", OFF_LOOPBACK)
@pytest.mark.parametrize("require_keys", [True, False])
def test_without_a_key_it_is_rejected_with_the_command_that_makes_one(host: str, *, require_keys: bool) -> None:
    refused = refusal(ListenOptions(host=host, has_tls=True, require_keys=require_keys), has_key=False)

    assert f"refusing to listen on {host}: {NO_KEY}" in refused.message
    assert NO_TLS not in refused.message
    assert (refused.hint, refused.field) == (CREATE_KEY, "server.host")


@pytest.mark.parametrize(
    ("host", "name"),
    [("192.168.1.5", "192.168.1.5"), ("diary.lan", "diary.lan"), ("0.0.0.0", "laptop"), ("::", "laptop")],
)
def test_without_tls_it_is_rejected_with_the_command_that_makes_a_certificate(host: str, name: str) -> None:
    refused = refusal(ListenOptions(host=host), has_key=True)

    assert f"refusing to listen on {host}: {NO_TLS}" in refused.message
    assert NO_KEY not in refused.message
    assert (refused.hint or "").startswith(f"dayline tls init --name {name};")
    assert "--trusted-proxy" in (refused.hint or "")


def test_everything_that_is_missing_is_named_at_once() -> None:
    refused = refusal(ListenOptions(host="diary.lan"), has_key=False)

    assert NO_KEY in refused.message
    assert NO_TLS in refused.message
    assert (refused.hint or "").startswith(f"{CREATE_KEY} && dayline tls init --name diary.lan;")


def test_the_unix_socket_as_a_proxy_does_not_guard_the_network() -> None:
    assert (
        NO_TLS in refusal(ListenOptions(host="0.0.0.0", has_uds=True, trusted_proxies=["unix"]), has_key=True).message
    )


def test_the_unix_socket_cannot_be_a_proxy_where_there_is_none() -> None:
    assert (
        refusal(ListenOptions(host="localhost", trusted_proxies=["unix"]), has_key=True).hint
        == "create one with --uds PATH"
    )


def test_commands_name_a_database_of_ones_own() -> None:
    commands = HintCommands(machine="laptop", database=Path("/data/my days.db"))

    refused = refusal(ListenOptions(host="0.0.0.0"), has_key=False, commands=commands)

    assert (refused.hint or "").startswith(
        f"{CREATE_KEY} --database '/data/my days.db' && dayline tls init --name laptop --database '/data/my days.db'"
    )
