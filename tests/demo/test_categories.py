"""The demo's categories: in the shape that web UIs write, and fitting what the demo holds."""

import re
from collections import Counter
from datetime import date
from typing import Any
from urllib.parse import urlsplit

import pytest

from dayline.demo.export import demo_classes
from dayline.demo.history import History
from dayline.insight.categories.suggest import known_app, known_host, known_site


def category_of(data: dict[str, Any], classes: list[dict[str, Any]]) -> tuple[str, ...] | None:
    """The deepest category one of whose patterns is found in a text of the event; of equals the last."""
    texts = [value for value in data.values() if isinstance(value, str)]
    found = [
        tuple(each["name"])
        for each in classes
        if "regex" in each["rule"] and any(re.search(each["rule"]["regex"], text) for text in texts)
    ]
    return max(reversed(found), key=len, default=None)


def test_they_have_the_shape_of_the_setting() -> None:
    classes = demo_classes()

    assert len(classes) == len({tuple(each["name"]) for each in classes}) == len({each["id"] for each in classes})
    for each in classes:
        assert set(each) == {"id", "name", "rule", "data"}
        assert each["rule"] == {"type": "none"} or set(each["rule"]) == {"type", "regex", "ignore_case"}
        assert re.fullmatch("#[0-9a-f]{6}", each["data"]["color"])
    parents = {tuple(each["name"][:-1]) for each in classes if len(each["name"]) > 1}
    assert parents <= {tuple(each["name"]) for each in classes}


@pytest.fixture(scope="module")
def seconds() -> Counter[tuple[str, ...] | None]:
    """The time of a week by category."""
    classes = demo_classes()
    found: Counter[tuple[str, ...] | None] = Counter()
    for bucket in History(seed=7, days=7, devices=3, end=date(2026, 3, 31)).buckets():
        if bucket.type == "currentwindow":
            for event in bucket.events():
                found[category_of(dict(event.data), classes)] += event.duration
    return found


def test_nearly_all_time_has_a_category(seconds: Counter[tuple[str, ...] | None]) -> None:
    assert seconds[None] < 0.1 * seconds.total()


def test_every_category_with_a_rule_has_some_time(seconds: Counter[tuple[str, ...] | None]) -> None:
    assert {tuple(each["name"]) for each in demo_classes() if "regex" in each["rule"]} <= seconds.keys()


def test_four_fifths_of_the_time_in_apps_and_on_sites_is_sorted_by_known_names() -> None:
    time: Counter[bool] = Counter()
    for bucket in History(seed=7, days=7, devices=3, end=date(2026, 3, 31)).buckets():
        for event in bucket.events():
            data = dict(event.data)
            if bucket.type == "currentwindow" and data["app"] not in {"Firefox", "Google Chrome", "Chrome"}:
                time[known_app(str(data["app"])) is not None] += event.duration
            elif bucket.type == "web.tab.current":
                host = urlsplit(str(data["url"])).hostname or ""
                time[(known_site(host) or known_host(host)) is not None] += event.duration

    assert time[True] > 0.8 * time.total()
