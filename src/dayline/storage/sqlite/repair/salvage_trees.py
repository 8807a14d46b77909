"""The b-trees of our files: what their records look like, and which page belongs to which.

Tables are made in one order and never dropped, and a file that can be made smaller has its roots at its beginning: so
the roots are known, even where the schema cannot be read. The maps of pages say of every other page what is above it.
Where that chain is broken, the shape of a page's records tells its tree, as far as only one has that shape.
"""

from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final

import apsw
import msgspec
from msgspec import Struct

from dayline.storage.sqlite.file.schema import migrate
from dayline.storage.sqlite.repair.salvage_pages import FREE, IN_TREE, MAGIC, OVERFLOW, Pages
from dayline.storage.sqlite.repair.salvage_records import (
    INDEX_INTERIOR,
    INDEX_LEAF,
    TABLE_LEAF,
    Page,
    Record,
    Unreadable,
    record_of,
)

_DEEPEST: Final = 12  # no tree of a file of any size is as deep
_SCHEMA_PAGES: Final = 64
# Where several trees have the shape of a record, it is one of these, which nearly all pages belong to.
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
    is_table: bool  # whether there are rows in it, not references to rows
    has_row_numbers: bool
    names: tuple[str, ...]
    kinds: tuple[frozenset[type], ...]
    least: int
    number_column: int | None = None  # what is the number of the row, and not in the record

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
    """All trees of a file, by their roots and by their shapes."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self.known = known_trees()
        by_name = {tree.name: tree for tree in self.known.values()}
        stored = {root: by_name[name] for name, root in _stored_roots(pages) if name in by_name}
        self._roots = {**self.known, **stored}
        self._above: dict[int, Tree | None] = {}

    def by_place(self, number: int) -> Tree | None:
        """The tree whose page this is, as far as roots and maps tell."""
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
        """The tree that such a record belongs to, where there is no doubt."""
        fitting = [tree for tree in self.known.values() if page.kind in tree.page_kinds and tree.fits(record)]
        large = [tree for tree in fitting if tree.name in LARGE]
        return large[0] if large else fitting[0] if len(fitting) == 1 else None

    def may_be_tree_page(self, number: int) -> bool:
        """Whether the maps say that it is one, or do not say anything that can be: then they are damaged themselves."""
        return number in self._roots or self._pages.entry(number)[0] not in (FREE, *OVERFLOW)


def known_trees() -> dict[int, Tree]:
    """The trees of a file of the current schema, by the number of their root."""
    with closing(apsw.Connection(":memory:")) as db:
        db.pragma("auto_vacuum", "INCREMENTAL")
        migrate(db)
        rows = db.execute("SELECT type, name, rootpage FROM sqlite_schema").fetchall()
        found = msgspec.convert(rows, list[tuple[str, str, int]])
        return {root: _table(db, name) if kind == "table" else _index(db, name) for kind, name, root in found}


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
        # A column that was added later is missing in the rows from before.
        least=8 if name == "bucket" else len(columns),
        number_column=is_alias.index(True) if True in is_alias else None,
    )


def _index(db: apsw.Connection, name: str) -> Tree:
    table = db.execute("SELECT tbl_name FROM sqlite_schema WHERE name = ?", (name,)).get
    columns = [_Column(*row) for row in db.execute(f"PRAGMA table_xinfo({table})")]
    rows = db.execute(f"PRAGMA index_xinfo({name})").fetchall()
    places = [place for _, place, *_ in msgspec.convert(rows, list[tuple[int, int, str | None, int, str, int]])]
    is_number = [place < 0 or (columns[place].type == "INTEGER" and columns[place].primary == 1) for place in places]
    return Tree(
        name=name,
        is_table=False,
        has_row_numbers=False,
        names=tuple("rowid" if place < 0 else columns[place].name for place in places),
        kinds=tuple(
            _KINDS["INTEGER"] if number else columns[place].kinds
            for number, place in zip(is_number, places, strict=True)
        ),
        least=len(places),
    )


class _Column:
    def __init__(
        self, _number: int, name: str, kind: str, is_required: int, _default: str | None, primary: int, _hidden: int
    ) -> None:
        self.name = name
        self.type = kind or "ANY"  # sqlite_sequence says nothing of its columns
        self.primary = primary
        self.kinds = _KINDS[self.type] if is_required or primary else _KINDS[self.type] | {type(None)}


def _stored_roots(pages: Pages) -> Iterator[tuple[str, int]]:
    """What the schema of the file says, as far as it can be read."""
    if pages[1][: len(MAGIC)] != MAGIC:
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
        except Unreadable:
            continue


def _schema_rows(page: Page) -> Sequence[tuple[str, int]]:
    found: list[tuple[str, int]] = []
    for cell in page.cells():
        try:
            if cell is not None:
                _, name, _, root, _ = msgspec.convert(record_of(cell[1]), _SCHEMA_ROW)
                found.append((name, root))
        except (Unreadable, msgspec.ValidationError):
            continue
    return found
