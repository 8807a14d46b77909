"""The privacy rules in force: read at start-up, replaced when they are saved."""

import asyncio
import logging
from collections.abc import Sequence

from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.errors import DaylineError
from dayline.model.event import Event
from dayline.model.privacy.rules import FILTERS_KEY, OWN_RULES_KEY, PrivacyRule, decode_stored_rules
from dayline.storage.access import AccessStore
from dayline.storage.store import Store
from dayline.transform.privacy import PrivacyRules

log = logging.getLogger(__name__)


class Privacy:
    """Has the `rules` that apply to every incoming event. Use on the event loop.

    Rules are validated before they are stored, and apply afterwards: if one rule is invalid, the whole list is
    rejected, and the rules in force stay.
    """

    def __init__(self, store: Store, access: AccessStore) -> None:
        self._store = store
        self._saving = asyncio.Lock()  # one change at a time: each builds on the previous one
        self._filters, self._own, self.rules = _read_rules(store, access)

    def applied(self, bucket_id: str, data: CanonicalJson) -> CanonicalJson | None:
        """The data after the rules; None if the event is dropped."""
        return self.rules.applied(bucket_id, data, own_id=self._store.own_id(bucket_id))

    def kept(self, bucket_id: str, events: Sequence[Event]) -> list[Event]:
        """The events after the rules, without the dropped ones."""
        return self.rules.kept(bucket_id, events, own_id=self._store.own_id(bucket_id))

    async def learn(self, access: AccessStore) -> None:
        """Read the rules that another server has saved."""
        async with self._saving:
            self._filters, self._own, self.rules = await asyncio.to_thread(_read_rules, self._store, access)

    async def set_filters(self, value: CanonicalJson | None, store: Store) -> None:
        """Store the setting `privacy_filters`, or remove it. Raises Malformed and changes nothing if it is invalid."""
        async with self._saving:
            rules = await asyncio.to_thread(PrivacyRules.of, value, self._own)
            if value is None:
                await store.delete_setting(FILTERS_KEY)
            else:
                await store.set_setting(FILTERS_KEY, value)
            self._filters, self.rules = value, rules

    async def set_rules(self, own: Sequence[PrivacyRule], access: AccessStore) -> None:
        """Replace Dayline's own rules. Raises Malformed and changes nothing if one is invalid."""
        async with self._saving:
            rules = await asyncio.to_thread(PrivacyRules.of, self._filters, own)
            await access.set_own_setting(OWN_RULES_KEY, canonical_json(own))
            self._own, self.rules = list(own), rules


def _read_rules(store: Store, access: AccessStore) -> tuple[CanonicalJson | None, list[PrivacyRule], PrivacyRules]:
    filters, stored = store.setting(FILTERS_KEY), access.own_setting(OWN_RULES_KEY)
    own = [rule for rule in decode_stored_rules(stored or b"[]") if _is_usable(rule)]
    try:
        return filters, own, PrivacyRules.of(filters, own)
    except DaylineError as error:
        # Written by a server that did not validate it. Recording continues with our own rules.
        log.error("The setting %s is invalid and ignored: %s", FILTERS_KEY, error.message)
        return None, own, PrivacyRules.of(None, own)


def _is_usable(rule: PrivacyRule) -> bool:
    """Rules were validated when they were saved, but another version of RE2 may reject them."""
    try:
        PrivacyRules.of(None, [rule])
    except DaylineError as error:
        log.error("The privacy rule %r is invalid and ignored: %s", rule.name or rule.pattern, error.message)
        return False
    return True
