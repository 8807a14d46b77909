"""Reads every readable row of a damaged file, page by page, without SQLite."""

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.model.time import EARLIEST, LATEST
from dayline.runtime.encrypted_file import PLAIN_MAGIC
from dayline.runtime.sqlite_file import connect_in_memory
from dayline.storage.columns.hashes import hash_of
from dayline.storage.sqlite.file.schema import FORMER_NAMES, ORIGIN, migrate
from dayline.storage.sqlite.repair.pages import FREE, IN_TREE, OVERFLOW, Pages
from dayline.storage.sqlite.repair.records import (
    INDEX_INTERIOR,
    INDEX_LEAF,
    TABLE_LEAF,
    IntegerRecords,
    Page,
    Record,
    UnreadablePage,
    record_of,
)
from dayline.storage.sqlite.writing.values import RESERVATION

# The b-trees of our files: the shape of their records, and which page belongs to which. Tables are created in one order
# and never dropped, and a file with auto-vacuum has its roots at the start: so the roots are known even if the schema
# is unreadable. The pointer maps give the parent of every other page. If that chain is broken, the shape of a page's
# records identifies its tree, if only one tree has that shape.


_DEEPEST: Final = 12  # deeper than a tree of any file
_SCHEMA_PAGES: Final = 64
# If several trees match a record, it belongs to one of these, as nearly all pages do.
LARGE: Final = ("event", "event_id", "month", "value", "value_hash", "audit")

_KINDS: Final[dict[str, frozenset[type]]] = {
    "INTEGER": frozenset({int}),
    "TEXT": frozenset({str}),
    "BLOB": frozenset({bytes}),
    "ANY": frozenset({int, float, str, bytes}),
}
_SCHEMA_ROW = tuple[str, str, str, int, str | None]


class Tree(Struct, frozen=True, kw_only=True, eq=False):
    """A table or an index. `kinds` are the types that each column may have; rows of older versions have fewer."""

    name: str
    is_table: bool  # contains rows, not references to rows
    has_row_numbers: bool
    names: tuple[str, ...]
    kinds: tuple[frozenset[type], ...]
    least: int
    number_column: int | None = None  # the column that is the row id, and not in the record

    @property
    def page_kinds(self) -> tuple[int, ...]:
        return (TABLE_LEAF,) if self.has_row_numbers else (INDEX_LEAF, INDEX_INTERIOR)

    @property
    def is_all_integers(self) -> bool:
        return not self.has_row_numbers and all(kinds == _KINDS["INTEGER"] for kinds in self.kinds)

    def fits(self, record: Record) -> bool:
        return self.least <= len(record) <= len(self.kinds) and all(
            type(value) in kinds for value, kinds in zip(record, self.kinds, strict=False)
        )


class Trees:
    """All trees of a file, by root and by shape."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self.known = known_trees()
        by_name = {tree.name: tree for tree in self.known.values()}
        stored_roots = [(FORMER_NAMES.get(name, name), root) for name, root in _stored_roots(pages)]
        stored = {root: by_name[name] for name, root in stored_roots if name in by_name}
        self._roots = {**self.known, **stored}
        self._above: dict[int, Tree | None] = {}

    def by_place(self, number: int) -> Tree | None:
        """The tree of a page according to roots and pointer maps."""
        chain: list[int] = []
        tree: Tree | None = None
        while len(chain) < _DEEPEST:
            if number in self._roots or number in self._above:
                tree = self._roots.get(number) or self._above.get(number)
                break
            chain.append(number)
            kind, above = self._pages.entry(number)
            if kind != IN_TREE or not 2 < above <= self._pages.count:
                break
            number = above
        self._above.update(dict.fromkeys(chain, tree))
        return tree

    def by_shape(self, page: Page, record: Record) -> Tree | None:
        """The tree that such a record belongs to, if it is unambiguous."""
        fitting = [tree for tree in self.known.values() if page.kind in tree.page_kinds and tree.fits(record)]
        large = [tree for tree in fitting if tree.name in LARGE]
        return large[0] if large else fitting[0] if len(fitting) == 1 else None

    def may_be_tree_page(self, number: int) -> bool:
        """Whether the pointer map says that it is one, or has an invalid entry: then the map itself is damaged."""
        return number in self._roots or self._pages.entry(number)[0] not in (FREE, *OVERFLOW)


def known_trees() -> dict[int, Tree]:
    """The trees of a file with the current schema, by root page."""
    with closing(connect_in_memory()) as db:
        db.pragma("auto_vacuum", "INCREMENTAL")
        migrate(db)
        rows = db.execute("SELECT type, name, rootpage FROM sqlite_schema").fetchall()
        schema = msgspec.convert(rows, list[tuple[str, str, int]])
        return {root: _table(db, name) if kind == "table" else _index(db, name) for kind, name, root in schema}


def _table(db: apsw.Connection, name: str) -> Tree:
    columns = [_Column(*row) for row in db.execute(f"PRAGMA table_xinfo({name})")]
    has_row_numbers = not db.execute("SELECT wr FROM pragma_table_list WHERE name = ?", (name,)).get
    is_alias = [has_row_numbers and column.type == "INTEGER" and column.primary == 1 for column in columns]
    kinds = [
        frozenset({type(None)}) if alias else column.kinds for alias, column in zip(is_alias, columns, strict=True)
    ]
    return Tree(
        name=name,
        is_table=True,
        has_row_numbers=has_row_numbers,
        names=tuple(column.name for column in columns),
        kinds=tuple(kinds),
        # A column that was added later is missing in older rows.
        least=8 if name == "bucket" else len(columns),
        number_column=is_alias.index(True) if True in is_alias else None,
    )


def _index(db: apsw.Connection, name: str) -> Tree:
    table = db.execute("SELECT tbl_name FROM sqlite_schema WHERE name = ?", (name,)).get
    columns = [_Column(*row) for row in db.execute(f"PRAGMA table_xinfo({table})")]
    rows = db.execute(f"PRAGMA index_xinfo({name})").fetchall()
    places = [index for _, index, *_ in msgspec.convert(rows, list[tuple[int, int, str | None, int, str, int]])]
    is_number = [index < 0 or (columns[index].type == "INTEGER" and columns[index].primary == 1) for index in places]
    return Tree(
        name=name,
        is_table=False,
        has_row_numbers=False,
        names=tuple("rowid" if index < 0 else columns[index].name for index in places),
        kinds=tuple(
            _KINDS["INTEGER"] if number else columns[index].kinds
            for number, index in zip(is_number, places, strict=True)
        ),
        least=len(places),
    )


class _Column:
    def __init__(
        self, _number: int, name: str, kind: str, is_required: int, _default: str | None, primary: int, _hidden: int
    ) -> None:
        self.name = name
        self.type = kind or "ANY"  # sqlite_sequence declares no types
        self.primary = primary
        self.kinds = _KINDS[self.type] if is_required or primary else _KINDS[self.type] | {type(None)}


def _stored_roots(pages: Pages) -> Iterator[tuple[str, int]]:
    """The readable part of the file's own schema."""
    if pages[1][: len(PLAIN_MAGIC)] != PLAIN_MAGIC:
        return
    queue, seen = [1], 0
    while queue and seen < _SCHEMA_PAGES:
        seen += 1
        try:
            page = Page(pages, queue.pop())
            if page.kind == TABLE_LEAF:
                yield from _schema_rows(page)
            else:
                queue += [child for child in page.children() if 2 < child <= pages.count]
        except UnreadablePage:
            continue


def _schema_rows(page: Page) -> Sequence[tuple[str, int]]:
    schema: list[tuple[str, int]] = []
    for cell in page.cells():
        try:
            if cell is not None:
                _, name, _, root, _ = msgspec.convert(record_of(cell[1]), _SCHEMA_ROW)
                schema.append((name, root))
        except (UnreadablePage, msgspec.ValidationError):
            continue
    return schema


# SQLite finds a row through the pages above it; if one of those is destroyed, everything below is out of reach. Here
# every page is read on its own. `secure_delete` overwrites deleted rows, so whatever is on a page is a row.


_INTEGERS: Final = {count: IntegerRecords(count) for count in range(2, 8)}
_ENOUGH_PAGES: Final = 16_384  # 64 MiB are enough to recognize our file: our tables begin on the first pages
_FIRST, _LAST = EARLIEST - ORIGIN, LATEST - ORIGIN


class Salvage:
    """The readable rows of a file, and counts of unreadable pages and of unreadable rows on readable pages."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._trees = Trees(pages)
        self.lost_pages: dict[str, int] = {}  # by tree; "" if it is unknown
        self.lost_rows: dict[str, int] = {}
        self.is_torn = False  # whether the last page had unreadable rows

    def rows(self, wanted: Container[str], *, is_hasty: bool = False) -> Iterator[tuple[Tree, list[Record]]]:
        """The rows of each page of the wanted trees, in file order.

        `is_hasty` skips pages that belong to other trees according to the pointer map, and reads only the last row of
        each page of the large trees, which shows how far their ids go.
        """
        for number in range(3, self._pages.count + 1):
            if self._pages.is_map(number) or (is_hasty and self._is_of_another(number, wanted)):
                continue
            try:
                page = Page(self._pages, number)
            except UnreadablePage:
                if self._trees.may_be_tree_page(number):
                    tree = self._trees.by_place(number)
                    _count(self.lost_pages, tree.name if tree is not None else "")
                continue
            if is_hasty and self._is_large(number):
                page.pointers = page.pointers[-1:]
            table_rows = self._read(page, number, wanted)
            if table_rows is not None:
                yield table_rows

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
        """The tree on which the position of a page and its records agree; otherwise what its records show."""
        if not page.pointers:
            return None
        tree = self._trees.by_place(number)
        if tree is not None and page.kind not in tree.page_kinds:
            if page.is_leaf is False:
                return None  # an interior page of a table with row ids has no rows
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
        except UnreadablePage:
            continue


def _rows(page: Page, tree: Tree) -> Iterator[Record]:
    """The records of a page that can be rows of the tree, with row ids inserted."""
    is_plausible = _PLAUSIBLE.get(tree.name)
    for record in _INTEGERS[len(tree.kinds)].of(page) if tree.is_all_integers else _mixed_rows(page, tree):
        if record is not None and (is_plausible is None or is_plausible(record)):
            yield record


def _away_from_tears(page: Page, tree: Tree) -> list[Record]:
    """The rows of a torn page that are not next to an unreadable one, whose damage may extend into them."""
    records = [
        record if record is not None and _is_event(record) else None for record in _INTEGERS[len(tree.kinds)].of(page)
    ]
    in_place = [records[index] for index in sorted(range(len(records)), key=page.pointers.__getitem__)]
    neighbors = zip([True, *in_place], in_place, [*in_place[1:], True], strict=False)
    return [record for before, record, after in neighbors if record is not None and before and after]


def _mixed_rows(page: Page, tree: Tree) -> Iterator[Record]:
    for cell in page.cells():
        if cell is None:
            continue
        try:
            record = record_of(cell[1])
        except UnreadablePage:
            continue
        if not tree.fits(record):
            continue
        number_column = tree.number_column
        yield record if number_column is None else (*record[:number_column], cell[0], *record[number_column + 1 :])


def _is_event(row: Record) -> bool:
    bucket, start, number, duration, value = row
    return (
        isinstance(bucket, int) and isinstance(start, int) and isinstance(number, int)
        and isinstance(duration, int) and isinstance(value, int)
        and bucket > 0 and number > 0 and value > 0
        and _FIRST <= start <= _LAST and _FIRST <= start + duration <= _LAST
    )  # fmt: skip


def _is_value(row: Record) -> bool:
    """Whether a text still matches its hash. One that a redaction has changed has none."""
    key, bucket, digest, text = row
    assert isinstance(bucket, int)
    assert isinstance(text, str)
    if (bucket, digest, text) == RESERVATION:
        return True
    return bucket > 0 and (hash_of(text.encode()) == digest or digest == key)


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
    """Whether a file that SQLite cannot open is ours: whether it contains a bucket or an event."""
    with Pages(path) as pages:
        pages.count = min(pages.count, _ENOUGH_PAGES)
        tables = Salvage(pages).rows({"bucket", "event", "meta"})
        return any(tree.name != "meta" or any(row[0] == "epoch" for row in rows) for tree, rows in tables if rows)
