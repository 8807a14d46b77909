"""The keys of this server, in memory. All changes go through this class."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Final

from msgspec.structs import replace

from dayline.access.revocations import Revocation, RevocationJournal
from dayline.envelope.keys import EnvelopeKeys
from dayline.model.access import (
    ID_CHARACTERS,
    AccessKey,
    Caller,
    Scope,
    caller_with,
    digest_of,
    key_id_of,
    new_key_text,
    new_salt,
)
from dayline.model.audit import KeyUse
from dayline.model.errors import AlreadyDone, KeyNotFound
from dayline.model.time import Microseconds, now_us
from dayline.storage.access import AccessStore

_REMEMBERED: Final = 256

Clock = Callable[[], Microseconds]


class Keyring:
    """All keys by id. `generation` changes with every change of a key, and invalidates cached callers."""

    def __init__(self, store: AccessStore, *, clock: Clock = now_us, journal: RevocationJournal | None = None) -> None:
        self._clock = clock
        self._store = store
        self._keys = {key.id: key for key in store.all_keys()}
        self._journal = journal or RevocationJournal()
        for entry in self._journal.recovered:
            self._recover(entry)
        self._known: dict[str, Caller] = {}  # by the text of the key, so that it is hashed once
        self._next_expiry = self._first_expiry()
        self._changing = asyncio.Lock()  # one change at a time: a concurrent one must not undo a revocation
        self.generation = 0

    def all(self, *, tenant: str = "") -> list[AccessKey]:
        """The keys that a tenant may see, in order of creation: see `_may_see`."""
        visible = (key for key in self._keys.values() if _may_see(tenant, key))
        return sorted(visible, key=lambda key: key.created)

    def find(self, key_id: str, *, tenant: str = "") -> AccessKey:
        """The key with this id. Raises KeyNotFound, also if the tenant may not see it."""
        key = self._keys.get(key_id)
        if key is None or not _may_see(tenant, key):
            raise KeyNotFound(key_id[:ID_CHARACTERS])  # shortened, in case the caller sent a whole key
        return key

    def has_active(self) -> bool:
        """Whether any key is active."""
        return any(key.is_active(self._clock()) for key in self._keys.values())

    def active(self, key_id: str) -> AccessKey | None:
        """The key with this id, if it is active."""
        key = self._keys.get(key_id)
        return key if key is not None and key.is_active(self._clock()) else None

    def known(self, key_id: str) -> AccessKey | None:
        """The key with this id, active or not."""
        return self._keys.get(key_id)

    def caller(self, text: str) -> Caller | None:
        """The caller with this key; None if the key is unknown or not active."""
        self.tick()
        known = self._known.get(text)
        if known is not None:
            return known
        key = self.active(key_id_of(text) or "")
        if key is None or not key.fits(text):
            return None
        if len(self._known) >= _REMEMBERED:
            self._known.clear()
        caller = self._known[text] = caller_with(key, kind="key")
        return caller

    def why_invalid(self, text: str) -> str:
        """Why a key is not valid. Only who has the whole key learns what happened to it."""
        key = self.known(key_id_of(text) or "")
        if key is None or not key.fits(text):
            return "unknown, expired or revoked"
        return "revoked" if key.revoked is not None else "expired"

    def tick(self) -> None:
        """Check whether a key has expired. Cheap: called once a second, and with every key."""
        if self._next_expiry is not None and self._clock() >= self._next_expiry:
            self._invalidate()

    async def create(
        self,
        store: AccessStore,
        *,
        name: str,
        scope: Scope,
        buckets: tuple[str, ...],
        expires: Microseconds | None,
        is_enveloped: bool,
        tenant: str = "",
    ) -> tuple[AccessKey, str]:
        """Create a key. Returns it with its text, which is not stored."""
        text = new_key_text()
        key = self._new_key(text, name, scope, buckets, expires, is_enveloped=is_enveloped, tenant=tenant)
        await store.put_key(key)
        self._put(key)
        return key, text

    async def revoke(self, store: AccessStore, key_id: str, *, tenant: str = "") -> AccessKey:
        """Revoke a key. Does nothing if it is revoked already. Raises KeyNotFound.

        It takes effect before it is stored. Raises Unavailable if it is in effect but cannot be stored yet.
        """
        key = self.find(key_id, tenant=tenant)
        if key.revoked is None:
            key = replace(key, revoked=self._clock())
            self._put(key)
        elif not self._journal.is_unstored(key=key_id):
            return key
        when = key.revoked or 0
        async with self._changing:
            key = replace(self._keys[key_id], revoked=self._keys[key_id].revoked or when)
            self._put(key)
            try:
                await self._journal.store(
                    [Revocation(key=key_id, when=when)],
                    lambda: store.put_key(key),
                    retry=lambda: self._store.put_key(self._keys[key_id]),
                )
            except AlreadyDone:  # the request's idempotency key was used by an earlier request: nothing is revoked
                stored = {each.id: each for each in await asyncio.to_thread(self._store.all_keys)}
                if not self._journal.is_unstored(key=key_id):
                    self._put(stored[key_id])
                raise
        return self._keys[key_id]

    async def rotate(
        self, store: AccessStore, key_id: str, *, grace: Microseconds = 0, tenant: str = ""
    ) -> tuple[AccessKey, str]:
        """Create a key with the same rights; the old one ends after `grace`. Raises KeyNotFound.

        A lifetime starts again: a key that was created for 90 days lasts for 90 days from now.
        """
        async with self._changing:
            return await self._rotate(store, self.find(key_id, tenant=tenant), grace)

    def learn(self, keys: Iterable[AccessKey]) -> None:
        """Merge keys that another server created or changed. Never removes a key or a revocation."""
        changed = False
        for key in keys:
            known = self._keys.get(key.id)
            if known is None or (known.revoked, known.expires) != (key.revoked, key.expires):
                revoked = key.revoked if known is None or known.revoked is None else known.revoked
                self._keys[key.id] = replace(key, revoked=revoked)
                changed = True
        if changed:
            self._invalidate()

    def note_use(self, use: KeyUse) -> None:
        """Record when and from where a key was used."""
        key = self._keys.get(use.key_id)
        if key is not None:
            self._keys[key.id] = replace(key, last_used=use.when, last_address=use.address)

    async def _rotate(self, store: AccessStore, old: AccessKey, grace: Microseconds) -> tuple[AccessKey, str]:
        now, text = self._clock(), new_key_text()
        expires = None if old.expires is None else now + old.expires - old.created
        is_enveloped = old.envelope_key is not None
        new = self._new_key(
            text, old.name, old.scope, old.buckets, expires, is_enveloped=is_enveloped, tenant=old.tenant
        )
        ending = now + grace
        if grace and old.is_active(now):
            old = replace(old, expires=ending if old.expires is None else min(ending, old.expires))
        elif old.revoked is None:
            old = replace(old, revoked=now)
        await store.replace_key(old, new)
        revoked = self._keys[old.id].revoked  # it may have been revoked while we waited
        self._put(old if revoked is None else replace(old, revoked=revoked))
        self._put(new)
        return new, text

    def _recover(self, entry: Revocation) -> None:
        """Revoke a key again that an earlier run revoked but could not store."""
        key = self._keys.get(entry.key)
        if key is not None and key.revoked is None:
            self._keys[key.id] = replace(key, revoked=entry.when)
            self._journal.retry(entry, lambda: self._store.put_key(self._keys[entry.key]))

    def _new_key(
        self,
        text: str,
        name: str,
        scope: Scope,
        buckets: tuple[str, ...],
        expires: Microseconds | None,
        *,
        is_enveloped: bool,
        tenant: str,
    ) -> AccessKey:
        key_id, salt = key_id_of(text), new_salt()
        assert key_id is not None  # we have just created it
        return AccessKey(
            id=key_id,
            name=name,
            scope=scope,
            buckets=buckets,
            created=self._clock(),
            salt=salt,
            digest=digest_of(salt, text),
            expires=expires,
            envelope_key=EnvelopeKeys.of_text(text).stored if is_enveloped else None,
            tenant=tenant,
        )

    def _put(self, key: AccessKey) -> None:
        self._keys[key.id] = key
        self._invalidate()

    def _invalidate(self) -> None:
        self._known.clear()
        self._next_expiry = self._first_expiry()
        self.generation += 1

    def _first_expiry(self) -> Microseconds | None:
        now = self._clock()
        return min(
            (key.expires for key in self._keys.values() if key.expires is not None and key.is_active(now)), default=None
        )


def _may_see(tenant: str, key: AccessKey) -> bool:
    """The empty tenant may see all keys, the others only their own."""
    return not tenant or key.tenant == tenant
