"""Numbers for the values of a bucket: those that its packs give them, and the next for those that are packed now."""

from collections.abc import Sequence

import numpy as np

from dayline.storage.columns.columns import MISSING, Codes, Ids
from dayline.storage.columns.packed_dictionary import PackedDictionary
from dayline.storage.columns.value_packs import MOST_VALUES, PackWriter, ValuePack
from dayline.storage.columns.value_texts import ReadTexts
from dayline.storage.segments.segment_place import PackedPack


class PackBuilding:
    """Adds to the packs that there are. Whole packs are not changed any more; the last one grows."""

    def __init__(self, bucket: int, packs: Sequence[PackedPack], read: ReadTexts) -> None:
        self._bucket = bucket
        self._read = read
        self._known = PackedDictionary([ValuePack(packed, bucket=bucket, first=first) for first, _, packed in packs])
        self._writer: PackWriter | None = None
        self._numbers: dict[int, int] = {}  # of values that were packed here
        self._whole: list[PackedPack] = []

    @property
    def has_whole(self) -> bool:
        """Whether a whole pack has not been taken yet."""
        return bool(self._whole)

    def taken(self) -> list[PackedPack]:
        """The packs that are new or longer than they were."""
        whole, self._whole = self._whole, []
        writer = self._writer
        return [
            *whole,
            *([(writer.first, writer.count, writer.packed())] if writer is not None and writer.count else []),
        ]

    def codes(self, keys: Ids) -> Codes:
        """The numbers of values, those included that are packed now. Raises TooManyFields."""
        distinct, places = np.unique(keys, return_inverse=True)
        codes = self._known.find(distinct)
        others = np.flatnonzero(codes == MISSING)
        unknown = [key for key in distinct[others].tolist() if key not in self._numbers]
        for key, text in self._read(unknown):
            self._pack(key, text)
        codes[others] = [self._numbers[key] for key in distinct[others].tolist()]
        return codes[places]

    def _pack(self, key: int, text: bytes) -> None:
        writer = self._writer = self._begun() if self._writer is None else self._writer
        self._numbers[key] = writer.first + writer.count
        writer.add(key, text)
        if writer.is_full:
            self._whole.append((writer.first, writer.count, writer.packed()))
            writer.next()

    def _begun(self) -> PackWriter:
        """A writer that goes on where the packs end. A last one that is not full is made again, with more in it."""
        whole, unfinished = self._known.split(MOST_VALUES)
        writer = PackWriter(self._bucket)
        writer.first = len(whole)
        for field in whole.fields():
            writer.know(field, whole.column(field).items)
        for key, text in zip(self._known.keys(unfinished).tolist(), self._known.texts(unfinished), strict=True):
            writer.add(key, text)
        return writer
