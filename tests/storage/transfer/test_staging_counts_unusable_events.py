"""An import's first half: a single event that cannot be used is counted and left out, wherever it stands."""

from pathlib import Path

import pytest

from dayline.storage.transfer.staging import Staged, StagingRules
from dayline.storage.transfer.staging_worker import stage

EVENT = b'{"timestamp":"2026-01-01T10:00:00Z","duration":%d,"data":{"n":1}}'


def with_data(data: bytes) -> bytes:
    return b'{"timestamp":"2026-01-01T10:00:00Z","duration":1,"data":%b}' % data


UNUSABLE: dict[str, bytes] = {
    "no timestamp": b'{"duration":1.0,"data":{}}',
    "timestamp of another kind": b'{"timestamp":5,"data":{}}',
    "timestamp of no sense": b'{"timestamp":"yesterday"}',
    "timestamp before 1970": b'{"timestamp":"1500-01-01T00:00:00Z"}',
    "timestamp after 2261": b'{"timestamp":"9999-01-01T00:00:00Z"}',
    "end after 2261": b'{"timestamp":"2026-01-01T10:00:00Z","duration":8e9}',
    "end before 1970": b'{"timestamp":"2026-01-01T10:00:00Z","duration":-8e9}',
    "duration as text": b'{"timestamp":"2026-01-01T10:00:00Z","duration":"1"}',
    "duration null": b'{"timestamp":"2026-01-01T10:00:00Z","duration":null}',
    "huge duration": b'{"timestamp":"2026-01-01T10:00:00Z","duration":1e300}',
    "duration beyond a double": b'{"timestamp":"2026-01-01T10:00:00Z","duration":1e999}',
    "data as a list": b'{"timestamp":"2026-01-01T10:00:00Z","data":[1]}',
    "data null": b'{"timestamp":"2026-01-01T10:00:00Z","data":null}',
    "number beyond a double in data": b'{"timestamp":"2026-01-01T10:00:00Z","data":{"n":1e999}}',
    "200 levels": b'{"timestamp":"2026-01-01T10:00:00Z","data":{"n":%b%b}}' % (b"[" * 200, b"]" * 200),
    "100,000 levels": b'{"timestamp":"2026-01-01T10:00:00Z","data":{"n":%b%b}}' % (b"[" * 100_000, b"]" * 100_000),
    "100,000 levels in an ignored key": b'{"timestamp":"2026-01-01T10:00:00Z","x":%b%b}'
    % (b'{"a":' * 99_999 + b"{", b"}" * 100_000),
    "lone surrogate in data": with_data(rb'{"n":"\ud800 and more"}'),
    "lone surrogate that ends a text": with_data(rb'{"n":"\ud800"}'),
    "lone surrogate in capitals": with_data(rb'{"n":"\uDBFF"}'),
    "lone low surrogate": with_data(rb'{"n":"\udfff"}'),
    "two lone surrogates": with_data(rb'{"n":"\ud83d\ud83d","m":"\udc00\ud800"}'),
    "lone surrogate before a pair": with_data(rb'{"n":"\ud83d\ud83d\ude00"}'),
    "lone surrogate in a key": with_data(rb'{"\ud800":1}'),
    "lone surrogate in deep data": with_data(rb'{"n":[[{"m":["\ud800"]}]]}'),
    "lone surrogate in an ignored key": b'{"timestamp":"2026-01-01T10:00:00Z","data":{},"x":"\\ud800 "}',
    "lone surrogate in the timestamp": b'{"timestamp":"2026-01-01T10:00:00Z\\ud800"}',
    "lone surrogate and a duration as text": b'{"timestamp":"\\ud800","duration":"1"}',
    "a number": b"5",
    "null": b"null",
    "a text": b'"},{"',
    "a list": b"[]",
    "a list of an event": b'[{"timestamp":"2026-01-01T10:00:00Z"}]',
}


def staged(folder: Path, *events: bytes) -> Staged:
    text = b'{"buckets":{"x":{"id":"x","type":"t","client":"c","hostname":"h","events":[%b]}}}' % b",".join(events)
    (folder / "0.json").write_bytes(text)
    outcome = stage(folder / "staged.db", [folder / "0.json"], StagingRules())
    assert outcome.staged is not None, outcome.refusal
    return outcome.staged


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE.keys())
@pytest.mark.parametrize("place", [0, 1, 3], ids=["first", "middle", "last"])
def test_unusable_event_is_counted_and_the_others_are_kept(tmp_path: Path, bad: bytes, place: int) -> None:
    events = [EVENT % number for number in range(3)]
    events.insert(place, bad)

    result = staged(tmp_path, *events)

    assert (result.events, result.invalid) == (3, 1)


@pytest.mark.parametrize("bad", UNUSABLE.values(), ids=UNUSABLE.keys())
def test_unusable_event_may_be_the_only_one(tmp_path: Path, bad: bytes) -> None:
    result = staged(tmp_path, bad)

    assert (result.events, result.invalid) == (0, 1)


def test_all_of_them_at_once_are_counted(tmp_path: Path) -> None:
    result = staged(tmp_path, *UNUSABLE.values())

    assert (result.events, result.invalid) == (0, len(UNUSABLE))


def test_a_pair_of_surrogates_and_an_escaped_backslash_are_no_lone_surrogates(tmp_path: Path) -> None:
    texts = [rb'{"n":"\ud83d\ude00"}', rb'{"n":"\\ud800"}', rb'{"n":"\\\\ud800"}', rb'{"n":"\\\"\\ud800"}']

    result = staged(tmp_path, *map(with_data, texts), with_data(rb'{"n":"\ud800"}'))

    assert (result.events, result.invalid) == (len(texts), 1)


def test_unusable_events_in_every_block_of_a_long_document_are_counted(tmp_path: Path) -> None:
    good = [EVENT % number for number in range(60_000)]  # several blocks of 1 MiB
    events = [*good[:20_000], with_data(rb'{"n":"\ud800"}'), *good[20_000:], with_data(rb'{"n":"\udc00"}'), good[0]]

    result = staged(tmp_path, *events)

    assert (result.events, result.invalid) == (60_001, 2)
