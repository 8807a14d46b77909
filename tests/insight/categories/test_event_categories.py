"""Events have the category that their time has in summaries, in every view: timelines, searches and explanations."""

from itertools import count
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.insight.active.layers import devices_of
from dayline.insight.categories.explain import explain_category
from dayline.insight.categories.model import Explanation
from dayline.insight.categories.tasks import EventToExplain, ExplainTask
from dayline.insight.now.buckets import layer_of
from dayline.insight.now.model import Layer
from dayline.insight.request import CommonRequest, Scope, parse_filter
from dayline.insight.search.model import SearchRequest
from dayline.insight.search.search import search
from dayline.insight.summary.model import SummaryRequest
from dayline.insight.summary.summary import summary_of
from dayline.insight.timeline.model import TimelineRequest
from dayline.insight.timeline.task import timeline_answer
from dayline.model.category import UNCATEGORIZED, Category, ClassicRule, Condition, Path
from dayline.model.time import SECOND, parse_timestamp
from tests.insight.worlds import CATEGORIES, Drawn, worlds
from tests.support.query.tables import MemorySource, StoredEvent

NOON = parse_timestamp("2026-03-05T12:00:00Z")
MINUTE = 60 * SECOND
WINDOWS, TABS, FILES = "aw-watcher-window", "aw-watcher-web-firefox", "aw-watcher-vscode"
# Rules as the existing web UI writes them: it looks for them in windows alone.
PLAIN = (
    Category(id=1, name=("Work", "Code"), rule=ClassicRule(regex="^Code$|GitHub")),
    Category(id=2, name=("Media",), rule=ClassicRule(regex="YouTube")),
)
DOCS = Category(id=3, name=("Work", "Docs"), conditions=(Condition(field="domain", op="is", value="docs.example"),))
CODE, MEDIA = ("Work", "Code"), ("Media",)


def lane(*events: tuple[float, float, dict[str, Any]]) -> list[StoredEvent]:
    """Events from one minute to another."""
    return [
        (NOON + round(start * MINUTE), round((end - start) * MINUTE), data, next(_ids)) for start, end, data in events
    ]


_ids = count(1)
BUCKETS = {
    WINDOWS: lane(
        (0, 10, {"app": "Firefox", "title": "Pull request · GitHub — Firefox"}),
        (10, 20, {"app": "Code", "title": "main.py"}),
        (20, 30, {"app": "Firefox", "title": "Docs — Firefox"}),
        (30, 40, {"app": "Firefox", "title": "Cats - YouTube — Firefox"}),
    ),
    TABS: lane(
        (0, 10, {"url": "https://code.example/1", "title": "Pull request"}),
        (12, 18, {"url": "https://video.example/1", "title": "Dogs - YouTube"}),  # behind Code
        (20, 30, {"url": "https://docs.example/1", "title": "Docs"}),
        (30, 40, {"url": "https://video.example/2", "title": "Cats"}),
    ),
    FILES: lane((11, 19, {"file": "/src/main.py", "project": "dayline", "language": "python"})),
}
TYPES = {WINDOWS: "currentwindow", TABS: "web.tab.current", FILES: "app.editor.activity"}
SOURCE = MemorySource(BUCKETS, dict.fromkeys(BUCKETS, "laptop"), TYPES)


def common_of(categories: tuple[Category, ...], **more: Any) -> CommonRequest:
    scope = Scope(now=NOON + 60 * MINUTE, categories=categories)
    return replace(CommonRequest(scope=scope, start=NOON - MINUTE, end=NOON + 60 * MINUTE), **more)


def in_timeline(source: MemorySource, common: CommonRequest, bucket: str) -> dict[int, Path]:
    """The category of each event, by its id, as a timeline shows it."""
    answer = timeline_answer(TimelineRequest(common=common, px=10_000, buckets=(bucket,)), source)
    [shown] = answer.lanes
    return {number: answer.categories[cat] for number, cat in zip(shown.id, shown.cat, strict=True) if number}


def in_search(source: MemorySource, common: CommonRequest, bucket: str) -> dict[int, Path]:
    request = SearchRequest(scope=common.scope, q=f"bucket:{bucket}", group="none", limit=500)
    answer = search(request, source)
    return {hit.event.id: tuple(hit.category) for hit in answer.hits}


def explained(source: MemorySource, common: CommonRequest, **asked: Any) -> Explanation:
    task = ExplainTask(common=common, **asked)
    return explain_category(task, source)


def in_explanations(
    source: MemorySource, common: CommonRequest, bucket: str, events: list[StoredEvent]
) -> dict[int, Path]:
    return {
        number: explained(
            source, common, event=EventToExplain(bucket=bucket, start=start, end=start + duration, data=dict(data))
        ).category
        for start, duration, data, number in events
    }


@pytest.mark.parametrize(
    ("bucket", "expected"),
    [
        (WINDOWS, [CODE, CODE, UNCATEGORIZED, MEDIA]),
        (TABS, [CODE, MEDIA, UNCATEGORIZED, MEDIA]),
        (FILES, [CODE]),
    ],
)
def test_plain_rules_hold_for_tabs_and_files_in_every_view(bucket: str, expected: list[Path]) -> None:
    common = common_of(PLAIN)
    wanted = dict(zip([number for *_, number in BUCKETS[bucket]], expected, strict=True))

    assert in_timeline(SOURCE, common, bucket) == wanted
    assert in_search(SOURCE, common, bucket) == wanted
    assert in_explanations(SOURCE, common, bucket, BUCKETS[bucket]) == wanted


def test_a_window_has_the_category_of_the_tab_that_it_shows() -> None:
    common = common_of((*PLAIN, DOCS))
    shown = list(in_timeline(SOURCE, common, WINDOWS).values())

    assert shown == [CODE, CODE, DOCS.name, MEDIA]
    assert list(in_timeline(SOURCE, common, TABS).values()) == [CODE, MEDIA, DOCS.name, MEDIA]


def test_a_list_of_sites_or_projects_has_the_categories_of_the_timeline() -> None:
    answer = summary_of(SummaryRequest(common=common_of(PLAIN), by=("domain", "project")), SOURCE)

    assert {row.key: row.category for row in answer.lists["domain"]} == {
        "code.example": CODE, "docs.example": UNCATEGORIZED, "video.example": MEDIA,
    }  # fmt: skip
    assert {row.key: row.category for row in answer.lists["project"]} == {"dayline": CODE}


def test_an_explanation_of_an_event_names_the_layer_that_decides() -> None:
    [start, duration, data, _] = BUCKETS[FILES][0]
    event = EventToExplain(bucket=FILES, start=start, end=start + duration, data=dict(data))

    reported = explained(SOURCE, common_of(PLAIN), event=event)

    assert reported.winner is not None
    assert (reported.winner.layer, reported.winner.field, reported.winner.text) == ("window", "app", "Code")
    assert set(reported.data) == {"window", "file"}


def test_a_device_without_window_watchers_is_classified_by_its_tabs() -> None:
    tabs = lane((0, 10, {"url": "https://video.example/", "title": "Cats - YouTube"}))
    source = MemorySource({TABS: tabs}, {TABS: "tablet"}, TYPES)
    common = common_of(PLAIN)
    answer = summary_of(SummaryRequest(common=common, by=("domain",)), source)

    assert list(in_timeline(source, common, TABS).values()) == [MEDIA]
    assert [row.category for row in answer.lists["domain"]] == [MEDIA]


def test_a_filter_on_categories_chooses_by_what_was_in_front() -> None:
    common = common_of(PLAIN, filters=(parse_filter("category:under:Work"),))

    assert len(in_timeline(SOURCE, common, FILES)) == 1
    assert list(in_timeline(SOURCE, common, TABS)) == [BUCKETS[TABS][0][3]]


MIXED = (*CATEGORIES, Category(id=5, name=("Reading",), conditions=(Condition(field="title", op="is", value="Docs"),)))


@settings(max_examples=12, deadline=None)
@given(worlds(annotated=False), st.sampled_from([CATEGORIES, MIXED]))
def test_what_is_explained_of_an_event_or_a_moment_is_what_other_views_show(
    drawn: Drawn, categories: tuple[Category, ...]
) -> None:
    scope = replace(drawn.scope, categories=categories)
    common = replace(drawn.common(-40 * 24, 40 * 24), scope=scope, away="include")  # with whole months, which are kept
    for bucket in drawn.source.buckets():
        layer = layer_of(bucket.type)
        if layer is None:
            continue
        stored = [
            (drawn.base + start, duration, data, number) for start, duration, data, number in drawn.buckets[bucket.id]
        ]
        explanations = in_explanations(drawn.source, common, bucket.id, stored)
        shown = in_timeline(drawn.source, common, bucket.id)
        assert shown == {number: explanations[number] for number in shown}
        assert in_timeline(drawn.source, common, bucket.id) == shown  # from what was kept
        for start, duration, data, number in stored:
            middle = start + duration // 2
            for device, own in _devices_of(drawn, bucket.id):
                moment = replace(common, start=middle, end=middle + 1, devices=(device,))
                reported = explained(drawn.source, moment)
                # Where just this was in front, alone or not, its time has its category.
                if reported.data.get(own) == data and len(_devices_of(drawn, bucket.id)) == 1:
                    assert reported.category == explanations[number]


def _devices_of(drawn: Drawn, bucket: str) -> list[tuple[str, Layer]]:
    """The devices that a bucket belongs to, and what its events are there."""
    found: list[tuple[str, Layer]] = []
    for device in devices_of(drawn.source.buckets()):
        kinds: list[tuple[Layer, tuple[str, ...]]] = [
            ("window", device.windows), ("tab", device.tabs), ("file", device.files),
        ]  # fmt: skip
        for layer, buckets in kinds:
            if bucket in buckets:
                found.append((device.name, layer))
    return found
