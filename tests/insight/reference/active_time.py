"""Active time as docs/design/active-time.md says it, moment by moment and without any haste."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

from msgspec import Struct

from dayline.insight.request import Scope
from dayline.model.edits.annotation import ANNOTATIONS_BUCKET, Annotation

GAP = 5_000_000
BROWSERS = {"firefox": "Firefox", "chrome": "Chrome"}


class Recorded(Struct, frozen=True):
    """An event; `order` is that of recording."""

    bucket: str
    start: int
    end: int
    order: int
    data: Mapping[str, Any]


class Machine(Struct, frozen=True, kw_only=True):
    """A device with its buckets."""

    name: str
    fronts: tuple[str, ...]
    tabs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    away: tuple[str, ...] = ()
    is_phone: bool = False


class Moment(Struct, frozen=True, kw_only=True):
    """A stretch in which nothing changes, and what it belongs to."""

    start: int
    end: int
    keys: Mapping[str, Any]
    note: int | None = None


class World:
    """All events of all devices."""

    def __init__(self, machines: Sequence[Machine], events: Sequence[Recorded], scope: Scope) -> None:
        self.machines = machines
        self.scope = scope
        self.is_away_included = False
        self._events = {
            bucket: [event for event in events if event.bucket == bucket]
            for machine in machines
            for bucket in (*machine.fronts, *machine.tabs, *machine.files, *machine.away)
        }

    def united(self, start: int, end: int) -> list[Moment]:
        """The active time of all devices: of several at once the one whose event began last, entries before all."""
        return self._moments(start, end, self._anywhere)

    def of_machine(self, machine: Machine, start: int, end: int) -> list[Moment]:
        """The active time of one device."""
        return self._moments(start, end, lambda moment: self._on(machine, moment))

    def elsewhere(self, start: int, end: int) -> list[Moment]:
        """Entries of no device."""
        return self._moments(start, end, lambda moment: self._entry(None, moment))

    def away(self, start: int, end: int) -> int:
        """How long a device was known to be left alone and none was active."""
        total = 0
        for low, high in self._cells(start, end):
            is_away = any(self._status(machine, low, "afk") for machine in self.machines)
            if is_away and self._anywhere(low) is None:
                total += high - low
        return total

    def _moments(self, start: int, end: int, at: "Callable[[int], Found | None]") -> list[Moment]:
        found = [(low, high, at(low)) for low, high in self._cells(start, end)]
        return [
            Moment(start=low, end=high, keys=here.keys, note=here.note) for low, high, here in found if here is not None
        ]

    def _cells(self, start: int, end: int) -> Iterable[tuple[int, int]]:
        edges = {start, end}
        for events in self._events.values():
            moments = sorted({moment for event in events for moment in (event.start, event.end)})
            edges.update(moments)
            edges.update(one + (other - one) // 2 for one, other in pairwise(moments))
        fronts = [
            sorted({moment for bucket in machine.fronts for event in self._events[bucket]
                    for moment in (event.start, event.end)})
            for machine in self.machines
        ]  # fmt: skip
        for moments in fronts:
            edges.update(one + (other - one) // 2 for one, other in pairwise(moments))
        for annotation in self.scope.annotations:
            edges.update((annotation.start, annotation.end))
        return pairwise(sorted(edge for edge in edges if start <= edge <= end))

    def _anywhere(self, moment: int) -> "Found | None":
        found = [self._on(machine, moment) for machine in self.machines] + [self._entry(None, moment)]
        there = [each for each in found if each is not None]
        best: Found | None = None
        for each in there:
            if best is None or each.rank > best.rank:
                best = each
        return best

    def _on(self, machine: Machine, moment: int) -> "Found | None":
        entry = self._entry(machine.name, moment)
        if entry is not None:
            return entry
        front = self._counting(machine.fronts, moment)
        if front is None or self._annotation("exclude", machine.name, moment) is not None:
            return None
        tab = self._tab(machine, front, moment)
        file = self._counting(machine.files, moment)
        if not (self.is_away_included or self._is_there(machine, front, tab, moment)):
            return None
        given = self._annotation("category", machine.name, moment)
        note = self._annotation_with_label(machine.name, moment)
        category = self._category(front.data) if given is None else (given.category or ("Uncategorized",))
        return Found(
            rank=(0, front.start),
            keys=_keys(machine.name, front, tab, file, category),
            note=None if note is None else self.scope.annotations.index(note),
        )

    def _is_there(self, machine: Machine, front: Recorded, tab: Recorded | None, moment: int) -> bool:
        if machine.is_phone or not machine.away:
            return True
        if self._status(machine, moment, "not-afk"):
            return True
        if tab is not None and tab.data.get("audible") is True:
            return True
        pattern = self.scope.always_active
        if pattern and any(re.search(pattern, front.data.get(field, "")) for field in ("app", "title")):
            return True
        return any(each.is_always_active for each in self.scope.categories if each.name == self._category(front.data))

    def _status(self, machine: Machine, moment: int, status: str) -> bool:
        found = [self._counting((bucket,), moment) for bucket in machine.away]
        return any(event is not None and event.data["status"] == status for event in found)

    def _tab(self, machine: Machine, front: Recorded, moment: int) -> Recorded | None:
        tabs = [
            tab
            for bucket in machine.tabs
            for browser, app in BROWSERS.items()
            if browser in bucket and front.data.get("app") == app
            if (tab := self._counting((bucket,), moment)) is not None
        ]
        best: Recorded | None = None
        for tab in tabs:
            if best is None or tab.start > best.start:
                best = tab
        return best

    def _counting(self, buckets: Sequence[str], moment: int) -> Recorded | None:
        """The event that counts at a moment, small gaps closed."""
        events = [
            (event.start, event.end, place, event.order, event)
            for place, bucket in enumerate(buckets)
            for event in self._events[bucket]
        ]
        running = [event for event in events if event[0] <= moment < event[1]]
        if running:
            return max(running)[-1]
        before = [event for event in events if event[1] <= moment]
        behind = [event for event in events if event[0] > moment]
        if not before or not behind:
            return None
        low, high = max(event[1] for event in before), min(event[0] for event in behind)
        if high - low >= GAP:
            return None
        if moment < low + (high - low) // 2:
            return max(event for event in before if event[1] == low)[-1]
        beginning = [event for event in behind if event[0] == high]
        points = [event for event in beginning if event[1] == high]
        return min(points)[-1] if points else max(beginning)[-1]

    def _category(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        best: tuple[str, ...] = ("Uncategorized",)
        depth = 0
        for category in self.scope.categories:
            rule = category.rule
            texts = [value for value in data.values() if isinstance(value, str)]
            if rule is not None and any(re.search(rule.regex, text) for text in texts) and len(category.name) >= depth:
                best, depth = category.name, len(category.name)
        return best

    def _entry(self, device: str | None, moment: int) -> "Found | None":
        entries = [
            each
            for each in self.scope.annotations
            if each.kind == "entry" and each.device == device and each.start <= moment < each.end
        ]
        if not entries:
            return None
        best = max(entries, key=lambda each: (each.start, each.id))
        keys = {
            "device": device, "category": best.category or ("Uncategorized",), "title": best.label or None,
            "bucket": ANNOTATIONS_BUCKET, "app": None, "domain": None, "url": None, "project": None,
        }  # fmt: skip
        return Found(rank=(1, best.start), keys=keys, note=self.scope.annotations.index(best))

    def _annotation(self, kind: str, device: str, moment: int) -> Annotation | None:
        return self._latest([each for each in self._said(device, moment) if each.kind == kind])

    def _annotation_with_label(self, device: str, moment: int) -> Annotation | None:
        return self._latest(
            [each for each in self._said(device, moment) if each.kind in ("label", "category") and each.label]
        )

    def _said(self, device: str, moment: int) -> list[Annotation]:
        return [
            each for each in self.scope.annotations if each.device in (None, device) and each.start <= moment < each.end
        ]

    @staticmethod
    def _latest(said: list[Annotation]) -> Annotation | None:
        return max(said, key=lambda each: (each.start, each.id)) if said else None


class Found(Struct, frozen=True, kw_only=True):
    """What a moment belongs to; the highest rank counts."""

    rank: tuple[int, int]
    keys: Mapping[str, Any]
    note: int | None


def _keys(
    device: str, front: Recorded, tab: Recorded | None, file: Recorded | None, category: tuple[str, ...]
) -> dict[str, Any]:
    def first(field: str, *layers: Recorded | None) -> Any:
        return next((layer.data[field] for layer in layers if layer is not None and field in layer.data), None)

    url: str | None = first("url", tab, front)
    return {
        "device": device,
        "bucket": front.bucket,
        "category": category,
        "app": first("app", front, tab, file),
        "title": first("title", front, tab, file),
        "url": url,
        "domain": None if url is None else urlsplit(url).hostname,
        "project": first("project", file, front, tab),
    }
