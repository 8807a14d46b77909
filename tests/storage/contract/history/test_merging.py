"""A bucket merged into another: every event goes over once, what is there is skipped, undo restores both exactly."""

import asyncio
from typing import Any

import msgspec
import pytest

from dayline.model.bucket import BucketChange
from dayline.model.errors import BucketNotFound, Conflict, Gone
from dayline.model.event import Event
from dayline.model.privacy.redaction import RedactionOrder
from dayline.model.privacy.rules import PrivacyRule, RuleBook
from dayline.model.time import SECOND
from dayline.storage.history.contract import TrashPolicy
from dayline.storage.store import Store
from tests.support.storage.engines import Engine, rows
from tests.support.storage.opened import beat, bucket, events_of, everything, play, sent
from tests.support.storage.redacting import planned_in_this_process
from tests.support.waiting import eventually_async


def longer(event: Event, seconds: float) -> Event:
    return msgspec.structs.replace(event, duration=round(seconds * SECOND))


def shown(store: Store, bucket_id: str) -> list[tuple[str, float, str]]:
    return [(event["timestamp"], event["duration"], event["data"]["app"]) for event in events_of(store, bucket_id)]


def test_all_events_go_over_and_the_old_id_leads_there(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = shown(store, "old")
        await store.insert("other", [beat(100, app="theirs")])

        merged = await store.moves.merge("old", "other")

        assert (merged.bucket, merged.into, merged.events, merged.moved, merged.skipped) == ("old", "other", 5, 5, 0)
        assert list(store.buckets()) == ["other"]
        assert shown(store, "other") == [*before, ("2026-01-01T10:01:40Z", 0.0, "theirs")]
        assert store.bucket("old").id == "other"
        assert store.bucket("other").start == store.event("other", 7).start
        await sent(store, "old", beat(101, app="theirs"))
        assert shown(store, "other")[-1][1] == 1
        assert [(alias.id, alias.bucket) for alias in store.moves.aliases()] == [("old", "other")]

    play(engine, scenario)


def test_identical_events_are_skipped_and_the_preview_counts_them(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.insert("other", [beat(0, app="app 0"), longer(beat(1, app="app 1"), 1.5), beat(2, app="else")])
        await store.insert("old", [longer(beat(2.2, app="over"), 1), longer(beat(9, app="clear"), 1)])
        await store.update_bucket("other", BucketChange(client="another", hostname="desktop"))
        before = everything(store)

        preview = await store.moves.preview_merge("old", "other")

        assert everything(store) == before
        assert (preview.events, preview.moved, preview.skipped, preview.overlapping) == (7, 6, 1, 1)
        assert preview.warnings == [
            "different clients: 'test-client' and 'another'",
            "different host names: 'laptop' and 'desktop'",
        ]
        assert preview.undo is None
        merged = await store.moves.merge("old", "other")
        assert msgspec.structs.replace(merged, undo=None) == preview
        assert len(events_of(store, "other")) == 9

    play(engine, scenario)


def test_what_is_there_twice_goes_over_twice(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.insert("old", [longer(beat(9, app="twice"), 1)] * 2)
        preview = await store.moves.preview_merge("old", "other")
        merged = await store.moves.merge("old", "other")
        assert (merged.moved, merged.skipped) == (preview.moved, preview.skipped) == (7, 0)
        assert [app for *_, app in shown(store, "other")].count("twice") == 2

    play(engine, scenario)


@pytest.mark.parametrize(
    ("theirs", "overlapping"),
    [
        ((-10, 9), 0),  # ends before
        ((-10, 10), 0),  # ends where ours begins
        ((-10, 11), 1),
        ((-10, 100), 1),
        ((1, 1), 1),
        ((0, 2), 1),
        ((2, 1), 0),  # begins where ours ends
        ((1, 0), 0),  # has no length
    ],
)
def test_overlaps_are_counted(engine: Engine, theirs: tuple[int, int], overlapping: int) -> None:
    async def scenario(store: Store) -> None:
        start, seconds = theirs
        await store.create_bucket(bucket("one"))
        await store.insert("one", [longer(beat(0), 2)])
        await store.insert("other", [beat(-50), longer(beat(start, app="theirs"), seconds), longer(beat(50), 9)])
        assert (await store.moves.preview_merge("one", "other")).overlapping == overlapping

    play(engine, scenario)


def test_a_bucket_without_events_can_be_merged_and_brought_back(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        merged = await store.moves.merge("other", "old")
        assert (merged.events, merged.moved) == (0, 0)
        await store.trash.undo(merged.undo or 0)
        assert everything(store) == before

    play(engine, scenario)


def test_undo_restores_both_exactly(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.insert("other", [beat(0, app="app 0"), beat(100, app="theirs")])
        before = everything(store)
        merged = await store.moves.merge("old", "other")
        assert everything(store) != before

        undone = await store.trash.undo(merged.undo or 0)

        assert (undone.kind, undone.bucket, undone.events) == ("merge_buckets", "old", 5)
        assert everything(store) == before
        assert store.trash.all() == []
        with pytest.raises(Gone):
            await store.trash.undo(merged.undo or 0)

    play(engine, scenario)


def test_undo_works_after_a_restart(engine: Engine) -> None:
    seen: list[Any] = []

    async def first(store: Store) -> None:
        seen.extend([everything(store), (await store.moves.merge("old", "other")).undo])

    async def second(store: Store) -> None:
        assert len(events_of(store, "old")) == 5
        await store.trash.undo(seen[1])
        assert everything(store) == seen[0]

    play(engine, first, second)


def test_what_was_recorded_since_stays_and_growth_goes_back(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        merged = await store.moves.merge("old", "other")
        await sent(store, "old", beat(7, app="app 4"))  # makes the newest event longer, which came with the merge
        await sent(store, "old", beat(60, app="later"))

        await store.trash.undo(merged.undo or 0)

        assert shown(store, "other") == [("2026-01-01T10:01:00Z", 0.0, "later")]
        assert shown(store, "old")[-1] == ("2026-01-01T10:00:04Z", 3.0, "app 4")
        assert store.bucket("old").end == beat(7).start
        await sent(store, "old", beat(9, app="app 4"))
        assert shown(store, "old")[-1] == ("2026-01-01T10:00:04Z", 5.0, "app 4")
        assert store.count("old", start=beat(8).start, end=None) == 1

    play(engine, scenario)


def test_later_changes_of_what_came_over_are_named(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        merged = await store.moves.merge("old", "other")
        event_id = events_of(store, "other")[0]["id"]
        deleted = await store.delete_event("other", event_id)
        between = everything(store)

        with pytest.raises(Conflict, match=f"were changed since by operation {deleted}"):
            await store.trash.undo(merged.undo or 0)

        assert everything(store) == between
        await store.trash.undo(deleted or 0)
        await store.trash.undo(merged.undo or 0)
        assert everything(store) == before

    play(engine, scenario)


@pytest.mark.parametrize("change", ["deleted", "changed"])
def test_what_was_changed_for_good_since_does_not_come_back(engine: Engine, change: str) -> None:
    async def scenario(store: Store) -> None:
        merged = await store.moves.merge("old", "other")
        event_id = events_of(store, "other")[0]["id"]
        if change == "deleted":
            later = await store.delete_event("other", event_id)
        else:
            later = (await store.insert("other", [msgspec.structs.replace(beat(0, app="x"), id=event_id)])).undo
        await store.trash.empty(later or 0)
        before = everything(store)

        with pytest.raises(Conflict, match=f"(event {event_id}|events) of bucket 'other'.*{change} since"):
            await store.trash.undo(merged.undo or 0)

        assert everything(store) == before

    play(engine, scenario)


def test_a_chain_of_merges_and_renames_keeps_every_watcher_going(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.create_bucket(bucket("third"))
        seen, undos = list[object](), list[int]()
        for move in ("rename", "merge", "merge again", "rename again"):
            seen.append(everything(store))
            match move:
                case "rename":
                    undos.append((await store.moves.rename("old", "newer")).undo)
                case "merge":
                    undos.append((await store.moves.merge("newer", "other")).undo or 0)
                case "merge again":
                    undos.append((await store.moves.merge("other", "third")).undo or 0)
                case _:
                    undos.append((await store.moves.rename("third", "newer")).undo)
        for bucket_id in ("old", "newer", "other", "third"):
            assert store.bucket(bucket_id).id == "newer"
            assert len(events_of(store, bucket_id)) == 5
            with pytest.raises(Conflict):
                await store.trash.undo(undos[0])
        with pytest.raises(Conflict, match="'other' was deleted or merged since"):
            await store.trash.undo(undos[1])
        while undos:
            await store.trash.undo(undos.pop())
            assert everything(store) == seen.pop()

    play(engine, scenario)


def test_what_cannot_be_merged_is_rejected(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.update_bucket("other", BucketChange(type="another.type"))
        before = everything(store)
        with pytest.raises(Conflict, match="into itself"):
            await store.moves.merge("old", "old")
        with pytest.raises(Conflict, match=r"different types: 'test\.type' and 'another\.type'"):
            await store.moves.merge("old", "other")
        with pytest.raises(BucketNotFound):
            await store.moves.merge("old", "nowhere")
        with pytest.raises(BucketNotFound):
            await store.moves.merge("nowhere", "other")
        assert everything(store) == before
        assert (await store.moves.merge("old", "other", is_forced=True)).moved == 5

    play(engine, scenario)


def test_while_a_merge_continues_its_buckets_stay_and_the_trash_keeps_it(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.insert("old", [beat(second, app=f"many {second}") for second in range(100, 4100)])
        merging = asyncio.ensure_future(store.moves.merge("old", "other"))
        begun: list[int] = []

        def has_begun() -> bool:
            begun[:] = [item.id for item in store.trash.all() if item.state == "doing"]
            return begun != []

        await eventually_async(has_begun, during=merging, pause_s=0)
        with pytest.raises(Conflict, match="being merged"):
            await store.delete_bucket("other")
        assert await store.trash.empty() == 0
        with pytest.raises(Conflict, match="still running"):
            await store.trash.empty(begun[0])
        assert (await merging).moved == 4005

    play(engine, scenario)


def test_a_merge_that_expires_from_the_trash_leaves_only_the_target(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        await store.moves.merge("old", "other")
        left = {"bucket": 1, "operation": 0, "event": 5, "value": 5}
        await eventually_async(lambda: all(rows(engine, table) <= most for table, most in left.items()))
        assert len(events_of(store, "old")) == 5

    play(engine, scenario, trash=TrashPolicy(days=0))


def test_a_merge_is_not_undone_behind_the_back_of_privacy_rules(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        merged = await store.moves.merge("old", "other")
        rule = PrivacyRule(field="app", pattern="app 3", action="redact")
        redaction = await store.redactions.apply(RedactionOrder(book=RuleBook(rules=[rule])))

        with pytest.raises(Conflict, match="bucket 'other' was redacted since"):
            await store.trash.undo(merged.undo or 0)

        await store.trash.undo(redaction.undo or 0)
        await store.trash.undo(merged.undo or 0)
        assert everything(store) == before

    with planned_in_this_process():
        play(engine, scenario)


def test_a_merge_after_privacy_rules_takes_the_texts_as_they_are(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        rule = PrivacyRule(field="app", pattern="app 3", action="redact")
        redaction = await store.redactions.apply(RedactionOrder(book=RuleBook(rules=[rule])))

        merged = await store.moves.merge("old", "other")

        assert [app for *_, app in shown(store, "other")] == ["app 0", "app 1", "app 2", "REDACTED", "app 4"]
        with pytest.raises(Conflict, match="merged into another one since"):
            await store.trash.undo(redaction.undo or 0)
        await store.trash.undo(merged.undo or 0)
        await store.trash.undo(redaction.undo or 0)
        assert everything(store) == before

    with planned_in_this_process():
        play(engine, scenario)


def test_a_deleted_bucket_whose_id_was_made_again_is_merged_with_it(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        undo = await store.delete_bucket("old")
        await store.create_bucket(msgspec.structs.replace(bucket("old"), hostname="new-host"))
        await store.insert("old", [beat(3, app="app 3"), beat(50, app="in between")])
        between = everything(store)
        with pytest.raises(Conflict, match="another bucket now has the id 'old'"):
            await store.trash.undo(undo, is_merging=False)
        assert everything(store) == between

        undone = await store.trash.undo(undo)

        assert undone.merged
        assert list(store.buckets()) == ["old", "other"]
        assert store.bucket("old").hostname == "laptop"
        assert [event["id"] for event in events_of(store, "old")][:5] == [1, 2, 3, 4, 5]
        assert [app for *_, app in shown(store, "old")] == [*(f"app {n}" for n in range(5)), "in between"]
        await sent(store, "old", beat(51, app="in between"))

        together = shown(store, "old")
        [merge] = store.trash.all()
        assert (merge.kind, merge.bucket, merge.state) == ("merge_buckets", "old", "done")
        await store.trash.undo(merge.id)
        assert list(store.buckets()) == ["other", "old"]
        assert store.bucket("old").hostname == "new-host"
        assert shown(store, "old")[-1] == ("2026-01-01T10:00:50Z", 1.0, "in between")
        [deleted] = store.trash.all()
        assert (deleted.kind, deleted.events) == ("delete_bucket", 5)
        assert (await store.trash.undo(deleted.id)).merged
        assert shown(store, "old") == together

    play(engine, scenario)


def test_a_deleted_bucket_whose_id_is_free_is_not_merged(engine: Engine) -> None:
    async def scenario(store: Store) -> None:
        before = everything(store)
        undone = await store.trash.undo(await store.delete_bucket("old"))
        assert not undone.merged
        assert everything(store) == before

    play(engine, scenario)
