"""A document is read in pieces; where a piece ends makes no difference."""

from io import BytesIO
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.storage.transfer.export_document import ExportDocument

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
    """A file that hands out so many bytes at a time at most."""

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
