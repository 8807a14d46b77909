"""A store that is limited to some buckets: every public method is checked, so that none can be forgotten."""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import pytest

from dayline.model.access import BucketNames, Once
from dayline.model.bucket import BucketChange
from dayline.model.edits.selection import Selection
from dayline.model.errors import BucketNotFound, DaylineError, Forbidden, NotFound
from dayline.model.settings.history import HistoryFilter
from dayline.model.time import SECOND
from dayline.model.upkeep.undo import JournalNote
from dayline.storage.store import Store
from tests.support.storage.engines import Engine
from tests.support.storage.opened import BEGIN, beat, bucket, opened_on

NAMES: Final = BucketNames(("mine", "former-*"))
ALL_TIME: Final[Mapping[str, Any]] = {"start": None, "end": None}

# What each method of another's bucket does for the caller: it raises, as if there were no such bucket.
OF_A_BUCKET: Final[Mapping[str, Callable[[Store], Any]]] = {
    "bucket": lambda store: store.bucket("other"),
    "event": lambda store: store.event("other", 1),
    "events": lambda store: list(store.events("other", limit=None, **ALL_TIME)),
    "whole_events": lambda store: list(store.whole_events("other", **ALL_TIME)),
    "exported_events": lambda store: list(store.exported_events("other")),
    "exported_lines": lambda store: list(store.exported_lines("other", "csv", "")),
    "count": lambda store: store.count("other", **ALL_TIME),
    "counts": lambda store: store.counts("other", [BEGIN, BEGIN + SECOND]),
    "heartbeat": lambda store: store.heartbeat("other", beat(1), pulsetime=0, done=lambda outcome: None),
    "create_bucket": lambda store: store.create_bucket(bucket("new")),
    "update_bucket": lambda store: store.update_bucket("other", BucketChange(client="me")),
    "delete_bucket": lambda store: store.delete_bucket("other"),
    "insert": lambda store: store.insert("other", [beat(1)]),
    "delete_event": lambda store: store.delete_event("other", 1),
}
OF_THE_WHOLE_STORE: Final[Mapping[str, Callable[[Store], Any]]] = {
    "redactions": lambda store: store.redactions,
    "revision": lambda store: store.revision,
    "settings": lambda store: store.settings(),
    "setting": lambda store: store.setting("key"),
    "setting_history": lambda store: store.setting_history(HistoryFilter()),
    "delete_buckets": lambda store: store.delete_buckets(["mine"]),
    "correct_events": lambda store: store.correct_events({}),
    "set_setting": lambda store: store.set_setting("key", b"1"),
    "delete_setting": lambda store: store.delete_setting("key"),
    "change_setting_pair": lambda store: store.change_setting_pair("key", "own", lambda before: pytest.fail("asked")),
    "begin": lambda store: store.begin(),
    "survey_import": lambda store: store.survey_import([]),
    "import_files": lambda store: store.import_files([]),
}
# In tests of their own.
WITH_A_LIST: Final = {"once", "noted", "limited_to", "trash", "moves", "edits", "own_id", "buckets", "mirrors"}
OF_EDITS: Final[Mapping[str, Callable[[Store], Any]]] = {
    "event": lambda store: store.edits.event("other", 1),
    "select": lambda store: store.edits.select(Selection(bucket="other"), after=None, limit=1, is_newest_first=True),
    "survey": lambda store: store.edits.survey(Selection(bucket="other")),
    "add": lambda store: store.edits.add(bucket("new"), beat(1)),
    "edit": lambda store: store.edits.edit("other", 1, lambda stored: None),
    "split": lambda store: store.edits.split("other", 1, BEGIN, check=lambda stored: None),
    "delete_selected": lambda store: store.edits.delete_selected(Selection(bucket="other")),
}
OF_MOVES: Final[Mapping[str, Callable[[Store], Any]]] = {
    "remove_alias": lambda store: store.moves.remove_alias("other-alias"),
    "rename": lambda store: store.moves.rename("other", "former-other"),
    "preview_merge": lambda store: store.moves.preview_merge("mine", "other"),
    "merge": lambda store: store.moves.merge("other", "mine"),
    "preview_rehost": lambda store: store.moves.preview_rehost("other", "desktop"),
    "rehost": lambda store: store.moves.rehost("other", "desktop"),
}


def public(cls: type) -> set[str]:
    return {name for name, _ in inspect.getmembers(cls) if not name.startswith("_")}


async def error_of(call: Callable[[Store], Any], store: Store) -> type[DaylineError] | None:
    try:
        result = call(store)
        if isinstance(result, Awaitable):
            await result
    except DaylineError as error:
        return type(error)
    return None


async def outcomes(calls: Mapping[str, Callable[[Store], Any]], store: Store) -> dict[str, type[DaylineError] | None]:
    return {name: await error_of(call, store) for name, call in calls.items()}


async def prepare(store: Store) -> None:
    """Buckets `mine` and `other` with an event each, and the alias `former-other` of `other`."""
    for name in ("mine", "other-alias"):
        await store.create_bucket(bucket(name))
        await store.insert(name, [beat(0)])
    await store.moves.rename("other-alias", "former-other")
    await store.moves.rename("former-other", "other")


def test_every_method_of_the_store_checks_the_caller(engine: Engine) -> None:
    async def test() -> None:
        async with opened_on(engine) as store:
            await prepare(store)
            limited = store.limited_to(NAMES)

            assert public(Store) == {*OF_A_BUCKET, *OF_THE_WHOLE_STORE, *WITH_A_LIST}
            assert await outcomes(OF_A_BUCKET, limited) == dict.fromkeys(OF_A_BUCKET, BucketNotFound)
            assert await outcomes(OF_THE_WHOLE_STORE, limited) == dict.fromkeys(OF_THE_WHOLE_STORE, Forbidden)
            assert set(limited.once(Once(token="token", until=BEGIN)).buckets()) == {"mine"}
            assert store.limited_to(BucketNames()) is store

    asyncio.run(test())


def test_edits_and_moves_check_the_caller(engine: Engine) -> None:
    async def test() -> None:
        async with opened_on(engine) as store:
            await prepare(store)
            limited = store.limited_to(NAMES)

            assert public(type(store.edits)) == set(OF_EDITS)
            assert public(type(store.moves)) == {*OF_MOVES, "aliases"}
            assert await outcomes(OF_EDITS, limited) == dict.fromkeys(OF_EDITS, BucketNotFound)
            assert await outcomes(OF_MOVES, limited) == {
                **dict.fromkeys(OF_MOVES, BucketNotFound),
                "remove_alias": NotFound,
            }
            assert await error_of(lambda store: store.moves.rename("mine", "elsewhere"), limited) is Forbidden
            assert limited.moves.aliases() == []  # of another's bucket, although the alias itself is in the names
            assert [alias.id for alias in store.moves.aliases()] == ["former-other", "other-alias"]

    asyncio.run(test())


def test_an_alias_in_the_names_may_record_and_read_nothing(engine: Engine) -> None:
    async def test() -> None:
        async with opened_on(engine) as store:
            await prepare(store)
            limited = store.limited_to(NAMES)

            assert len((await limited.insert("former-other", [beat(5)])).events) == 1
            assert store.count("other", **ALL_TIME) == 2
            assert await error_of(lambda store: store.count("former-other", **ALL_TIME), limited) is BucketNotFound
            assert limited.own_id("former-other") == "former-other"
            assert store.own_id("former-other") == "other"
            assert set(limited.buckets()) == {"mine"}

    asyncio.run(test())


def test_the_trash_has_the_operations_on_a_callers_buckets(engine: Engine) -> None:
    async def test() -> None:
        async with opened_on(engine) as store:
            await prepare(store)
            await store.trash.empty()
            noted = store.noted(JournalNote(group="g"))
            own, other = await store.delete_bucket("mine"), await noted.delete_bucket("other")
            limited = store.limited_to(NAMES)

            assert public(type(store.trash)) == {"all", "undo", "undo_group", "empty", *OF_A_TENANT}
            assert [item.id for item in limited.trash.all()] == [own]
            assert await error_of(lambda store: store.trash.undo(other), limited) is NotFound
            assert await error_of(lambda store: store.trash.empty(other), limited) is NotFound
            assert await error_of(lambda store: store.trash.undo_group("g"), limited) is NotFound
            assert await limited.trash.empty() == 1
            assert [item.id for item in store.trash.all()] == [other]

    asyncio.run(test())


OF_A_TENANT: Final = {"start", "close", "through", "expire_if_disabled"}  # for the engine, not for handlers
