"""What a device stores about sync: an internal setting without history, which archives leave out.

It is part of every backup: so a restored database knows what it had published, and that it is old.
"""

import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

import msgspec
from msgspec import Struct, structs

from dayline.maintenance.sync.heads import MAX_BREAKS, AdoptedBuckets, Head
from dayline.maintenance.sync.keys import (
    ExchangeKey,
    SigningKey,
    SpaceKey,
    from_text,
    new_exchange_key,
    new_signing_key,
    short_id,
    to_text,
)
from dayline.maintenance.sync.report import PassReport
from dayline.maintenance.sync.spaces.views import NO_ACCESS, SpaceAccess
from dayline.model.bucket import Bucket
from dayline.model.data import CanonicalJson
from dayline.model.edits.annotation import ANNOTATIONS_TYPE
from dayline.model.time import Microseconds
from dayline.model.upkeep.mirror import is_mirror
from dayline.storage.writing.mirrors import LEFT_KEY, REPORT_KEY, STATE_KEY, Mirrors

_MAX_SESSIONS = 200  # of a head: more starts than between a backup and its restore


class Peer(Struct, frozen=True, kw_only=True):
    """Another device. `number` and `nonce` are of the last head whose events all are here.

    `seen` is the number of the last head of which some events may be here. `adopted` has the buckets of others that it
    has adopted by the last applied head, and `skipped` its own buckets that were left out here, because they were
    adopted.
    """

    name: str
    key: str
    slot: int
    number: int = 0
    nonce: str = ""
    seen: int = 0
    made: Microseconds | None = None
    state: str = ""  # of the last report, and since when
    since: Microseconds = 0
    is_new: bool = False  # it has joined since this device did, and was not confirmed here
    exchange: str = ""
    adopted: dict[str, AdoptedBuckets] = {}
    skipped: list[int] = []


class SyncState(Struct, frozen=True, kw_only=True):
    """This device in its space. `number` and `nonce` are of its last head, which may not have been written.

    `sessions` has, for each start since that head, the first id that it could use; `covered` is that of the head.
    `breaks` is that of the head. `listed` has the packs of the last heads, and when a head listed each last.

    `space_secret` is the newest key of the space, of this generation; `former` has those before it. `recipients` are
    the devices that have it, and `removed` those that were removed, with the name of the device that did. `key_files`
    are written again if they are missing.
    """

    location: str
    name: str
    space_secret: str
    signing_secret: str
    exchange_secret: str
    generation: int = 1
    first_generation: int = 1  # that this device has
    former: dict[int, str] = {}
    recipients: list[str] = []
    removed: dict[str, str] = {}
    key_files: dict[int, str] = {}
    access: SpaceAccess = NO_ACCESS
    number: int = 0
    nonce: str = ""
    published: Microseconds | None = None
    sessions: dict[str, int] = {}
    covered: dict[str, int] = {}
    breaks: list[tuple[int, int]] = []
    listed: dict[str, Microseconds] = {}
    peers: dict[str, Peer] = {}
    next_slot: int = 0

    @property
    def space_key(self) -> SpaceKey:
        return SpaceKey(from_text(self.space_secret), self.generation)

    @property
    def space_keys(self) -> list[SpaceKey]:
        """All keys of the space that this device has, the newest first."""
        former = sorted(self.former.items(), reverse=True)
        return [self.space_key, *(SpaceKey(from_text(secret), generation) for generation, secret in former)]

    @property
    def signing_key(self) -> SigningKey:
        return SigningKey(from_text(self.signing_secret))

    @property
    def exchange_key(self) -> ExchangeKey:
        return ExchangeKey(from_text(self.exchange_secret))

    @property
    def device(self) -> str:
        return short_id(self.signing_key.public)

    def is_behind(self, head: Head | None) -> bool:
        """Whether the own head is newer than this database, or was published by a copy of it."""
        if head is None or (head.number, head.nonce) == (self.number, self.nonce):
            return False
        return head.number >= self.number

    def begun(self, next_event_id: int) -> "SyncState":
        """The state after a start of the server, whose events belong to a new session."""
        return structs.replace(self, sessions={**self.sessions, secrets.token_urlsafe(6): next_event_id})

    def all_breaks(self, head: Head | None, number: int) -> list[tuple[int, int]]:
        """The breaks of a head with this number, if the own head is this one."""
        is_break = head is None and self.number > 0
        return [*self.breaks, (self.number, number)][-MAX_BREAKS:] if is_break else self.breaks

    def renewed(self) -> "SyncState":
        """The state of the same database as another device of the same space, which has published nothing."""
        return structs.replace(
            self,
            signing_secret=to_text(new_signing_key().secret),
            exchange_secret=to_text(new_exchange_key().secret),
            number=0,
            breaks=[],
            nonce="",
            published=None,
            sessions={},
            covered={},
            listed={},
        )

    def with_key(self, key: SpaceKey) -> "SyncState":
        """The state with the key of a new invite, for a device that was left out when the former one was replaced."""
        return structs.replace(
            self,
            space_secret=to_text(key.secret),
            generation=key.generation,
            first_generation=key.generation,
            former={**self.former, self.generation: self.space_secret},
        )

    def rejoined(self, left: "SyncState") -> "SyncState":
        """The state of a device that joins the space again which it had left with that state."""
        keys = {left.generation: left.space_secret, **left.former}
        return structs.replace(
            self,
            signing_secret=left.signing_secret,
            exchange_secret=left.exchange_secret,
            former={generation: secret for generation, secret in keys.items() if generation != self.generation},
            number=left.number,
            nonce=left.nonce,
            covered=left.covered,
            breaks=left.breaks,
            sessions=left.sessions,
            listed=left.listed,
        )

    def all_covered(self, next_event_id: int) -> dict[str, int]:
        """What a head with all events up to this id covers: the newest sessions."""
        covered = [*self.covered.items(), *((session, next_event_id) for session in self.sessions)]
        return dict(covered[-_MAX_SESSIONS:])


def is_published(bucket: Bucket) -> bool:
    """Whether a device publishes a bucket: those that it records itself. Annotations are no recorded activity."""
    return not is_mirror(bucket) and bucket.type != ANNOTATIONS_TYPE


def new_state(location: str, access: SpaceAccess, name: str, space: SpaceKey, signing: SigningKey) -> SyncState:
    return SyncState(
        location=location,
        access=access,
        name=name,
        space_secret=to_text(space.secret),
        signing_secret=to_text(signing.secret),
        exchange_secret=to_text(new_exchange_key().secret),
        generation=space.generation,
        first_generation=space.generation,
    )


def read_state(mirrors: Mirrors) -> SyncState | None:
    """The stored state; None if sync is off. Call it on a thread."""
    text = mirrors.state(STATE_KEY)
    return None if text is None else msgspec.json.decode(text, type=SyncState)


def read_left(mirrors: Mirrors) -> SyncState | None:
    """The state with which this device left a space, if it is the same device when it joins again.

    Call it on a thread.
    """
    text = mirrors.state(LEFT_KEY)
    return None if text is None else msgspec.json.decode(text, type=SyncState)


def left_behind(state: SyncState) -> Mapping[str, bytes]:
    """What stays of a state after leaving: the device, without other devices and access to the space."""
    return {LEFT_KEY: msgspec.json.encode(structs.replace(state, access=NO_ACCESS, peers={}, key_files={}))}


def read_report(mirrors: Mirrors) -> PassReport | None:
    """The report of the last pass. Call it on a thread."""
    text = mirrors.state(REPORT_KEY)
    return None if text is None else msgspec.json.decode(text, type=PassReport)


Remember: TypeAlias = Callable[[SyncState], Awaitable[None]]  # stores a state before anything depends on it


def encoded(state: SyncState) -> Mapping[str, bytes]:
    return {STATE_KEY: msgspec.json.encode(state)}


def no_state() -> Mapping[str, None]:
    """What is stored if sync is off."""
    return {STATE_KEY: None, REPORT_KEY: None}


def with_session(text: CanonicalJson, next_event_id: int) -> CanonicalJson:
    """The stored state after a start of the server."""
    return msgspec.json.encode(msgspec.json.decode(text, type=SyncState).begun(next_event_id))
