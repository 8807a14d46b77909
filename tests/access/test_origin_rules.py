"""Which pages may call from a browser, and what they may do (protocol 2.5)."""

import pytest

from dayline.access.origins import OriginRules, Standing
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


@pytest.mark.parametrize(
    "origin",
    [
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
    ],
)
def test_everything_else_is_foreign(origin: str) -> None:
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


def test_pattern_that_is_no_regular_expression_is_told_by_its_setting() -> None:
    with pytest.raises(Invalid, match="origin_patterns") as caught:
        OriginRules(port=5600, patterns=["http://("])

    assert caught.value.field == "access.origin_patterns"
