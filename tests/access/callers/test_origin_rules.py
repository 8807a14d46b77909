"""Which pages may call from a browser, and what they may do (protocol 2.5)."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from dayline.access.origins import OriginRules, Standing, is_foreign_load, own_origin
from dayline.model.errors import Invalid

OFFICIAL = "chrome-extension://nglaklhklhcoonedhgnpgddginnjdadi"


def standing(origin: str, *, is_testing: bool = False) -> Standing:
    return OriginRules(port=5600, is_testing=is_testing).standing(origin)


@pytest.mark.parametrize("origin", ["http://127.0.0.1:5600", "http://localhost:5600", "http://[::1]:5600"])
def test_own_pages_are_trusted(origin: str) -> None:
    assert standing(origin) is Standing.TRUSTED


@pytest.mark.parametrize(
    "origin", ["moz-extension://c3a5b7d0-3e1f-4b8e-9c57-2f5f8d9f0c11", "moz-extension://x", OFFICIAL]
)
def test_known_extensions_may_only_append(origin: str) -> None:
    assert standing(origin) is Standing.APPEND_ONLY


def test_everything_else_is_foreign(subtests: pytest.Subtests) -> None:
    for origin in [
        "",
        "null",
        "*",
        "http://localhost",
        "http://localhost:5601",
        "http://localhost:56000",
        "http://localhost:5600/",
        "http://localhost:5600.evil.example",
        "https://localhost:5600",
        "http://evil.example",
        "http://evil.example:5600",
        "http://evil.localhost:5600",
        "http://localhost:5600@evil.example",
        "http://localhost.evil.example",
        "http://localhost.evil.example:5600",
        "http://evil.example/http://localhost:5600",
        "http://evil.example?http://localhost:5600",
        "http://evil.example#http://localhost:5600",
        "http://user@localhost:5600",
        "http://localhost:5600, http://localhost:5600",
        "http://localhost:05600",
        "http://localhost.:5600",
        "HTTP://LOCALHOST:5600",
        " http://localhost:5600",
        "http://localhost:5600 ",
        "http://localhost:5600\t",
        "Null",
        "http://127.0.0.1:27180",
        "http://localhost:27180",
        "xmoz-extension://abc",
        "moz-extension://",
        "moz-extension://abc/",
        "moz-extension://abc/def",
        "moz-extension://abc evil",
        "moz-extension://abc\n",
        "http://evil.example/moz-extension://abc",
        "MOZ-EXTENSION://abc",
        f"{OFFICIAL}x",
        f"{OFFICIAL}.evil.example",
        f"x{OFFICIAL}",
        f"{OFFICIAL}\n",
        "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh",
        "file://",
    ]:
        with subtests.test(origin=origin):
            assert standing(origin) is Standing.FOREIGN


@pytest.mark.parametrize("origin", ["http://127.0.0.1:27180", "http://localhost:27180"])
def test_development_server_is_trusted_in_testing_mode_only(origin: str) -> None:
    assert standing(origin, is_testing=True) is Standing.TRUSTED
    assert standing(origin) is Standing.FOREIGN


def test_any_chrome_extension_may_append_in_testing_mode_only() -> None:
    origin = "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh"

    assert standing(origin, is_testing=True) is Standing.APPEND_ONLY
    assert standing(origin) is Standing.FOREIGN


def test_configured_origin_is_trusted_exactly() -> None:
    rules = OriginRules(port=5600, trusted=["https://days.example"])

    assert rules.standing("https://days.example") is Standing.TRUSTED
    assert rules.standing("https://days.example.evil.org") is Standing.FOREIGN
    assert rules.standing("https://days.example:8443") is Standing.FOREIGN


def test_extension_listed_as_trusted_may_do_everything() -> None:
    rules = OriginRules(port=5600, trusted=[OFFICIAL])

    assert rules.standing(OFFICIAL) is Standing.TRUSTED


@pytest.mark.parametrize(
    "origin",
    ["http://a.example.com.evil.org", "xhttp://a.example.com", "http://a.example.com\n", "http://a.example.com:1/"],
)
def test_configured_pattern_matches_whole_origins_only(origin: str) -> None:
    rules = OriginRules(port=5600, patterns=[r"http://[a-z]+\.example\.com"])

    assert rules.standing("http://a.example.com") is Standing.TRUSTED
    assert rules.standing(origin) is Standing.FOREIGN


def test_alternatives_in_a_pattern_are_anchored_too() -> None:
    rules = OriginRules(port=5600, patterns=["http://a.example|http://b.example"])

    assert rules.standing("http://b.example") is Standing.TRUSTED
    assert rules.standing("http://a.example.evil.org") is Standing.FOREIGN
    assert rules.standing("http://evil.org/http://b.example") is Standing.FOREIGN


def test_pattern_that_is_no_regular_expression_is_reported_by_its_setting() -> None:
    with pytest.raises(Invalid, match="origin_patterns") as caught:
        OriginRules(port=5600, patterns=["http://("])

    assert caught.value.field == "access.origin_patterns"


OWN = ["http://127.0.0.1:5600", "http://localhost:5600", "http://[::1]:5600"]
LISTED = ["https://days.example", "chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh"]
RULES = OriginRules(port=5600, is_testing=True, trusted=LISTED, patterns=[r"http://[a-z]+\.example\.com"])
ALLOWED = [*OWN, *LISTED, "http://a.example.com", "http://127.0.0.1:27180", "http://localhost:27180"]


@pytest.mark.parametrize("origin", ALLOWED)
def test_every_allowed_origin_is_trusted(origin: str) -> None:
    assert RULES.standing(origin) is Standing.TRUSTED


@pytest.mark.parametrize("origin", [*ALLOWED, OFFICIAL])
def test_a_beginning_or_an_end_of_an_allowed_origin_is_foreign(origin: str) -> None:
    assert [
        part
        for cut in range(1, len(origin))
        for part in (origin[:cut], origin[cut:])
        # Shorter names that fit the pattern, and shorter ids, are origins of their own.
        if RULES.standing(part) is not Standing.FOREIGN and not part.startswith("chrome-extension://")
    ] == []


@given(st.sampled_from([*ALLOWED, OFFICIAL]), st.text(min_size=1, max_size=20), st.booleans())
def test_nothing_can_be_put_before_or_behind_an_allowed_origin(origin: str, piece: str, is_before: bool) -> None:
    other = f"{piece}{origin}" if is_before else f"{origin}{piece}"
    assume(not (other.startswith("chrome-extension://") and "/" not in piece and not set(piece) & set(" \t\n")))

    assert RULES.standing(other) is not Standing.TRUSTED


@given(st.sampled_from([*ALLOWED, OFFICIAL, "moz-extension://x"]), st.data())
def test_letters_of_the_other_case_make_it_another_origin(origin: str, data: st.DataObject) -> None:
    letters = [place for place, letter in enumerate(origin) if letter.swapcase() != letter]
    place = data.draw(st.sampled_from(letters))
    other = f"{origin[:place]}{origin[place].swapcase()}{origin[place + 1 :]}"
    assume("extension://" not in other[:place])  # what follows may be any id of an extension

    assert RULES.standing(other) is Standing.FOREIGN


@given(st.sampled_from(OWN), st.integers(0, 99999))
def test_another_port_is_another_origin(origin: str, port: int) -> None:
    assume(port not in (5600, 27180))

    assert RULES.standing(f"{origin.rpartition(':')[0]}:{port}") is Standing.FOREIGN


@given(st.text(max_size=60))
def test_what_is_no_origin_is_foreign(text: str) -> None:
    assume("://" not in text)

    assert RULES.standing(text) is Standing.FOREIGN


@pytest.mark.parametrize(
    "own", ["https://diary.lan:5600", "https://diary.lan", "http://192.168.1.5:5600", "https://[fd00::7]:5600"]
)
def test_a_page_that_calls_where_it_came_from_is_ours(own: str) -> None:
    rules = OriginRules(port=5600)

    assert rules.standing(own, own=own) is Standing.TRUSTED
    assert rules.standing(own) is Standing.FOREIGN


@pytest.mark.parametrize(
    "origin",
    [
        "http://diary.lan:5600",
        "https://diary.lan",
        "https://diary.lan:5601",
        "https://diary.lan:56000",
        "https://diary.lan.evil.example:5600",
        "https://evil.example",
        "https://diary.lan:5600@evil.example",
        "https://diary.lan:5600/",
        "null",
        "",
    ],
)
def test_a_page_that_came_from_elsewhere_is_not(origin: str) -> None:
    assert OriginRules(port=5600).standing(origin, own="https://diary.lan:5600") is Standing.FOREIGN


def test_the_origin_of_a_request_is_its_scheme_and_its_host() -> None:
    assert own_origin("https", b"Diary.LAN:5600") == "https://diary.lan:5600"


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_a_picture_or_script_on_a_page_elsewhere_is_foreign(site: str) -> None:
    assert is_foreign_load(site, "no-cors")


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
@pytest.mark.parametrize("destination", ["iframe", "frame", "embed", "object"])
def test_a_frame_on_a_page_elsewhere_is_foreign_though_it_navigates(site: str, destination: str) -> None:
    assert is_foreign_load(site, "navigate", destination)
    assert not is_foreign_load("same-origin", "navigate", destination)


@pytest.mark.parametrize(
    ("site", "mode"),
    [
        (None, None),  # not a browser, or an old one
        ("none", "navigate"),  # typed, or a bookmark
        ("none", "no-cors"),
        ("none", "cors"),  # an extension
        ("same-origin", "no-cors"),
        ("same-origin", "cors"),
        ("cross-site", "navigate"),  # a link
        ("cross-site", "cors"),  # has an Origin, which is looked at
    ],
)
def test_what_our_pages_links_and_extensions_load_is_not(site: str | None, mode: str | None) -> None:
    assert not is_foreign_load(site, mode)


@pytest.mark.parametrize(
    ("addresses", "trusted"),
    [
        (["127.0.0.1", "::1"], {"127.0.0.1", "[::1]", "localhost"}),
        # Browsers open localhost at an address that may belong to another user: it was trusted with either of the two.
        (["127.0.0.1"], {"127.0.0.1"}),
        (["0.0.0.0"], {"127.0.0.1"}),
        (["::1"], {"[::1]"}),
        (["::"], {"127.0.0.1", "[::1]", "localhost"}),
        (["127.0.0.2"], {"127.0.0.2"}),
        (["192.168.1.7"], {"192.168.1.7"}),
    ],
)
def test_only_pages_of_addresses_that_the_server_listens_on_are_its_own(
    addresses: list[str], trusted: set[str]
) -> None:
    rules = OriginRules(port=5600, addresses=addresses)
    names = ("127.0.0.1", "localhost", "[::1]", "127.0.0.2", "192.168.1.7")

    assert {name for name in names if rules.standing(f"http://{name}:5600") is Standing.TRUSTED} == trusted
