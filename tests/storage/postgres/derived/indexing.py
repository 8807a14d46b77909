"""ValueDictionary whose words are indexed, and what a search finds of them."""

from itertools import count
from typing import Any, Final

import msgspec

from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.time import EARLIEST, LATEST, SECOND
from dayline.storage.columns.source import ReadReport
from dayline.storage.postgres.columns.source import PostgresColumns
from dayline.storage.postgres.connection import connect, transaction
from dayline.storage.postgres.derived.word_indexer import index_words
from dayline.transform.text import TextQuery, clause_of, document_of, matches
from tests.storage.postgres.filling import changing
from tests.support.storage.columns_read import Shown, shown
from tests.support.storage.opened import BEGIN
from tests.support.storage.searching import query_of

PAGES: Final = [{"app": "Browser", "title": f"page {number} of rust"} for number in range(30)]

numbers = count(1)


def events_of(data: list[dict[str, Any]]) -> list[Event]:
    """An event for each, with ids that no one else has."""
    return [
        Event(start=BEGIN + number * SECOND, duration=SECOND, data=canonical_json(item), id=next(numbers))
        for number, item in enumerate(data)
    ]


def without_ids(events: list[Event]) -> list[Event]:
    """The same events, to be given ids by the store."""
    return [msgspec.structs.replace(event, id=0) for event in events]


def index(address: str, tenant: str = "") -> None:
    index_words(address, tenant)


def query(text: str, *, is_prefix: bool = False) -> TextQuery:
    return query_of([clause_of(text, is_prefix=is_prefix)])


def found(columns: PostgresColumns, bucket_id: str, asked: TextQuery) -> tuple[list[Shown], int]:
    """The events that fit, and how many values had to be looked through for them."""
    report = ReadReport()
    with columns.snapshot() as source:
        events = shown(source.matching(bucket_id, EARLIEST, LATEST, asked, report))
    return events, report.looked_through


def check(columns: PostgresColumns, bucket_id: str, asked: TextQuery) -> int:
    """What is found is what fits among all events; how many values had to be looked through."""
    events, looked_through = found(columns, bucket_id, asked)
    everything = found(columns, bucket_id, TextQuery())[0]
    assert events == [row for row in everything if matches(asked, document_of(row[3].encode()))]
    return looked_through


def words_in(address: str, tenant: str = "") -> set[str]:
    with connect(address) as db, transaction(db, tenant):
        return {word for (word,) in db.execute("SELECT DISTINCT word FROM word_places").fetchall()}


def key_of(address: str, bucket_id: str) -> int:
    with changing(address) as turn:
        return turn.find(bucket_id).key


def change_text(address: str, bucket_id: str, old: dict[str, Any], new: dict[str, Any]) -> None:
    """As a redaction does it."""
    with changing(address) as turn:
        key, texts = turn.find(bucket_id).key, [canonical_json(each).decode() for each in (new, old)]
        changed = turn.db.execute("UPDATE value SET json = %s WHERE tenant = '' AND json = %s", texts)
        assert changed.rowcount == 1
        turn.db.execute("UPDATE bucket SET dictionary = dictionary + 1 WHERE tenant = '' AND key = %s", (key,))
