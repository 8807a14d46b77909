"""Updates the word index, in a child process with the lowest priority.

One such process per tenant works at a time, on any server. Committed pages stay if it is interrupted.
"""

from collections.abc import Iterable
from typing import Final

from dayline.model.data import CanonicalJson
from dayline.storage.postgres.connection import Connection, connect, transaction
from dayline.storage.postgres.derived.word_clearing import clear_slice
from dayline.storage.postgres.derived.words import (
    IndexedBucket,
    add,
    begin,
    postings_of,
    state_of,
    values_after,
    word_work,
)

PAGE: Final = 40_000  # values read and indexed together: large, because rows that are extended are rewritten
_PAGE_BYTES: Final = 8 << 20  # fewer if their texts are long
LOCK: Final = 0x776F7264  # "word": the advisory lock, together with a tenant's number


def index_words(address: str, tenant: str) -> None:
    """Index all new values; nothing if another process does so already. Raises FAULTS."""
    with connect(address) as db:
        if db.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", (LOCK, tenant)).fetchone() != (True,):
            return
        with transaction(db, tenant, is_snapshot=True):
            work = word_work(db, tenant, min_values=1)
        for bucket in work.stale:
            _clear(db, IndexedBucket(tenant, bucket))
        for bucket in work.new:
            while _add_page(db, IndexedBucket(tenant, bucket)):
                pass


def _clear(db: Connection, place: IndexedBucket) -> None:
    is_begun = False
    while True:
        with transaction(db, place.tenant):
            left = clear_slice(db, place, is_begun=is_begun)
        if left != "more":
            return
        is_begun = True


def _add_page(db: Connection, place: IndexedBucket) -> bool:
    """Index the next values; returns whether there may be more."""
    with transaction(db, place.tenant, is_snapshot=True):
        state = state_of(db, place)
        mark = state.mark
        page = _page(values_after(db, place, mark.upto, rows=PAGE)) if mark is not None else []
    if state.dictionary is None:
        return False
    if mark is None:
        with transaction(db, place.tenant):
            begin(db, place, state.dictionary)
        return True
    if mark.dictionary != state.dictionary or not page:
        return False  # the rest is for another time
    postings = postings_of(page)
    with transaction(db, place.tenant):
        return add(db, place, mark, postings, upto=page[-1][0])


def _page(values: Iterable[tuple[int, CanonicalJson]]) -> list[tuple[int, CanonicalJson]]:
    page: list[tuple[int, CanonicalJson]] = []
    size = 0
    for key, text in values:
        page.append((key, text))
        size += len(text)
        if size > _PAGE_BYTES:
            break
    return page
