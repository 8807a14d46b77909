"""The small tables, whose rows are read and written one by one: settings, keys, sessions, aliases, operations.

Their statements are the same in both engines, except for the columns that every row of an engine has. Events, values
and months have statements of their own in each engine.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from msgspec import Struct

Value: TypeAlias = int | str | bytes | None
# By column, also with an operator: {"state": ["doing"], "made <": before}. A list means one of these values, None that
# there is no value.
Where: TypeAlias = Mapping[str, Value | Sequence[int] | Sequence[str]]
Lock: TypeAlias = Literal["wait", "skip"]  # rows that another transaction has locked: wait for them, or leave them out


class Table(Struct, frozen=True):
    """The first field is the key. `is_shared`: the rows belong to the whole database and not to one tenant."""

    name: str
    fields: Sequence[str]
    is_shared: bool = False


class Tables(ABC):
    """The part of a transaction that reads and writes rows of the small tables."""

    row_lock = ""  # SQL that locks the rows of a SELECT; empty if there is nothing to lock
    one_of: str  # SQL for a column and a parameter with a list: the column has one of its values

    @abstractmethod
    def run(self, statement: str, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Run a statement with parameters like `:name` and return its rows."""

    def list_of(self, values: Sequence[int | str]) -> object:
        """A list as the value of a parameter."""
        return list(values)

    def common(self, table: Table) -> Mapping[str, Value]:
        """The columns that all rows of a table have in common in this transaction."""
        return {}

    def columns(self, table: Table) -> Sequence[str]:
        """The fields of a table that this engine stores."""
        return table.fields

    def checked(self, row: Mapping[str, Value]) -> Mapping[str, Value]:
        """A row as it can be stored. Raises Invalid."""
        return row

    def can_have(self, value: object) -> bool:
        """Whether a stored row can have this value."""
        return True

    def select(
        self, table: Table, where: Where, *, order: str = "", limit: int | None = None, lock: Lock | None = None
    ) -> list[tuple[Any, ...]]:
        """Rows with the columns of the table. A read transaction locks nothing."""
        order = f" ORDER BY {order}" if order else ""
        limited = "" if limit is None else f" LIMIT {limit}"
        locked = self.row_lock + " SKIP LOCKED" * (lock == "skip") if lock and self.row_lock else ""
        return self._where(
            f"SELECT {', '.join(self.columns(table))} FROM {table.name}", table, where, f"{order}{limited}{locked}"
        )

    def count(self, table: Table, where: Where) -> int:
        rows = self._where(f"SELECT count(*) FROM {table.name}", table, where)
        return int(rows[0][0]) if rows else 0

    def insert_row(self, table: Table, row: Mapping[str, Value], *, replaces: bool = False) -> Any:
        """Add a row and return its key; `replaces`: or change the row with this key."""
        row = {**self.common(table), **self.checked(row)}
        key = table.fields[0]
        others = [f"{column} = excluded.{column}" for column in row if column != key]
        conflict = f" ON CONFLICT({', '.join((*self.common(table), key))}) DO UPDATE SET {', '.join(others)}"
        statement = (
            f"INSERT INTO {table.name}({', '.join(row)}) VALUES({', '.join(f':{column}' for column in row)})"
            f"{conflict if replaces else ''} RETURNING {key}"
        )
        return self.run(statement, row)[0][0]

    def update(self, table: Table, changes: Mapping[str, Value], where: Where) -> int:
        """Change rows and return how many."""
        changes = self.checked(changes)
        settings = ", ".join(f"{column} = :new_{column}" for column in changes)
        values = {f"new_{column}": value for column, value in changes.items()}
        return len(self._where(f"UPDATE {table.name} SET {settings}", table, where, " RETURNING 1", values))

    def delete(self, table: Table, where: Where) -> int:
        """Delete rows and return how many."""
        return len(self._where(f"DELETE FROM {table.name}", table, where, " RETURNING 1"))

    def _where(
        self, statement: str, table: Table, where: Where, end: str = "", values: Mapping[str, Value] | None = None
    ) -> list[tuple[Any, ...]]:
        """Run a statement with a condition; no rows if no row can fulfill it."""
        terms: list[str] = []
        bound: dict[str, object] = dict(values or {})
        for term, value in {**self.common(table), **where}.items():
            column, _, operator = term.partition(" ")
            if value is None:
                terms.append(f"{column} IS NULL")
                continue
            name = f"where_{len(terms)}"
            if isinstance(value, int | str | bytes):
                is_possible = self.can_have(value)
                terms.append(f"{column} {operator or '='} :{name}")
                bound[name] = value
            else:
                possible = [each for each in value if self.can_have(each)]
                is_possible = bool(possible)
                terms.append(self.one_of.format(column=column, name=name))
                bound[name] = self.list_of(possible)
            if not is_possible:
                return []
        condition = f" WHERE {' AND '.join(terms)}" if terms else ""
        return self.run(f"{statement}{condition}{end}", bound)
