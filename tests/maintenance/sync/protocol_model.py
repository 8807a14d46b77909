"""An executable model of the sync protocol: one writer per bucket, heads and packs in a folder that is delivered late.

It has the rules of docs/design/sync.md and nothing else: a bucket per device, a pack per span, time in hours.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from operator import itemgetter
from random import Random
from typing import Final, Self, TypeAlias

import msgspec
from msgspec import Struct, structs

HEAD: Final = "head"

Span: TypeAlias = tuple[str, int]
Place: TypeAlias = tuple[str, str]  # a device and the name of a file


class Event(Struct, frozen=True):
    """`tag` stays with what was recorded through all edits: it shows losses and duplicates."""

    start: int
    length: int
    tag: tuple[str, int]


@dataclass(frozen=True)
class Head:
    """`covered`: up to which id it has the events that a session recorded. `breaks`: where others may have been."""

    number: int
    nonce: int
    replaces: int
    made: int
    next_id: int
    spans: Mapping[Span, str]
    covered: Mapping[int, int]
    breaks: tuple[tuple[int, int], ...]


Pack: TypeAlias = dict[int, Event]
Folder: TypeAlias = dict[Place, Head | Pack]


@dataclass
class Database:
    """Everything that a backup has. `sessions`: the first id that the server could use after each start."""

    next_id: int = 1
    number: int = 0
    nonce: int = 0
    events: Pack = field(default_factory=dict[int, Event])
    sessions: dict[int, int] = field(default_factory=dict[int, int])
    covered: dict[int, int] = field(default_factory=dict[int, int])
    breaks: tuple[tuple[int, int], ...] = ()
    listed: list[set[str]] = field(default_factory=list[set[str]])
    mirrors: dict[str, Pack] = field(default_factory=dict[str, Pack])
    applied: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def copied(self) -> Self:
        """A copy of what changes in place. Events, and packs in a folder, never do."""
        mirrors = {owner: dict(events) for owner, events in self.mirrors.items()}
        return replace(
            self, events=dict(self.events), sessions=dict(self.sessions), mirrors=mirrors, applied=dict(self.applied)
        )


class Killed(Exception):
    """The process was killed in the middle of a pass."""


def span_of(start: int, now: int) -> Span:
    """An hour of today, a day of this month, or a month."""
    if start >= now - 3:
        return "hour", start
    return ("day", start // 4) if start // 4 >= now // 4 - 3 else ("month", start // 16)


def digest(events: Pack) -> str:
    return blake2b(msgspec.json.encode(sorted(events.items(), key=itemgetter(0))), digest_size=8).hexdigest()


def by_span(events: Pack, now: int) -> dict[Span, Pack]:
    spans: dict[Span, Pack] = {}
    for event_id, event in events.items():
        spans.setdefault(span_of(event.start, now), {})[event_id] = event
    return spans


class Device:
    """A device, or one of two that run with the same identity."""

    def __init__(self, name: str, random: Random) -> None:
        self.name = name
        self.random = random
        self.db = Database()
        self.folder: Folder = {}
        self.is_stopped = False
        self.forks: set[str] = set()
        self.truth: set[tuple[str, int]] = set()  # the tags that must be there in the end
        self.recorded = 0
        self.start()

    def start(self) -> None:
        """Start the server: what it records from here on belongs to a new session."""
        self.db.sessions[self.random.getrandbits(60)] = self.db.next_id

    @property
    def own_head(self) -> Head | None:
        return self.head_of(self.name)

    def head_of(self, owner: str) -> Head | None:
        head = self.folder.get((owner, HEAD))
        return head if isinstance(head, Head) else None

    def pack_of(self, owner: str, name: str) -> Pack | None:
        pack = self.folder.get((owner, name))
        return pack if isinstance(pack, dict) and digest(pack) == name else None

    def record(self, start: int, writer: str) -> None:
        self.recorded += 1
        tag = (writer, self.recorded)
        self.db.events[self.db.next_id] = Event(start, 1, tag)
        self.db.next_id += 1
        self.truth.add(tag)

    def extend(self) -> None:
        if self.db.events:
            last = max(self.db.events)
            self.db.events[last] = structs.replace(self.db.events[last], length=self.db.events[last].length + 1)

    def edit(self, start: int | None) -> None:
        """Move an event, or delete it."""
        if not self.db.events:
            return
        event_id = self.random.choice(list(self.db.events))
        event = self.db.events[event_id]
        if start is not None:
            self.db.events[event_id] = structs.replace(event, start=start)
            return
        del self.db.events[event_id]
        head = self.own_head
        if not self.is_behind(head) or event_id in self.unpublished_ids(head):
            self.truth.discard(event.tag)  # otherwise what is published wins

    def is_behind(self, head: Head | None) -> bool:
        """Whether the own head is newer than the database, or of another database (rule 2)."""
        db = self.db
        return head is not None and (head.number, head.nonce) != (db.number, db.nonce) and head.number >= db.number

    def publish(self, now: int, kill: int = 0) -> None:
        db, head = self.db, self.own_head
        if self.is_behind(head):
            self.is_stopped = True
            return
        self.is_stopped = False
        spans = by_span(db.events, now)
        wanted = {span: digest(events) for span, events in spans.items()}
        missing = [span for span in wanted if self.pack_of(self.name, wanted[span]) is None]
        covered = db.covered | dict.fromkeys(db.sessions, db.next_id)
        if head and head.number == db.number and dict(head.spans) == wanted and not missing:
            return
        for count, span in enumerate(missing):
            if kill == 1 and count == len(missing) // 2:
                raise Killed
            self.folder[self.name, wanted[span]] = spans[span]
        former = db.number
        db.number, db.nonce = max(former + 1, now * 100), self.random.getrandbits(60)
        db.covered, db.listed = covered, [*db.listed, set(wanted.values())][-3:]
        if head is None and former:
            db.breaks = (*db.breaks, (former, db.number))
        if kill == 2:
            raise Killed
        self.folder[self.name, HEAD] = Head(db.number, db.nonce, former, now, db.next_id, wanted, covered, db.breaks)
        kept = set[str]().union(*db.listed)
        for owner, name in list(self.folder):
            if owner == self.name and name != HEAD and name not in kept:
                del self.folder[owner, name]

    def pull(self) -> None:
        for owner in sorted({owner for owner, name in self.folder if name == HEAD} - {self.name}):
            head = self.head_of(owner)
            assert head is not None
            number, nonce = self.db.applied.get(owner, (0, 0))
            if head.number < number:
                continue  # an older head
            is_other = head.number == number and head.nonce != nonce
            breaks = (*head.breaks, (head.replaces, head.number))
            if is_other or any(before < number < after for before, after in breaks):
                self.forks.add(owner)  # its writer does not know what this device has applied
                continue
            if self._apply(owner, head):
                self.db.applied[owner] = (head.number, head.nonce)

    def _apply(self, owner: str, head: Head) -> bool:
        mirror = self.db.mirrors.setdefault(owner, {})
        is_complete = True
        for span, wanted in head.spans.items():
            mine = {key: event for key, event in mirror.items() if span_of(event.start, head.made) == span}
            if digest(mine) == wanted:
                continue
            pack = self.pack_of(owner, wanted)
            if pack is None:
                is_complete = False  # not here yet, or damaged
                continue
            for event_id in mine:
                del mirror[event_id]
            mirror.update(pack)
        if not is_complete:
            return False
        for event_id, event in list(mirror.items()):
            if span_of(event.start, head.made) not in head.spans:
                del mirror[event_id]
        # An event that moved may have been in a span that was applied before.
        return {span: digest(events) for span, events in by_span(mirror, head.made).items()} == dict(head.spans)

    def unpublished_ids(self, head: Head | None) -> set[int]:
        """The events that no head has had, by the session that recorded them."""
        covered = dict[int, int]() if head is None else head.covered
        starts = sorted(self.db.sessions.items(), key=lambda item: item[1])
        found: set[int] = set()
        for place, (session, first) in enumerate(starts):
            after = starts[place + 1][1] if place + 1 < len(starts) else self.db.next_id
            found |= set(range(max(first, covered.get(session, 0)), after))
        return found

    def recover(self) -> bool:
        """Published events win up to the restore, later ones are added."""
        db, head = self.db, self.own_head
        if head is None or not self.is_behind(head):
            return False
        packs = [self.pack_of(self.name, name) for name in head.spans.values()]
        published: Pack = {}
        for pack in packs:
            if pack is None:
                return False
            published |= pack
        recovered, next_id = dict(published), max(db.next_id, head.next_id)
        for event_id in sorted(self.unpublished_ids(head) & db.events.keys()):
            event = db.events[event_id]
            same = [key for key, other in recovered.items() if (other.start, other.tag) == (event.start, event.tag)]
            if same:
                recovered[same[0]] = max(event, recovered[same[0]], key=lambda each: each.length)
            else:
                recovered[next_id] = event
                next_id += 1
        db.covered = dict(head.covered) | {
            session: max(db.next_id, head.covered.get(session, 0)) for session in db.sessions
        }
        db.events, db.next_id, db.sessions = recovered, next_id, {}
        db.number, db.nonce, db.breaks = head.number, head.nonce, head.breaks
        self.is_stopped = False
        self.start()
        return True
