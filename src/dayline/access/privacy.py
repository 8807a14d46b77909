"""The privacy rules in force: read at the start, replaced when they are saved."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Final

from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.privacy import FILTERS_KEY, PrivacyRule, decode_stored_rules
from dayline.storage.access import AccessStore
from dayline.storage.store import Store
from dayline.transform.privacy import PrivacyRules

OWN_RULES_KEY: Final = "privacy_rules"  # among our own settings

log = logging.getLogger(__name__)


class Privacy:
    """Holds `rules`, which every event passes on its way in. Used on the event loop.

    Rules are checked before they are stored, and come into force after that: a list in which one is wrong is refused
    as a whole, and what was in force stays so.
    """

    def __init__(self, store: Store, access: AccessStore) -> None:
        self._store = store
        self._saving = asyncio.Lock()  # one after the other: each builds on what the one before has left
        self._filters, self._own, self.rules = _stored(store, access)

    @property
    def own(self) -> Sequence[PrivacyRule]:
        """Dayline's own rules, those that are not enabled too."""
        return self._own

    def applied(self, bucket_id: str, data: CanonicalJson) -> CanonicalJson | None:
        """The data as they may be stored; None where the event is dropped.

        Where the id is an alias, the rules for both count: those for it, and those for the bucket's own id.
        """
        kept, own_id = self.rules.applied(bucket_id, data), self._store.own_id(bucket_id)
        return kept if kept is None or own_id == bucket_id else self.rules.applied(own_id, kept)

    def kept(self, bucket_id: str, events: Sequence[Event]) -> list[Event]:
        """The events that may be stored, as they may be stored."""
        kept, own_id = self.rules.kept(bucket_id, events), self._store.own_id(bucket_id)
        return kept if own_id == bucket_id else self.rules.kept(own_id, kept)

    async def learn(self, access: AccessStore) -> None:
        """Take over what another server has saved."""
        async with self._saving:
            self._filters, self._own, self.rules = await asyncio.to_thread(_stored, self._store, access)

    async def set_filters(self, value: CanonicalJson | None, store: Store) -> None:
        """Store the setting `privacy_filters`, or remove it. Raises Malformed, with nothing changed."""
        async with self._saving:
            rules = await asyncio.to_thread(PrivacyRules.of, value, self._own)
            if value is None:
                await store.delete_setting(FILTERS_KEY)
            else:
                await store.set_setting(FILTERS_KEY, value)
            self._filters, self.rules = value, rules

    async def set_rules(self, own: Sequence[PrivacyRule], access: AccessStore) -> None:
        """Store Dayline's own rules in place of those that there were. Raises Malformed, with nothing changed."""
        async with self._saving:
            rules = await asyncio.to_thread(PrivacyRules.of, self._filters, own)
            await access.set_own_setting(OWN_RULES_KEY, canonical_json(own))
            self._own, self.rules = list(own), rules


def _stored(store: Store, access: AccessStore) -> tuple[CanonicalJson | None, list[PrivacyRule], PrivacyRules]:
    filters, stored = store.setting(FILTERS_KEY), access.own_setting(OWN_RULES_KEY)
    own = [rule for rule in decode_stored_rules(stored or b"[]") if _is_usable(rule)]
    try:
        return filters, own, PrivacyRules.of(filters, own)
    except DaylineError as error:
        # Written by a server that did not look at it. Recording goes on, with our own rules.
        log.error("the setting %s is not in force: %s", FILTERS_KEY, error.message)
        return None, own, PrivacyRules.of(None, own)


def _is_usable(rule: PrivacyRule) -> bool:
    """Rules were checked when they were saved; another version of RE2 may still think otherwise."""
    try:
        PrivacyRules.of(None, [rule])
    except DaylineError as error:
        log.error("the privacy rule %r is not in force: %s", rule.name or rule.pattern, error.message)
        return False
    return True
