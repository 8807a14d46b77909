"""Lists of events that are likely to be awkward."""

import random
from typing import Any

from hypothesis import strategies as st

from tests.query.reference.events import Event, by_start
from tests.support.query.tables import SECOND

KEYS = ["app", "title", "url", "n", "$category", "$domain", "ключ"]
STRINGS = [
    "", "a", "A", "b", "1", "true", "null", "not-afk", "(3) foo", "(12)  ● x", "* (3) foo", "FPS:  60.5 *", "● (1) y",
    "ü \u2028", '\x00\x1f\n"\\', "слово", "a\n",
]  # fmt: skip
URLS = [
    "http://www.site.org/p;v=1?q=1#f", "https://u:p@Sub.Site.org:8080", "file:///docs/a.pdf", "about:blank",
    "http://www.www.x.org/", "http://[::1]:80/x", "www.foo.org", "https://bücher.example/ä?ö#ü",
]  # fmt: skip
OTHERS: list[Any] = [
    None, True, False, 0, 1, 1.0, -0.0, 2.5, 10**20, 1e20, [], [1], [1.0], [True], ["a"], ["Work"], ["Work", "Code"],
    {}, {"k": 1}, {"k": 1.0}, {"k": {"deep": [1, {"x": None}]}},
]  # fmt: skip
VALUES = [*STRINGS, *URLS, *OTHERS]


def _datas() -> list[dict[str, Any]]:
    """Few that are often there, so that neighbors are often equal, and some of everything."""
    common: list[dict[str, Any]] = [
        {}, {"app": "a"}, {"app": "b"}, {"app": 1}, {"app": 1.0}, {"app": True}, {"app": "a", "title": "(3) foo"},
        {"app": "a", "title": "● (1) y"}, {"title": "● (1) y"}, {"app": "a", "$category": ["Work"]},
    ]  # fmt: skip
    dice = random.Random(7)
    rare = [{key: dice.choice(VALUES) for key in dice.sample(KEYS, dice.randint(1, 4))} for _ in range(200)]
    sites = [{"url": url, "title": dice.choice(STRINGS)} for url in URLS for _ in range(4)]
    return [*common * 20, *rare, *sites]


# Whole and half seconds, and a microsecond beside them, so that gaps are often as long as a pulsetime.
_BESIDE = [0, 0, 0, 0, 1, -1, SECOND // 2]
_MOMENTS = [seconds * SECOND + beside for seconds in range(1, 40) for beside in _BESIDE]
_DURATIONS = [seconds * SECOND + beside for seconds in range(-1, 12) for beside in _BESIDE]
_DATAS = _datas()


def _event(when: int, what: int) -> Event:
    start, duration = divmod(when, len(_DURATIONS))
    number, data = divmod(what, len(_DATAS))
    return Event(_MOMENTS[start], _DURATIONS[duration], _DATAS[data], number or None)


keys = st.sampled_from(KEYS)
values = st.sampled_from(VALUES)
pulsetimes = st.sampled_from([5.0, 5.0, 0.0, 0.000001, 1.0, 2.5, 4.999999, 1e15])
# Two numbers an event and not one for each of its parts: drawing takes most of the time of these tests.
single_events = st.builds(
    _event, st.integers(0, len(_MOMENTS) * len(_DURATIONS) - 1), st.integers(0, 5 * len(_DATAS) - 1)
)
event_lists = st.lists(single_events, max_size=12)
ascending_lists = event_lists.map(by_start)


@st.composite
def event_parts(draw: st.DrawFn, max_size: int = 12) -> list[list[Event]]:
    """Events in one, two or three parts, each of which will have a dictionary of its own."""
    events = draw(st.lists(single_events, max_size=max_size))
    if draw(st.booleans()):
        events = by_start(events)
    size = draw(st.sampled_from([max_size, 6, 4]))
    return [events[first : first + size] for first in range(0, len(events), size)]


patterns = st.sampled_from(
    ["a", "^$", "", "foo|bar", "(?i)A", r"\bx\b", r"\(\d+\)", r"(o)\1", r"(?<=\) )f", "[a-z]+$", "ü", r"\w", r"\s$"]
)


@st.composite
def rules(draw: st.DrawFn) -> dict[str, Any]:
    """A rule of categorize or tag."""
    rule: dict[str, Any] = {"type": draw(st.sampled_from(["regex", "regex", "regex", "none"])), "regex": draw(patterns)}
    if draw(st.booleans()):
        rule["ignore_case"] = draw(st.booleans())
    if draw(st.booleans()):
        rule["select_keys"] = draw(st.lists(keys, min_size=1, max_size=3))
    if draw(st.booleans()):
        rule["priority"] = float(draw(st.integers(0, 30)))
    return rule


_categories = st.lists(st.sampled_from(["Work", "Code", "Uncategorized", "Музыка"]), max_size=3)
_tags = st.sampled_from(["x", "y", "ä"])
category_classes: st.SearchStrategy[list[Any]] = st.lists(st.tuples(_categories, rules()).map(list), max_size=5)
tag_classes: st.SearchStrategy[list[Any]] = st.lists(st.tuples(_tags, rules()).map(list), max_size=5)
