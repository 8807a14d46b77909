"""Redactions in this process, what the rows of a store say, and texts that a final redaction removes."""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest

import dayline.storage.postgres.redaction.engine as postgres_redactions
import dayline.storage.postgres.redaction.plan_worker as postgres_plan
import dayline.storage.sqlite.redaction.engine as sqlite_redactions
from dayline.model.data import canonical_json
from dayline.model.event import Event
from dayline.model.privacy.redaction import RedactionOrder, RedactionPreview
from dayline.model.privacy.rules import PrivacyRule, RuleBook
from dayline.model.time import SECOND
from dayline.runtime.sqlite_file import READ_ONLY, connect
from dayline.storage.redaction.records import Planned
from dayline.storage.sqlite.redaction.plan_worker import plan
from dayline.storage.store import Store
from tests.support.privacy import rule
from tests.support.storage.building import months_of
from tests.support.storage.engines import Engine
from tests.support.storage.opened import BEGIN, bucket, opened_on

Row = tuple[str, float, str]  # timestamp, duration and data
Rows = dict[int, Row]  # by id


@contextmanager
def planned_in_this_process() -> Generator[None]:
    """No process is started for each plan: what it would do is done here."""

    async def run(database: Path, path: Path, order: RedactionOrder, *, is_preview: bool) -> RedactionPreview:
        return plan(database, path, order, is_preview=is_preview)

    async def run_on_postgres(folder: Path, job: postgres_plan.PlanJob) -> Planned:
        return postgres_plan.plan(folder, job)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite_redactions, "run_plan", run)
        patch.setattr(postgres_redactions, "run_plan", run_on_postgres)
        yield


@asynccontextmanager
async def store_of(engine: Engine, *events: Event) -> AsyncGenerator[Store]:
    """A store with these events in a bucket named `window`."""
    with planned_in_this_process():
        async with opened_on(engine) as store:
            await store.create_bucket(bucket("window"))
            await store.insert("window", events)
            yield store


def event(second: float, title: str, *, lasting: float = 1, event_id: int = 0) -> Event:
    """An event this many seconds after the beginning."""
    start, duration = BEGIN + round(second * SECOND), round(lasting * SECOND)
    return Event(id=event_id, start=start, duration=duration, data=canonical_json({"title": title}))


def titles(store: Store, bucket_id: str = "window") -> list[str]:
    """The titles of all events, oldest first."""
    pages = b",".join(store.events(bucket_id, start=None, end=None, limit=None))
    events = msgspec.json.decode(b"[%b]" % pages, type=list[dict[str, Any]])
    return [event["data"]["title"] for event in events[::-1]]


def order(*rules: PrivacyRule, buckets: list[str] | None = None, samples: int = 20) -> RedactionOrder:
    return RedactionOrder(book=RuleBook(rules=list(rules)), buckets=buckets or [], samples=samples)


def rows_of(store: Store, bucket_id: str) -> Rows:
    """Every event of a bucket."""
    pages = b",".join(store.events(bucket_id, start=None, end=None, limit=None))
    events = msgspec.json.decode(b"[%b]" % pages, type=list[dict[str, Any]])
    return {
        event["id"]: (
            event["timestamp"],
            event["duration"],
            msgspec.json.encode(event["data"], order="sorted").decode(),
        )
        for event in events
    }


def texts_of(engine: Engine) -> list[str]:
    """The texts of the dictionary, each as often as it is there, in the order of their numbers."""
    return [str(text) for (text,) in engine.select("SELECT json FROM value ORDER BY key")]


def texts_in(path: Path) -> list[str]:
    """The texts of the dictionary, each as often as it is there."""
    db = connect(path, READ_ONLY)
    try:
        return [text for (text,) in db.execute("SELECT json FROM value ORDER BY key")]
    finally:
        db.close()


def count(path: Path, table: str) -> int:
    db = connect(path, READ_ONLY)
    try:
        return int(db.execute(f"SELECT count(*) FROM {table}").get)
    finally:
        db.close()


HIDE: Final = rule("secret", replacement="hidden")
PLANS: Final = "plans"  # of what is secret: rules themselves stay, and so does the word that they look for
RULES: Final = [
    [HIDE],
    [rule("secret", action="drop")],
    [rule("secret.*", action="rewrite", replacement="x")],
    [rule("secret plan(s)", action="rewrite", replacement=r"something that has much \1ome longer words")],
]
RULE_NAMES: Final = ["redact", "drop", "shorten", "lengthen"]
LONG: Final = "a long text of more than a page " * 200  # stored on pages of its own


def files_with(path: Path, text: str) -> list[str]:
    """The files of the database and next to it that contain a text, in any form."""
    files = sorted(file for file in path.parent.rglob("*") if file.is_file())
    return [file.name for file in files if text.encode() in file.read_bytes()]


def secret_months() -> list[Event]:
    return [
        Event(start=each.start, duration=each.duration, data=each.data.replace(b"2026-0", b"secret plans of 2026-0"))
        for each in months()
    ]


def months() -> list[Event]:
    return months_of("2026-01-02", "2026-02-02", events=300)
