"""Which version of each item is here, and what follows from the items of another device.

Nothing is noted when an item is edited: an edit is recognized because the value differs from the last known one. Its
time is that of the history for settings, and that of the pass for annotations.
"""

import secrets
from collections.abc import Callable, Sequence
from typing import Final

import msgspec
from msgspec import Struct, structs

from dayline.maintenance.sync.items.clocks import Stamp
from dayline.maintenance.sync.items.model import MAX_ITEMS, Item, content_digest, item_of
from dayline.maintenance.sync.items.settings import apply_setting, changed_at, is_usable, shared_settings, was_deleted
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.event import Event
from dayline.model.settings.history import Owner
from dayline.model.time import DAY, LATEST, Microseconds
from dayline.runtime.text import quantity
from dayline.storage.writing.shared_items import ItemReads, ItemWrites

TOMBSTONES_KEPT: Final[Microseconds] = 400 * DAY
_ANNOTATION: Final = "annotation:"
_MAX_ANNOTATIONS: Final = MAX_ITEMS // 2
_MAX_ORIGINS: Final = 1000  # of changes in the history whose device is known


class Known(Struct, frozen=True, array_like=True):
    """The version of an item that is here: its stamp, the digest of its value, and the event that it is."""

    stamp: Stamp
    digest: str
    event: int = 0


class Ledger(Struct, frozen=True, kw_only=True):
    """All items. `origins` has, by owner and number of a change in the history, the name of the device it came from.

    `applied` has the digest of the items of each device that were applied last.
    """

    known: dict[str, Known] = {}
    origins: dict[str, str] = {}
    applied: dict[str, str] = {}


class AnnotationValue(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The value of an annotation: its event."""

    start: int
    duration: int
    data: msgspec.Raw


class Snapshot(Struct, frozen=True):
    """All items at one time: the ledger with the edits of this device, the values, and how many annotations are left
    out.
    """

    ledger: Ledger
    values: dict[str, CanonicalJson]
    left_out: int

    def items(self, device: str) -> list[Item]:
        """What this device publishes: as many as others accept, its own edits and the newest ones first."""
        known = sorted(self.ledger.known.items(), key=lambda item: (item[1].stamp.device == device, item[1].stamp))
        return [item_of(key, version.stamp, self.values.get(key)) for key, version in known[-MAX_ITEMS:]]


def ledger_of(stored: CanonicalJson | None) -> Ledger:
    return Ledger() if stored is None else msgspec.json.decode(stored, type=Ledger)


def take(reads: ItemReads, device: str, *, now: Microseconds) -> Snapshot:
    """All items, with the edits of this device since the last time."""
    ledger = ledger_of(reads.state())
    values, events, left_out = _values(reads, ledger)
    known: dict[str, Known] = {}
    for key, value in values.items():
        before, digest, event = ledger.known.get(key), content_digest(value), events.get(key, 0)
        if before is not None and before.digest == digest:
            known[key] = before if before.event == event else structs.replace(before, event=event)
            continue
        when = now if key.startswith(_ANNOTATION) else changed_at(reads, key)
        known[key] = Known(_edited(before, when, device), digest, event)
    for key, before in ledger.known.items():
        if key in values or (before.digest == "" and before.stamp.ms * 1000 < now - TOMBSTONES_KEPT):
            continue
        if before.digest == "":
            known[key] = before
        elif key.startswith(_ANNOTATION):
            known[key] = Known(before.stamp.next(now, device), "", before.event)
        elif was_deleted(reads, key):
            known[key] = Known(before.stamp.next(changed_at(reads, key), device), "")
        else:  # it was lost, and comes back from another device
            ledger = structs.replace(ledger, applied={})
    return Snapshot(structs.replace(ledger, known=known), values, left_out)


def merge(
    writes: ItemWrites, device: str, items: Sequence[Item], *, now: Microseconds, names: Callable[[str], str]
) -> list[str]:  # fmt: skip
    """Apply the items that are newer than those here; returns the keys of those that changed.

    `names` are those of devices.
    """
    snapshot = take(writes, device, now=now)
    known, origins = dict(snapshot.ledger.known), dict(snapshot.ledger.origins)
    changed: list[str] = []
    twins = {
        value: key
        for key, value in snapshot.values.items()
        if key.startswith(_ANNOTATION) and known[key].stamp.device == device
    }
    for item in items:
        content = item.content
        digest, before = content_digest(content), known.get(item.key)
        if before is not None and (item.stamp, digest) <= (before.stamp, before.digest):
            continue
        if content is None and before is None:
            if item.stamp.ms * 1000 >= now - TOMBSTONES_KEPT:
                known[item.key] = Known(item.stamp, "")
            continue
        if before is not None and before.digest == digest:
            known[item.key] = structs.replace(before, stamp=item.stamp)
            continue
        twin = None if before is not None or content is None else twins.pop(content, None)
        if twin is not None:
            known |= _united(known[twin], twin, item, device, now=now)
            continue
        event = 0 if before is None else before.event
        if item.key.startswith(_ANNOTATION):
            event = _apply_annotation(writes, event if item.key in snapshot.values else 0, content, now=now) or event
        else:
            by = names(item.stamp.device)
            for of, number in apply_setting(writes, item.key, content, now=now, by=by):
                origins[_origin(of, number)] = by
        known[item.key] = Known(item.stamp, digest, event)
        changed.append(item.key)
    ledger = structs.replace(snapshot.ledger, known=known, origins=dict(list(origins.items())[-_MAX_ORIGINS:]))
    if ledger != ledger_of(writes.state()):
        writes.keep(msgspec.json.encode(ledger))
    return changed


def _united(own: Known, key: str, item: Item, device: str, *, now: Microseconds) -> dict[str, Known]:
    """An annotation of this device and an equal one of another, from a copy of the same database, as one item.

    Both devices keep that with the lower key.
    """
    if key < item.key:
        return {item.key: Known(item.stamp.next(now, device), "")}
    return {key: Known(own.stamp.next(now, device), ""), item.key: structs.replace(own, stamp=item.stamp)}


def usable(items: Sequence[Item]) -> tuple[list[Item], list[str]]:
    """The items that can be applied here, and the keys of the others: of another version, or damaged."""
    fine = [item for item in items if _is_usable(item)]
    keys = {item.key for item in fine}
    return fine, [item.key for item in items if item.key not in keys]


def origins_of(ledger: Ledger) -> dict[tuple[Owner, int], str]:
    """The names of the devices that changes in the history came from, by owner and number."""
    found = ((key.partition(":"), name) for key, name in ledger.origins.items())
    return {("own" if of == "own" else "client", int(number)): name for (of, _, number), name in found}


def _origin(of: Owner, number: int) -> str:
    return f"{of}:{number}"


def _edited(before: Known | None, when: Microseconds, device: str) -> Stamp:
    if before is not None:
        return before.stamp.next(when, device)
    return Stamp(when // 1000, 0, device)  # without a history, it loses against every edit


def _values(reads: ItemReads, ledger: Ledger) -> tuple[dict[str, CanonicalJson], dict[str, int], int]:
    """The values by item, the events of annotations, and how many annotations are left out: the oldest new ones."""
    values = shared_settings(reads)
    keys = {known.event: key for key, known in ledger.known.items() if known.event}
    events: dict[str, int] = {}
    annotations = reads.annotations()
    new = [event.id for event in annotations if event.id not in keys]
    left_out = set(new[: max(0, min(len(new), len(annotations) - _MAX_ANNOTATIONS))])
    for event in annotations:
        if event.id in left_out:
            continue
        # Not made of the id: a database that was restored uses ids again.
        key = keys.get(event.id) or f"{_ANNOTATION}{secrets.token_hex(8)}"
        values[key] = _content_of(event)
        events[key] = event.id
    return values, events, len(left_out)


def left_out_text(snapshot: Snapshot) -> str | None:
    if not snapshot.left_out:
        return None
    verb = "is" if snapshot.left_out == 1 else "are"
    return f"{quantity(snapshot.left_out, 'annotation')} {verb} not shared: devices share at most {_MAX_ANNOTATIONS:,}"


def _content_of(event: Event) -> CanonicalJson:
    # As `canonical_json` writes it, without decoding the data: this runs for all annotations after every change.
    return b'{"data":%b,"duration":%d,"start":%d}' % (event.data, event.duration, event.start)


def _event_of(content: CanonicalJson, event_id: int) -> Event:
    value = msgspec.json.decode(content, type=AnnotationValue)
    data = canonical_json(msgspec.json.decode(value.data, type=dict[str, object]))
    if not 0 <= value.start <= value.start + value.duration <= LATEST:
        raise ValueError("its time is out of range")
    return Event(id=event_id, start=value.start, duration=value.duration, data=data)


def _apply_annotation(writes: ItemWrites, event: int, content: CanonicalJson | None, *, now: Microseconds) -> int:
    """Returns the id of the event, 0 if it was deleted."""
    if content is not None:
        return writes.put_annotation(_event_of(content, event), now=now)
    if event:
        writes.delete_annotation(event, now=now)
    return 0


def _is_usable(item: Item) -> bool:
    try:
        content = item.content
        if not item.key.startswith(_ANNOTATION):
            return is_usable(item.key, content)
        if content is not None:
            _event_of(content, 0)
    except (ValueError, msgspec.MsgspecError):
        return False
    return True
