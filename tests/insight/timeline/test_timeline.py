"""What a timeline shows of buckets: lanes, keys, categories, and where to look when there is nothing."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from dayline.cli.serve.query_process import Answers
from dayline.insight.active.pieces import active_pieces
from dayline.insight.request import CommonRequest, Filter, Scope, parse_filter
from dayline.insight.timeline.model import LaneResponse, TimelineRequest, TimelineResponse
from dayline.insight.timeline.task import timeline_answer
from dayline.model.category import Category, ClassicRule, Condition
from dayline.model.errors import BucketNotFound, Invalid
from dayline.model.time import DAY, SECOND, Microseconds, parse_timestamp
from dayline.query.processes.messages import Task
from tests.insight.reference.timeline import Shown, clipped
from tests.support.query.tables import MemorySource, StoredEvent

NOON = parse_timestamp("2026-03-05T12:00:00Z")
HOUR = 3600 * SECOND
CATEGORIES = (
    Category(id=1, name=("Work", "Code"), rule=ClassicRule(regex="Code|vim")),
    Category(id=2, name=("News",), conditions=(Condition(field="domain", op="is", value="news.example"),)),
)
WINDOW: list[StoredEvent] = [
    (NOON, 10 * SECOND, {"app": "Code", "title": "main.py"}, 1),
    (NOON + 20 * SECOND, 40 * SECOND, {"app": "Firefox", "title": "News"}, 2),
]
TABS: list[StoredEvent] = [(NOON + 20 * SECOND, 40 * SECOND, {"url": "https://news.example/a", "title": "News"}, 3)]
AWAY: list[StoredEvent] = [(NOON, 60 * SECOND, {"status": "not-afk"}, 4)]
BUCKETS = {"tabs": TABS, "window": WINDOW, "phone": WINDOW[:1], "away": AWAY}
TYPES = {"tabs": "web.tab.current", "window": "currentwindow", "phone": "currentwindow", "away": "afkstatus"}
HOSTS = {"tabs": "laptop", "window": "laptop", "phone": "phone", "away": "laptop"}
SOURCE = MemorySource(BUCKETS, HOSTS, TYPES)


def asked(
    start: Microseconds = NOON - HOUR,
    end: Microseconds = NOON + HOUR,
    *,
    px: int = 100,
    buckets: tuple[str, ...] = (),
    color: str | None = None,
    devices: tuple[str, ...] = (),
) -> TimelineRequest:
    scope = Scope(now=NOON, zone="Europe/Berlin", categories=CATEGORIES)
    common = CommonRequest(scope=scope, start=start, end=end, devices=devices)
    return TimelineRequest(common=common, px=px, buckets=buckets, color=color)


def lane_of(answer: TimelineResponse, bucket: str) -> LaneResponse:
    return next(lane for lane in answer.lanes if lane.bucket == bucket)


def shown(answer: TimelineResponse, bucket: str) -> list[str | None]:
    return [answer.keys[key] if key >= 0 else None for key in lane_of(answer, bucket).key]


def starts(lane: LaneResponse, start: Microseconds) -> list[Microseconds]:
    """Where pieces begin, as a client finds out."""
    found: list[Microseconds] = []
    for gap, dur in zip(lane.gap, lane.dur, strict=True):
        found.append(start + gap)
        start += gap + dur
    return found


def test_lanes_of_a_device_stand_together_with_the_window_first() -> None:
    answer = timeline_answer(asked(), SOURCE)

    assert [(lane.device, lane.bucket) for lane in answer.lanes] == [
        ("laptop", "window"), ("laptop", "away"), ("laptop", "tabs"), ("phone", "phone"),
    ]  # fmt: skip


def titles(answer: TimelineResponse, bucket: str) -> list[str | None]:
    return [answer.titles[title] if title >= 0 else None for title in lane_of(answer, bucket).title]


def test_pieces_of_windows_and_tabs_have_their_titles() -> None:
    answer = timeline_answer(asked(), SOURCE)

    assert titles(answer, "window") == ["main.py", "News"]
    assert titles(answer, "tabs") == ["News"]
    assert titles(answer, "away") == [None]


def test_the_title_of_a_merged_piece_is_one_of_the_app_that_it_shows() -> None:
    # Code has most time, though no title of it has as much as that of Firefox.
    events: list[StoredEvent] = [
        (NOON, 4 * SECOND, {"app": "Firefox", "title": "News"}, 1),
        (NOON + 4 * SECOND, 3 * SECOND, {"app": "Code", "title": "main.py"}, 2),
        (NOON + 7 * SECOND, 2 * SECOND, {"app": "Code", "title": "tests.py"}, 3),
    ]
    source = MemorySource({"window": events}, HOSTS, TYPES)

    answer = timeline_answer(asked(px=1), source)

    assert shown(answer, "window") == ["Code"]
    assert titles(answer, "window") == ["main.py"]


def test_the_active_time_of_a_device_has_the_titles_of_its_windows() -> None:
    answer = timeline_answer(replace(asked(), lanes="device"), SOURCE)

    lane = next(lane for lane in answer.lanes if lane.device == "laptop")
    assert [answer.titles[title] for title in lane.title] == ["main.py", "News"]


def test_pieces_begin_and_last_as_the_events_do() -> None:
    lane = lane_of(timeline_answer(asked(), SOURCE), "window")

    assert starts(lane, NOON - HOUR) == [NOON, NOON + 20 * SECOND]
    assert lane.dur == [10 * SECOND, 40 * SECOND]
    assert (lane.id, lane.n, lane.is_exact, lane.events) == ([1, 2], [1, 1], True, 2)


def test_events_are_cut_to_the_range_and_what_ends_at_its_start_is_left_out() -> None:
    answer = timeline_answer(asked(NOON + 10 * SECOND, NOON + 30 * SECOND), SOURCE)

    assert (lane_of(answer, "window").gap, lane_of(answer, "window").dur) == ([10 * SECOND], [10 * SECOND])
    assert (lane_of(answer, "away").gap, lane_of(answer, "away").dur) == ([0], [20 * SECOND])


@pytest.mark.parametrize(
    ("bucket", "expected"),
    [("window", ["Code", "Firefox"]), ("tabs", ["news.example"]), ("away", ["not-afk"]), ("phone", ["Code"])],
)
def test_pieces_show_what_suits_the_type_of_the_bucket(bucket: str, expected: list[str]) -> None:
    assert shown(timeline_answer(asked(), SOURCE), bucket) == expected


def test_color_chooses_what_pieces_show() -> None:
    assert shown(timeline_answer(asked(color="title"), SOURCE), "window") == ["main.py", "News"]
    assert shown(timeline_answer(asked(color="title"), SOURCE), "away") == [None]
    assert shown(timeline_answer(asked(color="category"), SOURCE), "window") == ["Work > Code", "News"]


def test_pieces_have_the_category_of_what_was_in_front_together() -> None:
    answer = timeline_answer(asked(), SOURCE)

    named = {lane.bucket: [answer.categories[cat] if cat >= 0 else None for cat in lane.cat] for lane in answer.lanes}
    assert named["window"] == [("Work", "Code"), ("News",)]
    assert named["tabs"] == [("News",)]
    assert named["away"] == [None]


def test_the_first_short_text_is_shown_if_the_type_is_unknown() -> None:
    data = {"zeal": "yes", "essay": "long " * 100, "count": 5}
    source = MemorySource({"other": [(NOON, SECOND, data, 1)]}, types={"other": "something.else"})

    assert shown(timeline_answer(asked(), source), "other") == ["yes"]


def test_a_lane_of_more_events_than_pixels_has_no_more_pieces_than_pixels() -> None:
    many: list[StoredEvent] = [(NOON + at * SECOND, SECOND, {"app": f"app {at % 7}"}, at + 1) for at in range(3000)]
    source = MemorySource({"window": many}, types={"window": "currentwindow"})

    [lane] = timeline_answer(asked(px=50), source).lanes

    assert len(lane.gap) <= 50
    assert (sum(lane.n), lane.events, lane.is_exact) == (3000, 3000, False)
    assert sum(share * dur for share, dur in zip(lane.cover, lane.dur, strict=True)) == pytest.approx(3000 * SECOND)


@given(
    st.lists(st.tuples(st.integers(0, 90), st.integers(0, 40), st.sampled_from("abc")), max_size=40),
    st.integers(0, 60),
    st.integers(1, 60),
    st.integers(1, 50),
)
def test_what_a_client_adds_up_is_what_was_recorded(
    drawn: list[tuple[int, int, str]], begin: int, length: int, px: int
) -> None:
    events = [Shown(at, at + lasting, key, place + 1) for place, (at, lasting, key) in enumerate(drawn)]
    stored: list[StoredEvent] = [(each.start, each.end - each.start, {"app": each.key}, each.id) for each in events]
    source = MemorySource({"window": stored}, types={"window": "currentwindow"})

    answer = timeline_answer(asked(begin, begin + length, px=px), source)

    [lane] = answer.lanes
    inside = clipped(events, begin, begin + length)
    assert len(lane.gap) <= px
    assert sum(lane.n) == lane.events == len(inside)
    if len(inside) <= px:
        columns = (starts(lane, begin), lane.dur, lane.key, lane.id)
        pieces = [
            Shown(at, at + dur, answer.keys[key], number or 0) for at, dur, key, number in zip(*columns, strict=True)
        ]
        assert (pieces, lane.is_exact) == (inside, True)


def test_chosen_buckets_and_devices_are_the_only_lanes() -> None:
    assert [lane.bucket for lane in timeline_answer(asked(buckets=("away",)), SOURCE).lanes] == ["away"]
    assert [lane.bucket for lane in timeline_answer(asked(devices=("phone",)), SOURCE).lanes] == ["phone"]


def test_a_bucket_that_is_not_there_is_rejected() -> None:
    with pytest.raises(BucketNotFound):
        timeline_answer(asked(buckets=("nowhere",)), SOURCE)


def test_an_empty_range_shows_where_the_nearest_events_are() -> None:
    before = timeline_answer(asked(NOON - 400 * DAY, NOON - 300 * DAY), SOURCE).nearest
    after = timeline_answer(asked(NOON + 300 * DAY, NOON + 400 * DAY), SOURCE).nearest

    assert before is not None
    assert after is not None
    assert (before.before, before.after) == (None, "2026-03-05T13:00:00+01:00")
    assert (after.before, after.after) == ("2026-03-05T13:01:00+01:00", None)


def test_nothing_is_near_where_there_is_something() -> None:
    assert timeline_answer(asked(), SOURCE).nearest is None


def test_a_server_without_buckets_has_no_lanes() -> None:
    answer = timeline_answer(asked(), MemorySource({}))

    assert (answer.lanes, answer.keys, answer.categories) == ([], [], [])
    assert answer.nearest is not None


def test_the_overview_shows_where_there_is_something() -> None:
    answer = timeline_answer(asked(NOON - HOUR, NOON + HOUR, px=10), SOURCE)

    assert [share > 0 for share in answer.overview] == [False] * 5 + [True] + [False] * 4


def test_the_task_reads_and_writes_json() -> None:
    _, body = Answers().answer(Task(name="timeline", request=msgspec.json.encode(asked())), SOURCE)

    assert msgspec.json.decode(b"".join(body), type=TimelineResponse) == timeline_answer(asked(), SOURCE)


def device_lanes(color: str | None = None, filters: tuple[Filter, ...] = ()) -> TimelineResponse:
    common = msgspec.structs.replace(asked().common, filters=filters)
    return timeline_answer(TimelineRequest(common=common, px=100, lanes="device", color=color), SOURCE)


def test_lanes_of_devices_show_their_active_time() -> None:
    answer = device_lanes()

    [laptop] = [lane for lane in answer.lanes if lane.device == "laptop"]
    common = asked().common
    active = active_pieces(SOURCE, common.scope, common.start, common.end, common)
    expected = [pieces for name, pieces in zip(active.devices, active.apart, strict=False) if name == "laptop"]
    assert starts(laptop, NOON - HOUR) == expected[0].start.tolist()
    assert laptop.dur == expected[0].duration.tolist()
    assert (laptop.bucket, laptop.type, set(laptop.id)) == (None, "active", {None})
    assert [answer.keys[key] for key in laptop.key] == ["Code", "Firefox"]
    assert [answer.categories[cat] for cat in laptop.cat] == [("Work", "Code"), ("News",)]


def test_lanes_of_devices_show_what_color_says() -> None:
    answer = device_lanes("category")

    [laptop] = [lane for lane in answer.lanes if lane.device == "laptop"]
    assert [answer.keys[key] for key in laptop.key] == ["Work > Code", "News"]


def test_a_color_that_active_time_does_not_have_is_rejected() -> None:
    with pytest.raises(Invalid):
        device_lanes("shoe_size")


def test_filters_leave_out_what_they_do_not_hold_for() -> None:
    devices = device_lanes(filters=(parse_filter("app:is:Code"),))
    common = msgspec.structs.replace(asked().common, filters=(parse_filter("app:is:Code"),))
    buckets = timeline_answer(TimelineRequest(common=common), SOURCE)

    assert devices.keys == ["Code"]
    assert shown(buckets, "window") == ["Code"]
    assert shown(buckets, "tabs") == ["news.example"]  # has no apps: the filter says nothing of it
    assert shown(buckets, "away") == ["not-afk"]


@pytest.mark.parametrize(
    ("text", "lanes", "window"),
    [
        ("category:under:Work", ["window", "away", "tabs", "phone"], ["Code"]),
        ("category:not:Work/Code", ["window", "away", "tabs", "phone"], ["Firefox"]),
        ("title:has:NEWS", ["window", "away", "tabs", "phone"], ["Firefox"]),
        ("bucket:is:window", ["window"], ["Code", "Firefox"]),
        ("device:not:phone", ["window", "away", "tabs"], ["Code", "Firefox"]),
    ],
)
def test_each_kind_of_filter_holds_for_lanes_of_buckets(text: str, lanes: list[str], window: list[str]) -> None:
    common = msgspec.structs.replace(asked().common, filters=(parse_filter(text),))

    answer = timeline_answer(TimelineRequest(common=common), SOURCE)

    assert [lane.bucket for lane in answer.lanes] == lanes
    assert shown(answer, "window") == window
