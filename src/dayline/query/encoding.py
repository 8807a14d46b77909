"""Events into JSON, without an object for each of them."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from dayline.model.timestamps import timestamp_bytes
from dayline.query.digits import fraction_texts, integer_texts, timestamp_texts
from dayline.query.distinct import used_codes
from dayline.query.table import NO_ID, Table
from dayline.storage.columns.source import Ids, Times

_FEW: Final = 200  # events; up to so many are written one by one, before numpy has found its way
_PAGE: Final = 4096  # events; few enough to stay in the processor's cache, enough for numpy to be worth calling
_SECOND: Final = 1_000_000
# Python writes shorter durations with an exponent, and rounds longer ones: those are left to it.
_SHORTEST: Final = 100
_LONGEST: Final = 10**15

_BEGIN: Final = b'{"id":'
_TIMESTAMP: Final = b',"timestamp":"'
_DURATION: Final = b'","duration":'
_DATA: Final = b',"data":'
_NEXT: Final = b"}," + _BEGIN
_PARTS: Final = 5  # of an event: id, timestamp, seconds, fraction, data up to the id of the next event


def event_pages(table: Table) -> Iterator[bytes]:
    """The events as JSON objects with commas between them, some thousand at a time."""
    if len(table) <= _FEW:
        if len(table):
            yield _few_events(table)
        return
    used = used_codes(table.value, len(table.data))
    tails = [_DATA + text + _NEXT for text in table.data.texts(used)]
    tail_of = np.searchsorted(used, table.value)
    for first in range(0, len(table), _PAGE):
        page = table.take(slice(first, first + _PAGE))
        parts = [b""] * (_PARTS * len(page))
        parts[0::_PARTS] = _ids(page.id)
        parts[1::_PARTS] = timestamp_texts(page.start, before=_TIMESTAMP, after=_DURATION)
        parts[2::_PARTS], parts[3::_PARTS] = _durations(page.duration)
        parts[4::_PARTS] = [tails[number] for number in tail_of[first : first + _PAGE].tolist()]
        if first == 0:
            parts[0] = _BEGIN + parts[0]
        if first + _PAGE >= len(table):
            parts[-1] = parts[-1][: 1 - len(_NEXT)]
        yield b"".join(parts)


def _few_events(table: Table) -> bytes:
    rows = zip(table.id.tolist(), table.start.tolist(), table.duration.tolist(), table.value.tolist(), strict=True)
    values = sorted(set(table.value.tolist()))
    texts = dict(zip(values, table.data.texts(np.array(values, dtype=np.int32)), strict=True))
    return b",".join(
        b'{"id":%b,"timestamp":"%b","duration":%a,"data":%b}'
        % (b"null" if number == NO_ID else b"%d" % number, timestamp_bytes(start), duration / _SECOND, texts[value])
        for number, start, duration, value in rows
    )


def _ids(ids: Ids) -> list[bytes]:
    texts = integer_texts(ids)
    for place in np.flatnonzero(ids == NO_ID).tolist():
        texts[place] = b"null"
    return texts


def _durations(microseconds: Times) -> tuple[list[bytes], list[bytes]]:
    """Durations in seconds as Python writes them, in two parts."""
    seconds = integer_texts(microseconds // _SECOND)
    fractions = fraction_texts(microseconds % _SECOND)
    is_odd = (microseconds >= _LONGEST) | ((microseconds > 0) & (microseconds < _SHORTEST))
    for place in np.flatnonzero(is_odd).tolist():
        seconds[place] = repr(int(microseconds[place]) / _SECOND).encode()
        fractions[place] = b""
    return seconds, fractions
