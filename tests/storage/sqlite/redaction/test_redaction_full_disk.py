"""A full disk in the middle of a redaction: the call fails, and the redaction resumes when there is space again."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

import dayline.storage.sqlite.redaction.engine as redactions_module
from dayline.model.errors import StoreBusy
from dayline.model.privacy.redaction import RedactionPreview
from dayline.storage.redaction.work import Steps
from dayline.storage.sqlite.redaction.plan_worker import plan
from dayline.storage.store import Store
from dayline.storage.writing import holding
from tests.support.privacy import rule
from tests.support.storage.engines import SqliteEngine
from tests.support.storage.redacting import event, order, rows_of, store_of, titles
from tests.support.storage.slow_disk import Disk
from tests.support.waiting import eventually_async

HIDE = rule("secret", replacement="hidden")


async def until(store: Store, state: str) -> None:
    await eventually_async(lambda: store.redactions.all()[0].state == state)


def test_applying_and_undoing_continue_when_there_is_space_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(holding, "GIVE_UP_S", 0.1)
    disk = Disk(tmp_path / "disk")
    each, repeat = Steps.each, Steps.repeat
    is_filling = iter([True, False, False, False, True])  # applying, the three steps of it again, undoing

    async def filling(steps: Steps, *details: Any) -> None:
        if next(is_filling, False):
            disk.fill()
        await each(steps, *details)

    async def filling_again(steps: Steps, *details: Any) -> None:
        if next(is_filling, False):
            disk.fill()
        await repeat(steps, *details)

    monkeypatch.setattr(Steps, "each", filling)
    monkeypatch.setattr(Steps, "repeat", filling_again)

    async def scenario() -> None:
        async with store_of(
            SqliteEngine(tmp_path, retry_s=0.05), *[event(n, f"secret {n}") for n in range(300)]
        ) as store:
            before = rows_of(store, "window")
            with pytest.raises(StoreBusy) as raised:
                await store.redactions.apply(order(HIDE))
            assert raised.value.hint == "Dayline resumes what was begun automatically"
            assert store.redactions.all()[0].state == "applying"

            disk.quick()
            await until(store, "applied")
            assert titles(store) == ["hidden"] * 300

            with pytest.raises(StoreBusy):
                await store.redactions.undo(1)
            disk.quick()
            await until(store, "undone")
            assert rows_of(store, "window") == before

    with disk.mounted():
        asyncio.run(scenario())


def test_one_that_cannot_begin_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holding, "GIVE_UP_S", 0.1)
    disk = Disk(tmp_path / "disk")

    async def scenario() -> None:
        async with store_of(SqliteEngine(tmp_path), event(0, "secret")) as store:

            async def filling(*details: Any, **options: Any) -> RedactionPreview:
                preview = plan(*details, **options)
                disk.fill()
                return preview

            monkeypatch.setattr(redactions_module, "run_plan", filling)
            with pytest.raises(StoreBusy):
                await store.redactions.apply(order(HIDE))
            disk.quick()
            assert store.redactions.all() == []
            assert titles(store) == ["secret"]

    with disk.mounted():
        asyncio.run(scenario())
    assert list(tmp_path.glob("*.d/redaction-*")) == []
