"""Every row that can be read of a damaged file, page by page, without SQLite.

SQLite finds a row by way of the pages above it; when one of those is destroyed, all below are out of reach. Here every
page is looked at by itself. `secure_delete` overwrites what was deleted, so that whatever stands on a page is a row.
"""

from collections.abc import Callable, Container, Iterator
from pathlib import Path
from typing import Final

from dayline.model.timestamps import EARLIEST, LATEST
from dayline.storage.columns.dictionary import hash_of
from dayline.storage.sqlite.file.schema import ORIGIN
from dayline.storage.sqlite.redaction.redaction_clearing import NO_HASH
from dayline.storage.sqlite.repair.salvage_pages import Pages
from dayline.storage.sqlite.repair.salvage_records import IntegerRecords, Page, Record, Unreadable, record_of
from dayline.storage.sqlite.repair.salvage_trees import LARGE, Tree, Trees
from dayline.storage.sqlite.writing.values import RESERVATION

_INTEGERS: Final = {count: IntegerRecords(count) for count in range(2, 8)}
_ENOUGH_PAGES: Final = 16_384  # 64 MiB, to tell whose file it is: our tables begin on the first pages
_FIRST, _LAST = EARLIEST - ORIGIN, LATEST - ORIGIN


class Salvage:
    """The readable rows of a file, and counts of what is not: pages, and rows on pages that can be read."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._trees = Trees(pages)
        self.lost_pages: dict[str, int] = {}  # by tree; "" where nobody knows
        self.lost_rows: dict[str, int] = {}
        self.is_torn = False  # whether rows of the page that was given out last could not be read

    def rows(self, wanted: Container[str], *, is_hasty: bool = False) -> Iterator[tuple[Tree, list[Record]]]:
        """The rows of each page of the trees that are wanted, in the order of the file.

        In haste, what the maps say to be of another tree is not looked at, and of the large trees only the last row
        of each page is read: it tells how far their numbers go.
        """
        for number in range(3, self._pages.count + 1):
            if self._pages.is_map(number) or (is_hasty and self._is_of_another(number, wanted)):
                continue
            try:
                page = Page(self._pages, number)
            except Unreadable:
                if self._trees.may_be_tree_page(number):
                    tree = self._trees.by_place(number)
                    _count(self.lost_pages, tree.name if tree is not None else "")
                continue
            if is_hasty and self._is_large(number):
                page.pointers = page.pointers[-1:]
            found = self._read(page, number, wanted)
            if found is not None:
                yield found

    def _is_of_another(self, number: int, wanted: Container[str]) -> bool:
        tree = self._trees.by_place(number)
        return tree is not None and tree.name not in wanted

    def _is_large(self, number: int) -> bool:
        tree = self._trees.by_place(number)
        return tree is not None and tree.name in LARGE

    def _read(self, page: Page, number: int, wanted: Container[str]) -> tuple[Tree, list[Record]] | None:
        tree = self._tree_of(page, number)
        if tree is None or tree.name not in wanted:
            return None
        before = len(page.pointers)
        rows = list(_rows(page, tree))
        self.is_torn = len(rows) < before
        if self.is_torn and tree.name == "event":
            rows = _away_from_tears(page, tree)
        if self.is_torn:
            _count(self.lost_rows, tree.name, before - len(rows))
        return tree, rows

    def _tree_of(self, page: Page, number: int) -> Tree | None:
        """The tree that the place of a page and what is on it agree about; else what its records alone say."""
        if not page.pointers:
            return None
        tree = self._trees.by_place(number)
        if tree is not None and page.kind not in tree.page_kinds:
            if page.is_leaf is False:
                return None  # an interior page of a table with row numbers: there are no rows on it
            tree = None
        sample = next(_records(page), None)
        if sample is None:
            if tree is not None or self._trees.may_be_tree_page(number):
                _count(self.lost_pages, tree.name if tree is not None else "")
            return None
        return tree if tree is not None and tree.fits(sample) else self._trees.by_shape(page, sample)


def _records(page: Page) -> Iterator[Record]:
    for cell in page.cells():
        try:
            if cell is not None:
                yield record_of(cell[1])
        except Unreadable:
            continue


def _rows(page: Page, tree: Tree) -> Iterator[Record]:
    """What is on a page and can be a row of the tree, numbers of rows put where they belong."""
    is_plausible = _PLAUSIBLE.get(tree.name)
    for record in _INTEGERS[len(tree.kinds)].of(page) if tree.is_all_integers else _mixed_rows(page, tree):
        if record is not None and (is_plausible is None or is_plausible(record)):
            yield record


def _away_from_tears(page: Page, tree: Tree) -> list[Record]:
    """The rows of a torn page that lie beside none that cannot be read: what destroyed that may reach into them."""
    found = [
        record if record is not None and _is_event(record) else None for record in _INTEGERS[len(tree.kinds)].of(page)
    ]
    in_place = [found[index] for index in sorted(range(len(found)), key=page.pointers.__getitem__)]
    neighbours = zip([True, *in_place], in_place, [*in_place[1:], True], strict=False)
    return [record for before, record, after in neighbours if record is not None and before and after]


def _mixed_rows(page: Page, tree: Tree) -> Iterator[Record]:
    for cell in page.cells():
        if cell is None:
            continue
        try:
            record = record_of(cell[1])
        except Unreadable:
            continue
        if not tree.fits(record):
            continue
        place = tree.number_column
        yield record if place is None else (*record[:place], cell[0], *record[place + 1 :])


def _is_event(row: Record) -> bool:
    bucket, start, number, duration, value = row
    return (
        isinstance(bucket, int) and isinstance(start, int) and isinstance(number, int)
        and isinstance(duration, int) and isinstance(value, int)
        and bucket > 0 and number > 0 and value > 0
        and _FIRST <= start <= _LAST and _FIRST <= start + duration <= _LAST
    )  # fmt: skip


def _is_value(row: Record) -> bool:
    """A text is as it was written if it still has its hash; one that a redaction has hidden has none."""
    _, bucket, digest, text = row
    assert isinstance(bucket, int)
    assert isinstance(text, str)
    if (bucket, digest, text) == RESERVATION:
        return True
    return bucket > 0 and (hash_of(text.encode()) == digest or digest == NO_HASH)


def _is_bucket(row: Record) -> bool:
    return isinstance(row[0], int) and row[0] > 0 and bool(row[1])


_PLAUSIBLE: Final[dict[str, Callable[[Record], bool]]] = {
    "event": _is_event,
    "value": _is_value,
    "bucket": _is_bucket,
}


def _count(counts: dict[str, int], name: str, number: int = 1) -> None:
    counts[name] = counts.get(name, 0) + number


def holds_anything(path: Path) -> bool:
    """Whether a file that SQLite cannot open is one of ours all the same: whether a bucket or an event is in it."""
    with Pages(path) as pages:
        pages.count = min(pages.count, _ENOUGH_PAGES)
        found = Salvage(pages).rows({"bucket", "event", "meta"})
        return any(tree.name != "meta" or any(row[0] == "epoch" for row in rows) for tree, rows in found if rows)
