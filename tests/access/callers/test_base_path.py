"""The path under which a proxy shows the server, taken off what it passes on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.access.origins import base_redirect, normal_base_path, strip_base_path
from dayline.model.errors import Invalid


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ""),
        ("/", ""),
        ("/dayline", "/dayline"),
        ("/dayline/", "/dayline"),
        ("/apps/day-line_2/", "/apps/day-line_2"),
    ],
)
def test_a_base_path_has_a_slash_before_it_and_none_behind(text: str, path: str) -> None:
    assert normal_base_path(text) == path


@pytest.mark.parametrize(
    "text",
    [
        "dayline",
        "https://example.org/dayline",
        "/a//b",
        "/a/../b",
        "/.",
        "/a b",
        "/a?b",
        "/a#b",
        "/a%2Fb",
        "/ä",
        "/a\n",
    ],
)
def test_anything_else_is_rejected_by_its_setting(text: str) -> None:
    with pytest.raises(Invalid, match="base_path") as caught:
        normal_base_path(text)

    assert caught.value.field == "server.base_path"


@pytest.mark.parametrize(
    ("raw_path", "below"),
    [
        ("/dayline/x", "/x"),
        ("/dayline/", "/"),
        ("/dayline", "/"),
        ("/dayline/api/0/buckets/a%2Fb", "/api/0/buckets/a%2Fb"),
        ("/dayline//api", "//api"),
        ("/dayline/dayline/x", "/dayline/x"),
        ("/daylinex", "/daylinex"),
        ("/daylinex/api", "/daylinex/api"),
        ("/day", "/day"),
        ("/api/0/info", "/api/0/info"),
        ("/", "/"),
        ("/Dayline/x", "/Dayline/x"),
        ("/d%61yline/x", "/d%61yline/x"),
        ("//dayline/x", "//dayline/x"),
        ("*", "*"),
    ],
)
def test_the_base_path_is_removed_from_a_path_that_has_it(raw_path: str, below: str) -> None:
    assert strip_base_path(raw_path, "/dayline") == below


@given(st.text())
def test_without_a_base_every_path_stays(raw_path: str) -> None:
    assert strip_base_path(raw_path, "") == raw_path


@given(st.text(st.sampled_from("/abn%.")))
def test_the_path_below_the_base_is_the_requested_path(rest: str) -> None:
    assert strip_base_path(f"/a/b/{rest}", "/a/b") == f"/{rest}"


@pytest.mark.parametrize(
    ("raw_path", "base", "location"),
    [
        ("/dayline", "/dayline", "./dayline/"),
        ("/apps/dayline", "/apps/dayline", "./dayline/"),
        ("/dayline/", "/dayline", None),
        ("/dayline/api", "/dayline", None),
        ("/", "/dayline", None),
        ("/", "", None),
        ("", "", None),
    ],
)
def test_the_base_path_redirects_to_its_slash(raw_path: str, base: str, location: str | None) -> None:
    assert base_redirect(raw_path, base) == location
