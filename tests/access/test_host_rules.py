"""Which Host headers name this server (protocol 2.4)."""

import pytest

from dayline.access.hosts import HostRules


@pytest.mark.parametrize(
    "header",
    [
        b"localhost",
        b"localhost:5600",
        b"localhost:1",
        b"LOCALHOST",
        b"LocalHost:5600",
        b"127.0.0.1",
        b"127.0.0.1:5600",
        b"[::1]",
        b"[::1]:5600",
        b" localhost ",
    ],
)
def test_loopback_names_are_ours_whatever_the_port(header: bytes) -> None:
    assert HostRules("localhost").allows(header)


@pytest.mark.parametrize(
    "header",
    [
        None,
        b"",
        b" ",
        b":5600",
        b"evil.example",
        b"evil.localhost",
        b"localhost.evil.example",
        b"localhost.evil.example:5600",
        b"localhost.",
        b"xlocalhost",
        b"localhostx",
        b"127.0.0.1.evil.example",
        b"127.0.0.2",
        b"127.0.0.10",
        b"0.0.0.0",
        b"::1",
        b"[::1",
        b"[::1]evil.example",
        b"[::1].evil.example:5600",
        b"[::2]",
        b"[]",
        b"[",
        b"localhost, evil.example",
        b"evil.example@localhost",
        b"localhost@evil.example",
        b"localhost\xe9",
        b"\xff\xfe",
    ],
)
def test_any_other_name_is_not_ours(header: bytes | None) -> None:
    assert not HostRules("localhost").allows(header)


def test_bind_address_is_ours() -> None:
    assert HostRules("127.0.0.2").allows(b"127.0.0.2:5600")


def test_ipv6_bind_address_is_ours_in_brackets() -> None:
    assert HostRules("fd00::7").allows(b"[fd00::7]:5600")


def test_configured_names_are_ours() -> None:
    rules = HostRules("localhost", ["Days.Home.Example"])

    assert rules.allows(b"days.home.example:5600")
    assert not rules.allows(b"other.home.example")


def test_many_foreign_names_do_not_push_ours_out() -> None:
    rules = HostRules("localhost")

    assert not any(rules.allows(b"evil-%d.example" % number) for number in range(1000))
    assert all(rules.allows(b"localhost:%d" % number) for number in range(1000))
    assert not rules.allows(b"evil-1.example")
