"""Which Host headers name this server (protocol 2.4)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.access.origins import HostRules


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


def test_any_other_name_is_not_ours(subtests: pytest.Subtests) -> None:
    for header in [
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
        b"localhost:5600@evil.example",
        b"localhost:port",
        b"localhost:5600:5600",
        b"localhost:123456",
        b"localhost/evil.example",
        b"localhost?evil.example",
        b"localhost#evil.example",
        b"localhost evil.example",
        b"localhost\tevil.example",
        b"localhost\xe9",
        b"\xff\xfe",
    ]:
        with subtests.test(header=header):
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


@pytest.mark.parametrize("bind_host", ["0.0.0.0", "::", "0:0:0:0:0:0:0:0"])
@pytest.mark.parametrize("header", [b"0.0.0.0", b"0.0.0.0:5600", b"[::]", b"[::]:5600"])
def test_every_address_at_once_is_no_name(bind_host: str, header: bytes) -> None:
    rules = HostRules(bind_host, ["diary.lan"])

    assert not rules.allows(header)
    assert not rules.allows(header, "192.168.1.5")
    assert rules.allows(b"diary.lan:5600")
    assert rules.allows(b"localhost")


@pytest.mark.parametrize(
    ("header", "local_address"),
    [
        (b"192.168.1.5", "192.168.1.5"),
        (b"192.168.1.5:5600", "192.168.1.5"),
        (b"192.168.1.5", "::ffff:192.168.1.5"),  # what a socket for both forms says of the older one
        (b"[fd00::7]:5600", "fd00::7"),
        (b"[FD00:0::7]:5600", "fd00::7"),
        (b"[fe80::7]", "fe80::7%eth0"),
    ],
)
def test_the_address_that_was_connected_to_is_ours(header: bytes, local_address: str) -> None:
    assert HostRules("0.0.0.0").allows(header, local_address)


@pytest.mark.parametrize(
    ("header", "local_address"),
    [
        (b"192.168.1.6", "192.168.1.5"),
        (b"192.168.1.5.evil.example", "192.168.1.5"),
        (b"192.168.1.5", None),
        (b"fd00::7", "fd00::7"),
        (b"0300.0250.1.5", "192.168.1.5"),
        (b"3232235781", "192.168.1.5"),
        (b"evil.example", "192.168.1.5"),
        (b"evil.example", "/run/dayline.sock"),
        (b"", "192.168.1.5"),
    ],
)
def test_any_other_address_is_not_ours(header: bytes, local_address: str | None) -> None:
    assert not HostRules("0.0.0.0").allows(header, local_address)


def test_an_address_is_ours_for_the_connection_that_it_was_used_for_alone() -> None:
    rules = HostRules("0.0.0.0")
    assert rules.allows(b"192.168.1.5", "192.168.1.5")

    assert not rules.allows(b"192.168.1.5", "10.0.0.5")


# Characters that mean something in a URL or a header, and some that do not.
PIECES = st.text(st.sampled_from(".:@/?#[]\\%,; \t\0\r\nax0-_é"), min_size=1, max_size=6)


@given(st.sampled_from(["localhost", "127.0.0.1", "[::1]", "diary.lan"]), PIECES, st.booleans())
def test_nothing_before_or_behind_a_name_leaves_it_ours_but_a_port(name: str, piece: str, is_before: bool) -> None:
    header = f"{piece}{name}" if is_before else f"{name}{piece}"

    allowed = HostRules("localhost", ["diary.lan"]).allows(header.encode("latin-1"))

    is_port = not is_before and re.fullmatch(r":[0-9]{0,5}[ \t]*", piece) is not None
    assert allowed == (is_port or not piece.strip(" \t"))
