"""What is staged of any document is what a plain loop over its events makes of it."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from dayline.model.data import canonical_data
from dayline.model.errors import Invalid
from dayline.model.event import HeartbeatBody, extent_of
from dayline.model.time import month_of
from dayline.runtime.sqlite_file import connect
from dayline.storage.columns.event_columns import extents_of
from dayline.storage.transfer import document_reader, export_document, staging_worker
from dayline.storage.transfer.staging import STAGED_FROM, Staged, StagingRules
from dayline.storage.transfer.staging_worker import stage

Row = tuple[int, int, str]  # start, duration, data

DIGITS = st.text("0123456789", min_size=1, max_size=11)
FRACTIONS = st.just("") | DIGITS.map(".{}".format)
ZONES = st.sampled_from(
    ["Z", "z", "", "+00:00", "-00:00", "+05:30", "-11:45", "+23:59", "+24:00", "+01:60", "+0100", "+02", "-1:00", " Z"]
)
DATES = st.dates().map(str) | st.sampled_from(
    [
        "2024-02-29", "2023-02-29", "2026-04-31", "2026-13-01", "2026-00-10",
        "1970-01-01", "1969-12-31", "2261-12-31", "2262-01-01",
    ]
)  # fmt: skip
CLOCKS = st.times().map(lambda time: time.strftime("%H:%M:%S")) | st.sampled_from(["23:59:60", "24:00:00", "12:60:00"])
FIRST = datetime(1970, 1, 2, tzinfo=UTC)
MOMENTS = st.integers(0, 106_000 * 86_400 * 10**6).map(
    lambda us: (FIRST + timedelta(microseconds=us)).replace(tzinfo=None)
)
USUAL = MOMENTS.flatmap(
    lambda moment: st.sampled_from(
        [
            f"{moment.isoformat(timespec='milliseconds')}Z",
            f"{moment.isoformat(timespec='microseconds')}+00:00",
            f"{moment.isoformat(sep=' ', timespec='seconds')}-03:30",
            f"{moment.isoformat(timespec='microseconds')}789Z",
            f"{moment.isoformat()}+14:00",
        ]
    )
)
TIMESTAMPS = (
    USUAL
    | st.builds("{}{}{}{}{}".format, DATES, st.sampled_from("T t-"), CLOCKS, FRACTIONS, ZONES)
    | DATES
    | st.text(max_size=30)
)
DURATIONS = (
    st.integers(0, 10_000).map(lambda milliseconds: milliseconds / 1000)
    | st.floats(0, 1e6)
    | st.floats(-1e12, 1e12)
    | st.integers(-5, 5).map(lambda halves: halves / 2_000_000)
    | st.integers(-(10**18), 10**18)
    | st.sampled_from([9_214_646_400.0, 9_214_646_400.000001, -9_214_646_400.0, 1e300, -0.0])
)
DATA = st.one_of(
    st.fixed_dictionaries({"n": st.integers(0, 3)}),
    st.dictionaries(st.sampled_from("abü"), st.integers(0, 2) | st.just(1.0) | st.text(max_size=3), max_size=3),
    st.sampled_from([None, [1], "text", 5]),
)
EVENTS = st.fixed_dictionaries({"timestamp": TIMESTAMPS}, optional={"duration": DURATIONS, "data": DATA})
BUCKETS = st.lists(st.lists(EVENTS, max_size=12), min_size=1, max_size=3)


def plain(events: list[Any]) -> tuple[list[Row], int]:
    """The distinct rows of these events in order, and how many events are invalid."""
    rows = list[Row]()
    for event in events:
        try:
            body = msgspec.json.decode(msgspec.json.encode(event), type=HeartbeatBody)
            start, duration = extent_of(body)
            rows.append((start, duration, canonical_data(body.data).decode()))
        except (Invalid, msgspec.ValidationError):
            continue
    return rows, len(events) - len(rows)


def staged(buckets: list[list[Any]], *, indent: int = 0) -> tuple[Staged, list[list[Row]]]:
    """What is staged of a document, and the rows of each bucket."""
    head = {"type": "t", "client": "c", "hostname": "h"}
    text = msgspec.json.encode({"buckets": {f"b{n}": {**head, "events": events} for n, events in enumerate(buckets)}})
    with TemporaryDirectory() as folder:
        document, path = Path(folder, "0.json"), Path(folder, "staged.db")
        document.write_bytes(msgspec.json.format(text, indent=indent))
        result = stage(path, [document], StagingRules()).staged
        assert result is not None
        with closing(connect(path)) as db:
            query = "SELECT row.number, start, duration, json FROM row LEFT JOIN value ON value.number = row.value"
            rows = msgspec.convert(
                db.execute(f"{query} ORDER BY row.number").fetchall(), list[tuple[int, int, int, str]]
            )
    assert [row[0] for row in rows] == list(range(1, len(rows) + 1))
    found = [list[Row]() for _ in buckets]
    for part in result.parts:
        for _, start, duration, json in rows[part.first - 1 : part.last]:
            assert month_of(start + STAGED_FROM) == part.month
            found[part.bucket - 1].append((start + STAGED_FROM, duration, json))
    assert sum(map(len, found)) == len(rows)
    return result, found


def seconds_of(times: list[tuple[str, float]]) -> NDArray[np.float64]:
    return np.array([duration for _, duration in times], np.float64)


@given(st.lists(st.tuples(TIMESTAMPS, DURATIONS), max_size=20))
def test_times_in_columns_are_those_of_one_event_after_the_other(times: list[tuple[str, float]]) -> None:
    bodies = [HeartbeatBody(timestamp, float(duration)) for timestamp, duration in times]

    starts, durations, is_valid = extents_of([timestamp for timestamp, _ in times], seconds_of(times))

    for place, body in enumerate(bodies):
        if is_valid[place]:
            assert extent_of(body) == (starts[place], durations[place])


@given(st.lists(st.tuples(USUAL, st.floats(0, 1e5)), max_size=20))
def test_usual_times_are_parsed_in_columns(times: list[tuple[str, float]]) -> None:
    _, _, is_valid = extents_of([timestamp for timestamp, _ in times], seconds_of(times))

    assert is_valid.all()


@given(BUCKETS, st.sampled_from([-1, 0, 2]))
def test_any_document_is_staged_like_a_plain_loop_would(buckets: list[list[Any]], indent: int) -> None:
    result, found = staged(buckets, indent=indent)

    for events, bucket, rows in zip(buckets, result.buckets, found, strict=True):
        expected, invalid = plain(events)
        assert (bucket.events, bucket.invalid) == (len(expected), invalid)
        assert sorted(rows) == sorted(set(expected))
        assert [start for start, _, _ in rows] == sorted(start for start, _, _ in rows)


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("step_s", [0, 1, 3600 * 24 * 10])
def test_long_runs_in_order_are_staged_in_order(order: int, step_s: int) -> None:
    begin = datetime(2025, 1, 1, tzinfo=UTC)
    events = [
        {"timestamp": (begin + timedelta(seconds=n * step_s)).isoformat(), "duration": n / 3, "data": {"n": n % 7}}
        for n in range(300)
    ]

    result, [rows] = staged([events[::order]])

    assert sorted(rows) == sorted(plain(events)[0])
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)
    assert result.values == 7


def test_values_are_numbered_once_however_they_are_written_or_often_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document_reader, "_REMEMBERED_TEXTS", 20)
    monkeypatch.setattr(staging_worker, "_REMEMBERED_HASHES", 15)
    monkeypatch.setattr(export_document, "BLOCK", 2000)
    data = [{"a": 1, "b": n // 2 % 50} if n % 2 else {"b": n // 2 % 50, "a": 1} for n in range(3000)]
    events = [{"timestamp": f"2026-01-01T10:{n // 60:02}:{n % 60:02}Z", "data": each} for n, each in enumerate(data)]

    result, [first, second] = staged([events, events[:7]])

    assert result.values == 50 + 4
    assert (first, second) == (plain(events)[0], plain(events[:7])[0])
