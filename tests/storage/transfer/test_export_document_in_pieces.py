"""A document is read in pieces; where a piece ends makes no difference."""

from collections.abc import Sized
from contextlib import suppress
from io import BytesIO
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.model.errors import DaylineError
from dayline.storage.transfer.export_document import ExportDocument
from tests.support.hostile import hostile_texts, linear_time

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=6) | st.sampled_from(
    ['"', "\\", '\\"', "},", "{[", "]}"]
)
DATA = st.dictionaries(
    TEXTS,
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXTS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
        max_leaves=4,
    ),
    max_size=3,
)
EVENTS = st.lists(st.fixed_dictionaries({"timestamp": TEXTS, "data": DATA}), max_size=6)
BUCKETS = st.dictionaries(TEXTS, st.fixed_dictionaries({"type": TEXTS, "events": EVENTS, "data": DATA}), max_size=3)


class Trickle(BytesIO):
    """A file that hands out this many bytes at a time at most."""

    def __init__(self, text: bytes, size: int) -> None:
        super().__init__(text)
        self._most = size

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._most)


def contents(text: bytes, size: int) -> dict[str, Any]:
    """What a reader makes of the document: by bucket the head, and the events as text."""
    found: dict[str, Any] = {}
    events: list[tuple[str, Any]] = []
    document = ExportDocument(Trickle(text, size))
    for key, head in document.read(lambda bodies: events.extend((b.timestamp, bytes(b.data)) for b in bodies)):
        found[key] = head, [(timestamp, msgspec.json.decode(data)) for timestamp, data in events]
        events.clear()
    assert document.invalid == 0
    return found


@given(BUCKETS, st.integers(1, 60), st.sampled_from([None, 1]))
def test_any_document_is_read_the_same_in_pieces_of_any_size(
    buckets: dict[str, Any], size: int, indent: int | None
) -> None:
    text = msgspec.json.encode({"a": [1], "buckets": buckets, "z": "}"})
    if indent:
        text = msgspec.json.format(text, indent=indent)

    assert contents(text, size) == {
        key: (
            {"type": bucket["type"], "data": bucket["data"]},
            [(event["timestamp"], event["data"]) for event in bucket["events"]],
        )
        for key, bucket in buckets.items()
    }


@pytest.mark.parametrize("size", range(1, 40))
def test_small_pieces_never_hide_an_event(size: int) -> None:
    events = [{"timestamp": f"t{number}", "data": {"n": [number, {"m": "},{"}]}} for number in range(20)]
    text = msgspec.json.encode({"buckets": {"x": {"type": "t", "events": events}}})

    [(_, found)] = contents(text, size).values()

    assert [timestamp for timestamp, _ in found] == [event["timestamp"] for event in events]


@pytest.mark.parametrize("escapes", [999, 1000, 1001, 2000, 2001])
@pytest.mark.parametrize("size", [7, 1 << 20])
def test_texts_with_more_escapes_than_are_taken_at_once_are_read_whole(escapes: int, size: int) -> None:
    events = [
        {
            "timestamp": "t",
            "data": {"text": '"\\' * escapes, "},{": [["}"] * escapes], **{str(n): n for n in range(escapes)}},
        }
    ] * 3
    text = msgspec.json.encode({"buckets": {'"' * escapes: {"type": "},", "events": events}}})

    [(_, found)] = contents(text, size).values()

    assert found == [("t", events[0]["data"])] * 3


@hostile_texts
@pytest.mark.parametrize(
    "start",
    [
        '{"buckets": {"b": {"events": [',
        '{"buckets": {"b": {"events": [{"data": {"a": "},"}}, {"timestamp": "',
        '{"buckets": {"b": {"events": [{"timestamp": "t", "data": {"a": [',
    ],
)
def test_a_hostile_document_takes_linear_time(start: str, text: str) -> None:
    with linear_time(), suppress(DaylineError):
        read(f"{start}{text}".encode())


# Each of them was decoded together with all that follow in the buffer: 1 MB took 70 seconds.
def test_events_before_unusable_ones_are_not_decoded_again_and_again() -> None:
    usable = b'{"timestamp": "t", "data": {"a": [[[1]]]}},' * 20_000

    with linear_time():
        events, invalid = read(b'{"buckets": {"b": {"events": [' + usable + b'{"timestamp": 5}, {"timestamp": 5}]}}}')

    assert (events, invalid) == (20_000, 2)


def read(text: bytes) -> tuple[int, int]:
    """How many usable and unusable events a document has."""
    events = 0

    def count(bodies: Sized) -> None:
        nonlocal events
        events += len(bodies)

    document = ExportDocument(BytesIO(text))
    for _ in document.read(count):
        pass
    return events, document.invalid
