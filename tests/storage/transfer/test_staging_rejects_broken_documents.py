"""An import's first half: a document that is not JSON is refused as a whole, wherever it breaks."""

import re
from pathlib import Path

import msgspec
import pytest

from dayline.storage.transfer.staging import StagingRules
from dayline.storage.transfer.staging_worker import stage

EVENT = b'{"timestamp":"2026-01-01T10:00:00Z","duration":1.5,"data":{"n":1}}'
DEEP = b'{"timestamp":"2026-01-01T10:00:01Z","data":{"deep":{"er":[[{"est":"\\"}]"}]]}}}'


def with_events(*events: bytes) -> bytes:
    return b'{"buckets":{"x":{"id":"x","type":"t","client":"c","hostname":"h","events":[%b]}}}' % b",".join(events)


def with_data(data: bytes) -> bytes:
    return EVENT.replace(b'{"n":1}', data)


GOOD = b'{"version":[1,{}],"buckets":{"a":%b,"b":%b}}' % (
    b'{"id":"a","type":"t","client":"c","hostname":"h","data":{"k":"\\u00e9"},"events":[%b, %b , %b]}'
    % (EVENT, DEEP, EVENT),
    b'{"events":[%b,%b],"id":"b","type":"t","client":"c","hostname":"h"}' % (DEEP, EVENT),
)

BROKEN: dict[str, bytes] = {
    "text behind": GOOD + b"x",
    "second document": GOOD + GOOD,
    "brace too many": GOOD + b"}",
    "two commas": with_events(EVENT, b"", EVENT),
    "trailing comma": with_events(EVENT, b""),
    "leading comma": with_events(b"", EVENT),
    "comma alone": with_events(b"", b""),
    "no comma": with_events(EVENT + b" " + EVENT),
    "no colon": GOOD.replace(b'"buckets":', b'"buckets" ', 1),
    "comma after the last bucket": GOOD.replace(b'"h"}}}', b'"h"},}}'),
    "comma after the last key": GOOD.replace(b'"h"}}}', b'"h",}}}'),
    "literal of no sense": with_events(with_data(b'{"n":tru}')),
    "literal of no sense, then more": with_events(with_data(b'{"n":tru}'), EVENT),
    "unusable event, then broken JSON": with_events(b'{"timestamp":5}', with_data(b'{"n":tru}')),
    "unusable event, then broken JSON, then more": with_events(b'{"timestamp":5}', with_data(b'{"n":tru}'), EVENT),
    "broken JSON, then an unusable event": with_events(with_data(b'{"n":tru}'), b'{"timestamp":5}', EVENT),
    "NaN in data": with_events(with_data(b'{"n":NaN}'), EVENT),
    "NaN as a duration": with_events(EVENT.replace(b"1.5", b"NaN"), EVENT),
    "leading zero": with_events(with_data(b'{"n":01}')),
    "bad escape": with_events(with_data(b'{"n":"\\q"}'), EVENT),
    "control character": with_events(with_data(b'{"n":"\x01"}')),
    "lone surrogate, then broken JSON in the same event": with_events(with_data(b'{"n":"\\ud800","m":tru}'), EVENT),
    "lone surrogate, then broken JSON": with_events(with_data(b'{"n":"\\ud800"}'), with_data(b'{"n":tru}'), EVENT),
    "broken JSON, then a lone surrogate": with_events(with_data(b'{"n":tru}'), EVENT, with_data(b'{"n":"\\ud800"}')),
    "half an escape": with_events(with_data(b'{"n":"\\ud8"}'), EVENT),
    "broken UTF-8 in data": with_events(with_data(b'{"n":"\xff"}'), EVENT),
    "broken UTF-8 in the last event": with_events(EVENT, with_data(b'{"n":"\xff"}')),
    "broken UTF-8 in a time": with_events(EVENT.replace(b"2026", b"\xff"), EVENT),
    "broken UTF-8 in a key of the document": GOOD.replace(b'"version"', b'"\xff"'),
    "broken UTF-8 in a bucket's key": GOOD.replace(b'{"a":', b'{"\xff":'),
    "broken UTF-8 in a field": GOOD.replace(b'"hostname":"h"', b'"hostname":"\xff"', 1),
    "broken JSON in a field": GOOD.replace(b'"hostname":"h"', b'"hostname":h', 1),
    "broken JSON in a bucket's data": GOOD.replace(b'{"k":"\\u00e9"}', b'{"k":}'),
    "broken JSON in an ignored field": GOOD.replace(b'"hostname":"h"', b'"hostname":"h","x":{"y":tru}', 1),
    "broken JSON in an ignored list of the document": GOOD.replace(b"[1,{}]", b"[1,]"),
    "broken JSON in an ignored literal of the document": GOOD.replace(b"[1,{}]", b"tru"),
    "broken UTF-8 in an ignored text of the document": GOOD.replace(b"[1,{}]", b'"\xff"'),
    "mismatched brackets": with_events(with_data(b'{"n":[1}]')),
    "mismatched brackets, then more": with_events(with_data(b'{"n":[1}]'), EVENT),
    "unquoted key": with_events(b"{timestamp:5}"),
    "single quotes": GOOD.replace(b'"', b"'"),
    "brackets without end": with_events(with_data(b'{"n":' + b"[" * 100_000)),
    "nothing": b"",
    "blanks": b" \n\t",
    "a letter": b"x",
    "bytes of no meaning": bytes(range(256)),
    "UTF-16": GOOD.decode().encode("utf-16"),
    "two byte order marks": b"\xef\xbb\xbf" * 2 + GOOD,
    "byte order mark alone": b"\xef\xbb\xbf",
}


def refusal(folder: Path, *documents: bytes) -> str | None:
    """The kind of error that staging these documents comes to."""
    paths: list[Path] = []
    for number, text in enumerate(documents):
        paths.append(folder / f"{number}.json")
        paths[-1].write_bytes(text)
    outcome = stage(folder / "staged.db", paths, StagingRules())
    (folder / "staged.db").unlink(missing_ok=True)
    return None if outcome.refusal is None else outcome.refusal.kind


def test_whole_document_is_not_refused(tmp_path: Path) -> None:
    assert msgspec.json.decode(GOOD)
    assert refusal(tmp_path, GOOD) is None


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN.keys())
def test_broken_document_is_malformed(tmp_path: Path, text: bytes) -> None:
    with pytest.raises((msgspec.DecodeError, UnicodeDecodeError, RecursionError)):
        msgspec.json.decode(text)

    assert refusal(tmp_path, text) == "Malformed"


def test_document_cut_off_anywhere_is_malformed(tmp_path: Path) -> None:
    kinds = {length: refusal(tmp_path, GOOD[:length]) for length in range(len(GOOD))}

    assert {length: kind for length, kind in kinds.items() if kind != "Malformed"} == {}


@pytest.mark.parametrize("texts", [(GOOD, GOOD[:-5]), (GOOD[:-5], GOOD), (GOOD, b"", GOOD)])
def test_one_broken_document_of_several_refuses_them_all(tmp_path: Path, texts: tuple[bytes, ...]) -> None:
    assert refusal(tmp_path, *texts) == "Malformed"


HEAD = b'"type":"t","client":"c","hostname":"h"'
# JSON, but not an export document: its text, and the field that the refusal names.
MISSHAPEN: list[tuple[bytes, str]] = [
    (b"[]", "buckets"),
    (b"7", "buckets"),
    (b'"text"', "buckets"),
    (b"null", "buckets"),
    (b"true", "buckets"),
    (b"-1.5", "buckets"),
    (b"{}", "buckets"),
    (b'{"bucket":{}}', "buckets"),
    (b'{"buckets":[]}', "buckets"),
    (b'{"buckets":null}', "buckets"),
    (b'{"buckets":"x"}', "buckets"),
    (b'{"buckets":{"x":[]}}', "buckets.x"),
    (b'{"buckets":{"x":null}}', "buckets.x"),
    (b'{"buckets":{"x":{}}}', "buckets.x.type"),
    (b'{"buckets":{"x":{"type":"t","client":"c"}}}', "buckets.x.hostname"),
    (b'{"buckets":{"x":{"type":"t","client":5,"hostname":"h"}}}', "buckets.x.client"),
    (b'{"buckets":{"x":{"id":5,%b}}}' % HEAD, "buckets.x.id"),
    (b'{"buckets":{"x":{"id":["x"],%b}}}' % HEAD, "buckets.x.id"),
    (b'{"buckets":{"x":{"events":{},%b}}}' % HEAD, "buckets.x.events"),
    (b'{"buckets":{"x":{"events":"none",%b}}}' % HEAD, "buckets.x.events"),
    (b'{"buckets":{"x":{"events":0,%b}}}' % HEAD, "buckets.x.events"),
    (b'{"buckets":{"x":{"events":false,%b}}}' % HEAD, "buckets.x.events"),
    (b'{"buckets":{"x":{"created":"yesterday",%b}}}' % HEAD, "buckets.x.created"),
    (b'{"buckets":{"x":{"created":5,%b}}}' % HEAD, "buckets.x.created"),
    (b'{"buckets":{"x":{"created":"1500-01-01T00:00:00Z",%b}}}' % HEAD, "buckets.x.created"),
    (b'{"buckets":{"x":{"id":"a\\u0000b",%b}}}' % HEAD, "id"),
    (b'{"buckets":{"x":{"id":"%b",%b}}}' % (b"x" * 513, HEAD), "id"),
    (b'{"buckets":{"":{%b}}}' % HEAD, "id"),
]


@pytest.mark.parametrize(("text", "field"), MISSHAPEN)
def test_json_of_another_shape_is_invalid_and_names_the_field(tmp_path: Path, text: bytes, field: str) -> None:
    (tmp_path / "0.json").write_bytes(text)

    refused = stage(tmp_path / "staged.db", [tmp_path / "0.json"], StagingRules()).refusal

    assert refused is not None
    assert (refused.kind, refused.field) == ("Invalid", field)


@pytest.mark.parametrize(
    ("old", "new", "field"),
    [
        (b'"hostname":"h"', b'"hostname":"\\ud800 laptop"', "buckets.a.hostname"),
        (b'{"k":"\\u00e9"}', b'{"k":"\\udc00"}', "buckets.a.data"),
        (b'"buckets":{"a":', b'"buckets":{"\\ud83d":', None),
        (b'"version":[1,{}]', b'"version":"\\ud83d"', None),
    ],
)
def test_a_lone_surrogate_outside_of_events_is_named(tmp_path: Path, old: bytes, new: bytes, field: str | None) -> None:
    assert old in GOOD
    (tmp_path / "0.json").write_bytes(GOOD.replace(old, new, 1))

    refused = stage(tmp_path / "staged.db", [tmp_path / "0.json"], StagingRules()).refusal

    assert refused is not None
    assert (refused.kind, refused.field) == ("Malformed", field)
    assert re.search(r"the lone surrogate \\u[a-f0-9]{4} is not a character", refused.message)
