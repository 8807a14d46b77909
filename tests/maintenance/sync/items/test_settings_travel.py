"""Settings and annotations: the last edit wins on all devices, and nothing replaced is lost."""

import asyncio
from pathlib import Path
from typing import Any

import msgspec
import pytest

from dayline.maintenance.sync.items import ledger, model
from dayline.maintenance.sync.items.ledger import origins_of
from dayline.model.category import CATEGORIES, CLASSES
from dayline.model.data import canonical_json
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET, Annotation, annotations_bucket, event_of_annotation
from dayline.model.settings.history import HistoryFilter, SettingBefore, SettingPair
from dayline.model.time import DAY, SECOND, now_us, parse_timestamp
from tests.maintenance.sync.devices import NOW, SyncedDevice, device_on, event
from tests.support.storage.engines import Engine, Engines

Pair = tuple[Engine, Engine]


@pytest.fixture(params=["files", "servers"])
def pair(request: pytest.FixtureRequest) -> Pair:
    """Two empty databases: two files, or two of PostgreSQL."""
    engines: Engines = request.getfixturevalue(request.param)
    return engines.new(), engines.new()


async def set_own(device: SyncedDevice, key: str, value: object) -> None:
    before = now_us() // 1000
    while now_us() // 1000 == before:  # no two edits are in the same millisecond
        await asyncio.sleep(0)
    await device.access.change_own_settings({key: None if value is None else canonical_json(value)})


def own(device: SyncedDevice, key: str) -> Any:
    text = device.access.own_setting(key)
    return None if text is None else msgspec.json.decode(text)


async def annotate(device: SyncedDevice, label: str, *, hour: int = 9) -> int:
    """Add an annotation; returns its id."""
    start = parse_timestamp(f"2026-03-18T{hour:02}:00:00Z")
    made = event_of_annotation(Annotation(id=0, kind="label", label=label, start=start, end=start + SECOND))
    return (await device.store.edits.add(annotations_bucket(NOW), made)).events[0].event.id


def labels(device: SyncedDevice) -> list[str]:
    if ANNOTATIONS_BUCKET not in device.store.buckets():
        return []
    return sorted(msgspec.json.decode(each.data)["label"] for each in device.events_with_ids(ANNOTATIONS_BUCKET))


async def sync(*devices: SyncedDevice) -> None:
    """Run passes until all devices have had a chance to answer."""
    for device in devices * 2:
        assert (await device.sync.run()).problem is None


async def joined(laptop: SyncedDevice, desktop: SyncedDevice, folder: Path) -> None:
    await laptop.add("window", event("2026-03-18T15:00:00Z"))
    invite = await laptop.sync.start(str(folder))
    await desktop.sync.join(str(folder), invite.invite)
    await sync(laptop, desktop)


def test_settings_of_every_kind_travel_and_others_do_not(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            shared: dict[str, object] = {
                "day_start": "05:00",
                "goals": {"goals": []},
                "work_hours": {"days": []},
                "projects": {"projects": [{"name": "ACME"}]},
                "report:Invoice": {"kind": "time"},
                "privacy_rules": [{"kind": "drop", "app": "Signal"}],
            }
            for key, value in shared.items():
                await set_own(laptop, key, value)
            await set_own(laptop, "retention", [{"bucket": "window", "days": 365}])
            await laptop.store.set_setting("dayline.saved_views", b'[{"name":"Week"}]')
            await laptop.store.set_setting("privacy_filters", b"[]")
            await laptop.store.set_setting("initialTimestamp", b'"2026-01-01"')
            await joined(laptop, desktop, tmp_path)

            assert {key: own(desktop, key) for key in shared} == shared
            assert own(desktop, "retention") is None
            assert desktop.store.setting("dayline.saved_views") == b'[{"name":"Week"}]'
            assert desktop.store.setting("initialTimestamp") is None
            assert (laptop.rules_changed, desktop.rules_changed) == (0, 1)

    asyncio.run(run())


def test_the_later_edit_wins_and_the_replaced_value_stays_in_the_history(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await joined(laptop, desktop, tmp_path)
            await set_own(laptop, "day_start", "05:00")
            await set_own(desktop, "day_start", "06:00")
            await sync(laptop, desktop)

            assert (own(laptop, "day_start"), own(desktop, "day_start")) == ("06:00", "06:00")
            changes = laptop.access.own_setting_history(HistoryFilter(key="day_start"))
            assert [change.value for change in changes] == [b'"06:00"', b'"05:00"']
            origins = origins_of(laptop.ledger)
            assert [origins.get(("own", change.number)) for change in changes] == ["desktop", None]

            await set_own(laptop, "day_start", "05:00")  # as the undo of the page does
            await sync(laptop, desktop)
            assert own(desktop, "day_start") == "05:00"

    asyncio.run(run())


def test_a_device_that_joins_keeps_what_it_edited_later_and_defaults_overwrite_nothing(
    pair: Pair, tmp_path: Path
) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await set_own(desktop, "day_start", "06:00")
            await set_own(laptop, "day_start", "05:00")
            await set_own(laptop, "theme", "dark")
            await set_own(desktop, "week_start", "sunday")
            await set_own(laptop, "week_start", "monday")
            await set_own(desktop, "week_start", "saturday")
            await joined(laptop, desktop, tmp_path)

            for device in (laptop, desktop):
                assert [own(device, key) for key in ("day_start", "theme", "week_start")] == [
                    "05:00",
                    "dark",
                    "saturday",
                ]

    asyncio.run(run())


def test_a_deletion_travels_and_is_forgotten_after_400_days(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await set_own(laptop, "report:Invoice", {"kind": "time"})
            await joined(laptop, desktop, tmp_path)
            await set_own(desktop, "report:Invoice", None)
            await sync(laptop, desktop)
            assert own(laptop, "report:Invoice") is None
            assert "own:report:Invoice" in laptop.ledger.known

            laptop.clock.now = laptop.clock.now + 20_000 * DAY  # tests set the times of settings by the real clock
            await laptop.sync.run()
            assert "own:report:Invoice" not in laptop.ledger.known

    asyncio.run(run())


def test_categories_are_one_item_with_the_classes_of_clients(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            classes = canonical_json([{"name": ["Work"], "rule": {"type": "regex", "regex": "Mail"}}])
            fields = [{"name": ["Work"], "priority": 3}]

            def compose(before: SettingBefore) -> SettingPair:
                text = canonical_json({"change": before.next, "author": "web UI", "fields": fields})
                return SettingPair(value=classes, own=text)

            await desktop.store.set_setting("theme", b'"x"')  # so that numbers of changes differ
            await laptop.store.change_setting_pair(CLASSES, CATEGORIES, compose)
            await joined(laptop, desktop, tmp_path)

            assert desktop.store.setting(CLASSES) == classes
            newest = desktop.store.setting_history(HistoryFilter(key=CLASSES, limit=1))[0]
            assert own(desktop, CATEGORIES) == {"change": newest.number, "author": "laptop", "fields": fields}

    asyncio.run(run())


def test_annotations_travel_with_edits_deletions_and_undo(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            first = await annotate(laptop, "Stand-up")
            await joined(laptop, desktop, tmp_path)
            await annotate(desktop, "Lunch", hour=12)
            await sync(laptop, desktop)
            assert labels(laptop) == labels(desktop) == ["Lunch", "Stand-up"]

            deleted = await laptop.store.edits.edit(ANNOTATIONS_BUCKET, first, lambda stored: None)
            await sync(laptop, desktop)
            assert labels(desktop) == ["Lunch"]
            (entry,) = [each for each in desktop.store.trash.all() if each.kind == "delete_events"]
            assert entry.by == "laptop"

            assert deleted.undo is not None
            await laptop.store.trash.undo(deleted.undo)
            await sync(laptop, desktop)
            assert labels(desktop) == ["Lunch", "Stand-up"]

    asyncio.run(run())


def test_of_too_many_annotations_the_newest_travel_and_the_others_are_reported(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "_MAX_ANNOTATIONS", 3)

    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await set_own(laptop, "day_start", "05:00")
            ids = [await annotate(laptop, f"at {hour}", hour=hour) for hour in (7, 8, 9, 10)]
            await joined(laptop, desktop, tmp_path)

            assert labels(desktop) == ["at 10", "at 8", "at 9"]
            assert own(desktop, "day_start") == "05:00"
            report = await laptop.sync.run()
            assert report.warnings == ["1 annotation is not shared: devices share at most 3"]

            await annotate(laptop, "at 11", hour=11)
            await sync(laptop, desktop)
            assert labels(desktop) == ["at 10", "at 8", "at 9"]  # what is shared stays shared

            await laptop.store.edits.edit(ANNOTATIONS_BUCKET, ids[1], lambda stored: None)
            await sync(laptop, desktop)
            assert labels(desktop) == ["at 10", "at 11", "at 9"]
            assert len(labels(laptop)) == 4

            await laptop.store.edits.edit(ANNOTATIONS_BUCKET, ids[0], lambda stored: None)
            await sync(laptop, desktop)
            assert labels(desktop) == labels(laptop) == ["at 10", "at 11", "at 9"]
            assert (await laptop.sync.run()).warnings == []

    asyncio.run(run())


def test_no_more_items_are_published_than_others_accept(
    pair: Pair, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ledger, "MAX_ITEMS", 2)
    monkeypatch.setattr(model, "MAX_ITEMS", 2)

    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await annotate(laptop, "a", hour=7)
            await annotate(laptop, "b", hour=8)
            await joined(laptop, desktop, tmp_path)
            await annotate(desktop, "c", hour=9)
            await annotate(desktop, "d", hour=10)
            await sync(laptop, desktop)

            assert labels(desktop) == labels(laptop) == ["a", "b", "c", "d"]
            assert (await desktop.sync.run()).is_identical

    asyncio.run(run())


def test_an_undo_of_what_came_from_another_device_is_an_edit(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            first = await annotate(laptop, "Stand-up")
            await joined(laptop, desktop, tmp_path)
            await laptop.store.edits.edit(ANNOTATIONS_BUCKET, first, lambda stored: None)
            await sync(laptop, desktop)
            (entry,) = [each for each in desktop.store.trash.all() if each.kind == "delete_events"]
            await desktop.store.trash.undo(entry.id)
            await sync(desktop, laptop)

            assert labels(laptop) == labels(desktop) == ["Stand-up"]

    asyncio.run(run())


def test_devices_with_copies_of_the_same_annotations_have_each_once(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            for device in (laptop, desktop):  # both were made of one archive
                for number in range(6):
                    await annotate(device, f"Meeting {number}", hour=number)
            await annotate(laptop, "Twice")
            await annotate(laptop, "Twice")
            await joined(laptop, desktop, tmp_path)
            await sync(laptop, desktop)

            expected = [*(f"Meeting {number}" for number in range(6)), "Twice", "Twice"]
            assert labels(laptop) == labels(desktop) == expected
            first = laptop.events_with_ids(ANNOTATIONS_BUCKET)[-1].id
            await laptop.store.edits.edit(ANNOTATIONS_BUCKET, first, lambda stored: None)
            await sync(laptop, desktop)
            assert labels(laptop) == labels(desktop) == expected[1:]

    asyncio.run(run())


def test_a_pass_without_edits_writes_nothing(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await annotate(laptop, "Stand-up")
            await set_own(laptop, "day_start", "05:00")
            await joined(laptop, desktop, tmp_path)
            files = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
            revisions = [device.store.revision for device in (laptop, desktop)]
            await sync(laptop, desktop)

            assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")} == files
            assert [device.store.revision for device in (laptop, desktop)] == revisions

    asyncio.run(run())


def test_a_missing_file_is_waited_for_and_a_damaged_one_changes_nothing(pair: Pair, tmp_path: Path) -> None:
    async def run() -> None:
        async with device_on(pair[0]) as laptop, device_on(pair[1], "desktop") as desktop:
            await joined(laptop, desktop, tmp_path)
            await set_own(laptop, "day_start", "05:00")
            before = set(tmp_path.rglob("*"))
            await laptop.sync.run()
            (file,) = set(tmp_path.rglob("*")) - before
            content = file.read_bytes()

            file.unlink()
            report = await desktop.sync.run()
            assert [(each.state, each.waiting) for each in report.devices] == [("waiting", 1)]
            file.write_bytes(content[:-20])
            report = await desktop.sync.run()
            assert "cannot be used" in report.devices[0].text
            assert own(desktop, "day_start") is None
            file.write_bytes(content)
            assert (await desktop.sync.run()).is_identical
            assert own(desktop, "day_start") == "05:00"

    asyncio.run(run())
