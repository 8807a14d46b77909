"""The colors of categories and projects: one rule, which the page and terminals get from the API."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from dayline.cli.calls.call import LocalServer
from dayline.cli.options.view import palette_of
from dayline.insight.categories.colors import HUES, OTHER_NAMES, category_colors, check_color, project_colors
from dayline.model.category import PALETTE, Category
from dayline.model.errors import Invalid
from tests.support.project.files import ROOT
from tests.support.server import RunningServer

ACCEPTED = [*PALETTE, "#fa0", "#FFFF66", "#000000", "#ffffff", "#3f7fbf"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    with RunningServer(tmp_path_factory.mktemp("colors") / "days.db") as server:
        yield server


class _Calls:
    """The calls of a command, made to a server of the test."""

    def __init__(self, server: RunningServer) -> None:
        self._server = server

    def call(self, method: str, path: str) -> Any:
        return self._server.call(method, path).json


# The terminal knew #rgb and #rrggbb only: a name of the palette, which the API accepts, was dropped.
def test_page_and_terminal_show_the_same_color_for_every_accepted_name(server: RunningServer) -> None:
    for name in ACCEPTED:
        check_color(name, "color")
    put = {"categories": [{"name": [name], "color": name} for name in ACCEPTED]}
    assert server.call("PUT", "/api/1/categories", put).status == 200

    found = server.get("/api/1/categories").json
    calls: Any = _Calls(server)
    terminal: LocalServer = calls
    palette = palette_of(terminal)

    assert [each["color"] for each in found["categories"]] == ACCEPTED
    for name, shown in zip(ACCEPTED, found["colors"], strict=True):
        assert palette.color((name,)) == shown["terminal"]
        assert shown["light"] == project_colors([name])[0].light


@pytest.mark.parametrize(("other", "own"), OTHER_NAMES.items())
def test_a_name_that_another_program_has_written_is_shown_as_one_of_the_palette(other: str, own: str) -> None:
    assert project_colors([other]) == project_colors([own])


def test_projects_have_colors_in_their_order(server: RunningServer) -> None:
    given = {"projects": [{"name": "A"}, {"name": "B", "color": "rose"}, {"name": "C"}]}
    server.call("PUT", "/api/1/projects", given)

    colors = server.get("/api/1/projects").json["colors"]

    assert [each["dark"] for each in colors] == [HUES["blue"][1], HUES["rose"][1], HUES["teal"][1]]


@pytest.mark.parametrize("theme", ["light", "dark", "terminal"])
def test_every_color_is_visible_on_its_background(theme: str) -> None:
    names = [*((name,) for name in PALETTE), *((name, str(number)) for name in PALETTE for number in range(8))]
    tree = [Category(id=number, name=name) for number, name in enumerate(names)]
    odd = [Category(id=100 + number, name=(color,), color=color) for number, color in enumerate(ACCEPTED)]
    grounds = {"light": ["#ffffff"], "dark": ["#171b22"], "terminal": ["#ffffff", "#000000"]}[theme]

    shown = [getattr(each, theme) for each in category_colors([*tree, *odd])]

    assert [each for each in shown if min(contrast(each, ground) for ground in grounds) < 2.95] == []


def test_a_category_without_a_color_has_a_variation_of_the_one_above_it() -> None:
    names = [("Work",), ("Work", "Code"), ("Work", "Docs"), ("Media",)]
    work, code, docs, media = (each.light for each in category_colors([category(*name) for name in names]))

    assert work == HUES["blue"][0]
    assert media == HUES["bronze"][0]
    assert len({work, code, docs}) == 3


def test_what_is_not_a_color_counts_as_none() -> None:
    with pytest.raises(Invalid, match="is not a color"):
        check_color("javascript:alert(1)", "color")

    odd = Category(id=1, name=("Odd",), color="javascript:alert(1)")
    assert category_colors([odd]) == category_colors([category("Odd")])


def test_the_styles_of_the_page_have_the_same_palette() -> None:
    css = (ROOT / "webui" / "src" / "app.css").read_text("utf-8")
    found = re.findall(r"--category-\d: light-dark\((#\w+), (#\w+)\)", css)

    assert found == list(HUES.values())


def category(*name: str) -> Category:
    return Category(id=0, name=name)


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(color: str) -> float:
    parts = [int(color[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
