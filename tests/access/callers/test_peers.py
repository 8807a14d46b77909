"""Who is at the other end, and whose word counts about who stands behind it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.access.peers import Peers, RequestOrigin
from dayline.model.errors import Invalid

PROXY = "10.0.0.1"
CLIENT = "198.51.100.7"


def seen(
    *headers: tuple[str, str], by: str | None = PROXY, trusted: tuple[str, ...] = ("10.0.0.0/24",)
) -> RequestOrigin:
    """What a request was that came over plain HTTP with these headers."""
    raw = [(b"host", b"inner:5600"), *((name.lower().encode(), value.encode("latin-1")) for name, value in headers)]
    return Peers(trusted).origin(by, raw, scheme="http")


def address(*headers: tuple[str, str]) -> str:
    return seen(*headers).address


DIRECT = RequestOrigin(address=PROXY, scheme="http", host=b"inner:5600")
FORGED = [
    ("Forwarded", "for=127.0.0.1;proto=https;host=localhost"),
    ("X-Forwarded-For", "127.0.0.1"),
    ("X-Forwarded-Proto", "https"),
    ("X-Forwarded-Host", "localhost"),
]


@pytest.mark.parametrize("header", FORGED)
@pytest.mark.parametrize("by", ["10.0.1.1", CLIENT, "127.0.0.1", "::1", "fd00::1"])
def test_headers_of_untrusted_peers_are_ignored(header: tuple[str, str], by: str) -> None:
    assert seen(header, by=by) == RequestOrigin(address=by, scheme="http", host=b"inner:5600")


@pytest.mark.parametrize("header", FORGED)
def test_without_a_trusted_proxy_no_header_counts(header: tuple[str, str]) -> None:
    assert seen(header, trusted=()) == DIRECT


def test_the_unix_socket_is_trusted_by_its_name_alone() -> None:
    assert seen(FORGED[1], by=None).address == "unix"
    assert seen(FORGED[1], by=None, trusted=("unix",)).address == "127.0.0.1"
    assert seen(FORGED[1], by=PROXY, trusted=("unix",)).address == PROXY


def test_a_trusted_proxy_names_the_client_and_the_host() -> None:
    said = ("Forwarded", f'for={CLIENT};by=10.0.0.1;proto=https;host="days.example:8443"')

    assert seen(said) == RequestOrigin(address=CLIENT, scheme="https", host=b"days.example:8443")


def test_the_older_headers_have_the_same_effect() -> None:
    said = (("X-Forwarded-For", CLIENT), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "days.example:8443"))

    assert seen(*said) == RequestOrigin(address=CLIENT, scheme="https", host=b"days.example:8443")


@pytest.mark.parametrize("header", [("Forwarded", "proto=https"), ("X-Forwarded-Proto", "https")])
def test_what_a_proxy_leaves_out_is_as_it_came(header: tuple[str, str]) -> None:
    assert seen(header) == RequestOrigin(address=PROXY, scheme="https", host=b"inner:5600")


def test_a_proxy_without_a_forwarding_header_is_the_client_itself() -> None:
    assert seen() == DIRECT


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (f"for={CLIENT}", CLIENT),
        (f"For={CLIENT}", CLIENT),
        (f'for="{CLIENT}"', CLIENT),
        (f'for="{CLIENT}:4711"', CLIENT),
        (f'for="{CLIENT}:_port"', CLIENT),
        ('for="[2001:db8:cafe::17]"', "2001:db8:cafe::17"),
        ('for="[2001:DB8:cafe::17]:4711"', "2001:db8:cafe::17"),
        ('for="[::ffff:198.51.100.7]:4711"', CLIENT),
        (f"for={CLIENT}, for=10.0.0.2", CLIENT),
        (f"for=203.0.113.9, for={CLIENT}, for=10.0.0.2, for=10.0.0.3", CLIENT),
        (f"for=127.0.0.1, for={CLIENT}", CLIENT),
        (f" for={CLIENT} ; proto=http ,, ", CLIENT),
        ("for=10.0.0.9, for=10.0.0.2", "10.0.0.9"),
        ("for=unknown", PROXY),
        ("for=_hidden", PROXY),
        ('for="_hidden:80"', PROXY),
        (f"for={CLIENT}, for=unknown", PROXY),
        (f"for={CLIENT}, for=_hidden, for=10.0.0.2", PROXY),
        (f'secret="a, for=1.2.3.4";for={CLIENT}', CLIENT),
        (f'secret="\\", for=1.2.3.4";for={CLIENT}', CLIENT),
    ],
)
def test_the_nearest_address_that_is_not_a_proxy_of_ours_is_the_client(value: str, expected: str) -> None:
    assert address(("Forwarded", value)) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (CLIENT, CLIENT),
        (f"{CLIENT}:4711", CLIENT),
        ("2001:db8::17", "2001:db8::17"),
        ("[2001:db8::17]:4711", "2001:db8::17"),
        (f"127.0.0.1, {CLIENT}", CLIENT),
        (f"127.0.0.1,{CLIENT},10.0.0.2 , 10.0.0.3", CLIENT),
        ("unknown", PROXY),
        (f"{CLIENT}, unknown", PROXY),
        ("10.0.0.9, 10.0.0.2", "10.0.0.9"),
        (f"{CLIENT}, ", PROXY),
        ("localhost", PROXY),
        (f"{CLIENT} evil", PROXY),
        (f'"{CLIENT}"', PROXY),
        ("198.51.100.007", PROXY),
        ("198.51.100", PROXY),
        (f"{CLIENT}:port", PROXY),
        ("[2001:db8::17", PROXY),
    ],
)
def test_the_same_in_the_older_form(value: str, expected: str) -> None:
    assert address(("X-Forwarded-For", value)) == expected


def test_several_lines_are_one_list() -> None:
    assert address(("Forwarded", "for=127.0.0.1"), ("Forwarded", f"for={CLIENT}")) == CLIENT
    assert address(("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-For", f"{CLIENT}, 10.0.0.2")) == CLIENT


@pytest.mark.parametrize(
    "value",
    [
        "",
        "for",
        "for=",
        f"for={CLIENT};for=127.0.0.1",
        f"for={CLIENT} proto=https",
        f"for = {CLIENT}",
        'for="[2001:db8::17"',
        "for=[2001:db8::17]",
        f'for="{CLIENT}',
        f"for={CLIENT};proto=https;host=a b",
        f"for={CLIENT};;=",
        "for=1.2.3.4, for=a=b",
        ",",
        ";",
        '"',
        "for=\x00",
        "for=é",
        "," * 5000,
        ", ".join([f"for={PROXY}"] * 40),
    ],
)
def test_what_cannot_be_read_is_ignored(value: str) -> None:
    assert seen(("Forwarded", value)) == DIRECT


def test_what_a_client_has_broken_does_not_hide_it() -> None:
    assert address(("Forwarded", f"for=???, for={CLIENT}")) == CLIENT
    assert address(("Forwarded", f'for="1.2.3.4, for={CLIENT}')) == PROXY


@pytest.mark.parametrize("host", ["a b", "a/b", "user@a", "a:b", "a,b", "", "a:123456", "é", "[a", "a, b"])
def test_a_host_that_is_none_is_ignored(host: str) -> None:
    assert seen(("X-Forwarded-Host", host)).host == b"inner:5600"
    assert seen(("Forwarded", f'host="{host}"')).host == b"inner:5600"


@pytest.mark.parametrize("proto", ["ftp", "https, http", "https ;", "", "httpss"])
def test_a_scheme_that_is_none_is_ignored(proto: str) -> None:
    assert seen(("X-Forwarded-Proto", proto)).scheme == "http"


def test_scheme_and_host_are_those_of_the_first_of_our_proxies() -> None:
    outer = f"for={CLIENT};proto=https;host=days.example"

    assert seen(("Forwarded", f"{outer}, for=10.0.0.2;proto=http;host=inner")) == RequestOrigin(
        address=CLIENT, scheme="https", host=b"days.example"
    )


@pytest.mark.parametrize(
    "forged",
    [
        "for=127.0.0.1",
        f"for={CLIENT};host=localhost",
        f"for=127.0.0.1, for={CLIENT};proto=https;host=days.example",
        "nonsense",
    ],
)
def test_two_forms_that_contradict_each_other_are_both_ignored(forged: str) -> None:
    # A proxy that writes the older form passes `Forwarded` on as the client sent it.
    written = (("X-Forwarded-For", CLIENT), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "days.example"))

    assert seen(*written, ("Forwarded", forged)) == DIRECT


def test_two_forms_that_say_the_same_are_believed() -> None:
    written = (("X-Forwarded-For", CLIENT), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "days.example"))

    assert seen(*written, ("Forwarded", f"for={CLIENT};proto=https;host=days.example")).address == CLIENT


def test_an_open_quote_of_the_caller_does_not_hide_what_the_proxy_appended() -> None:
    # Parsed leniently, the caller's `host` would count: the quote swallows the start of the proxy's element.
    forged, appended = 'for=x;host=evil.example;proto=https;by="a', f'for="{CLIENT}:80";proto=http'

    assert seen(("Forwarded", f"{forged}, {appended}")) == DIRECT


@pytest.mark.parametrize("hosts", [(), (b"a", b"b"), (b"a", b"a")])
def test_no_host_or_two_are_none(hosts: tuple[bytes, ...]) -> None:
    headers = [(b"host", host) for host in hosts]

    assert Peers().origin(CLIENT, headers, scheme="https") == RequestOrigin(address=CLIENT, scheme="https", host=None)


def test_an_address_in_the_newer_form_of_the_older_is_the_same() -> None:
    assert seen(("X-Forwarded-For", CLIENT), by="::ffff:10.0.0.1").address == CLIENT
    assert seen(by="::ffff:198.51.100.7").address == CLIENT


@given(st.text(max_size=200), st.sampled_from(["Forwarded", "X-Forwarded-For", "X-Forwarded-Host"]))
def test_whatever_a_proxy_sends_something_is_seen(value: str, name: str) -> None:
    found = seen((name, value.encode("utf-8", "replace").decode("latin-1")))

    assert found.address
    assert found.host is not None


@given(st.ip_addresses(), st.text(st.sampled_from('for=1.2,;:"[] _unkow'), max_size=60))
def test_nothing_before_the_last_element_changes_who_it_was(client: object, forged: str) -> None:
    text = str(client)
    node = f'"[{text}]"' if ":" in text else text
    expected = address(("Forwarded", f"for={node}"))

    # A quote that is left open would swallow what follows; then the proxy itself it is, and never what was forged.
    assert address(("Forwarded", forged), ("Forwarded", f"for={node}")) in (expected, PROXY)


@pytest.mark.parametrize("peer", ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "10.0.0.1", "10.0.0.255", None])
def test_only_trusted_admits_proxies_and_this_machine(peer: str | None) -> None:
    assert Peers(["10.0.0.0/24"], only_trusted=True).admits(peer)


@pytest.mark.parametrize("peer", ["10.0.1.1", CLIENT, "::2", "fd00::1", "::ffff:10.0.1.1", "", "nonsense"])
def test_only_trusted_admits_no_other_client(peer: str) -> None:
    assert not Peers(["10.0.0.0/24"], only_trusted=True).admits(peer)
    assert Peers(["10.0.0.0/24"]).admits(peer)


@pytest.mark.parametrize("name", ["10.0.0.1", "10.0.0.0/8", "fd00::/8", "::1", "unix"])
def test_addresses_and_networks_can_be_trusted(name: str) -> None:
    Peers([name])


@pytest.mark.parametrize(
    "name", ["", "proxy.lan", "10.0.0.1/24", "10.0.0", "10.0.0.0/33", "0.0.0.0/0", "::/0", "*", "10.0.0.1:80"]
)
def test_anything_else_is_rejected_by_its_setting(name: str) -> None:
    with pytest.raises(Invalid, match="trusted_proxies") as caught:
        Peers([name])

    assert caught.value.field == "server.trusted_proxies"
