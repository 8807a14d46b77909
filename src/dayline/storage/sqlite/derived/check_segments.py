"""Compares segments with the rows they were made from."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

import apsw
import msgspec

from dayline.model.time import EARLIEST, start_of_month
from dayline.storage.columns.segment_plan import SegmentKey
from dayline.storage.sqlite.derived.file import UNUSABLE, DerivedReader, derived_path, epoch_of, identity

if TYPE_CHECKING:
    from dayline.storage.columns.dictionaries import PackedDictionary

_SEALED: Final = """
SELECT month.bucket, month.month, month.changes, bucket.id, bucket.dictionary FROM month
JOIN bucket ON bucket.key = month.bucket AND bucket.deleted IS NULL WHERE month.is_sealed ORDER BY 1, 2
"""


def check_segments(db: apsw.Connection, path: Path) -> list[str]:
    """The differences, as text. Segments that no query would use are skipped."""
    if identity(derived_path(path)) is None:
        return []
    from dayline.storage.columns.segments import Damaged  # imported here: it needs numpy, and most commands do not

    try:
        reader = DerivedReader(derived_path(path), epoch=epoch_of(db))
    except UNUSABLE:
        return []  # of another file, or outdated: it is rebuilt automatically
    try:
        return list(_compared(db, reader))
    except (*UNUSABLE, Damaged) as error:
        return [f"the segments cannot be read: {error}"]
    finally:
        reader.close()


def _compared(db: apsw.Connection, reader: DerivedReader) -> Iterator[str]:
    from dayline.storage.columns.dictionaries import PackedDictionary  # as above
    from dayline.storage.columns.value_packs import ValuePack

    sealed = msgspec.convert(db.execute(_SEALED).fetchall(), list[tuple[int, int, int, str, int]])
    values: dict[int, PackedDictionary] = {}
    for bucket, month, version, bucket_id, dictionary in sealed:
        if reader.dictionary(bucket) != dictionary:
            continue
        segment_key = SegmentKey(bucket, month, version)
        packed = reader.segment(segment_key)
        if packed is None:
            continue
        if bucket not in values:
            packs = [ValuePack(pack, bucket=bucket, first=first) for first, _, pack in reader.packs(bucket)]
            values[bucket] = PackedDictionary(packs)
            if not _has_texts(db, values[bucket]):
                yield f"{bucket_id}: packed values differ from the dictionary"
        if not _is_as_rows(db, segment_key, packed, values[bucket]):
            yield f"{bucket_id}, {month // 12 + 1970}-{month % 12 + 1:02}: the segment differs from the rows"


def _is_as_rows(db: apsw.Connection, place: SegmentKey, packed: bytes, values: "PackedDictionary") -> bool:
    import numpy as np  # as above

    from dayline.storage.columns.segments import unpack_month
    from dayline.storage.sqlite.columns.rows import Wanted, concatenated, last_place, read_page

    wanted = Wanted(
        bucket=place.bucket,
        low=start_of_month(place.month),
        high=start_of_month(place.month + 1) - 1,
        touching=EARLIEST,
    )
    pages = [read_page(db, wanted, None)]
    while (after := last_place(pages[-1])) is not None:
        pages.append(read_page(db, wanted, after))
    rows, events = concatenated(pages), unpack_month(packed, place)
    if len(events.value) and int(events.value.max()) >= len(values):
        return False
    return (
        np.array_equal(rows.start, events.start)
        and np.array_equal(rows.duration, events.duration)
        and np.array_equal(rows.id, events.id)
        and np.array_equal(rows.key, values.keys(events.value))
    )


def _has_texts(db: apsw.Connection, values: "PackedDictionary") -> bool:
    import numpy as np  # as above

    from dayline.storage.sqlite.columns.rows import read_texts

    codes = np.arange(len(values), dtype=np.int32)
    keys = values.keys(codes).tolist()
    stored = dict(read_texts(db, keys))
    return all(stored.get(key) in (None, text) for key, text in zip(keys, values.texts(codes), strict=True))
