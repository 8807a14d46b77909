"""Which settings are shared, and what the categories are as one item.

Keys, sessions, the audit log, settings of the server and retention are not: they belong to one device.
"""

from typing import Any, Final

import msgspec
from msgspec import Struct

from dayline.model.category import CATEGORIES, CLASSES, OwnCategories, OwnFields, own_categories
from dayline.model.data import CanonicalJson, canonical_json
from dayline.model.privacy.rules import FILTERS_KEY, OWN_RULES_KEY
from dayline.model.settings.goal import GOAL_SETTINGS
from dayline.model.settings.history import Owner
from dayline.model.settings.preferences import PREFERENCES
from dayline.model.settings.reports import PROJECTS_KEY, REPORT_KEY
from dayline.model.time import Microseconds
from dayline.storage.writing.shared_items import ItemReads, ItemWrites

CATEGORIES_ITEM: Final = "categories"  # the setting of clients and the internal one
_OWN: Final = frozenset([*PREFERENCES, *GOAL_SETTINGS, OWN_RULES_KEY, PROJECTS_KEY])
_CLIENT: Final = frozenset(
    [FILTERS_KEY, "always_active_pattern", "views", "saved_queries", "dayline.saved_views", "dayline.saved_searches"]
)
RULES: Final = frozenset([f"own:{OWN_RULES_KEY}", f"client:{FILTERS_KEY}"])  # they are in force at once


class _Categories(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The value of that item."""

    classes: Any = None
    fields: tuple[OwnFields, ...] = ()


def setting_of(item: str) -> tuple[Owner, str] | None:
    """The setting that an item is; None if it is none that is shared."""
    of, _, key = item.partition(":")
    if of == "own" and (key in _OWN or (key.startswith(REPORT_KEY) and key != REPORT_KEY)):
        return "own", key
    return ("client", key) if of == "client" and key in _CLIENT else None


def shared_settings(reads: ItemReads) -> dict[str, CanonicalJson]:
    """The values of all shared settings that are set, by item."""
    own, client = reads.settings("own"), reads.settings("client")
    everything = {f"own:{key}": value for key, value in own.items()}
    everything |= {f"client:{key}": value for key, value in client.items()}
    found = {item: _canonical(value) for item, value in everything.items() if setting_of(item) is not None}
    categories = own_categories(own.get(CATEGORIES))
    if CLASSES in client or categories.fields:
        classes = msgspec.json.decode(client[CLASSES]) if CLASSES in client else None
        found[CATEGORIES_ITEM] = canonical_json(
            msgspec.to_builtins(_Categories(classes=classes, fields=categories.fields))
        )
    return found


def changed_at(reads: ItemReads, item: str) -> Microseconds:
    """When a setting was changed last; 0 if it never was, or that is not known."""
    if item == CATEGORIES_ITEM:
        changes = [reads.last_change("client", CLASSES), reads.last_change("own", CATEGORIES)]
    else:
        setting = setting_of(item)
        changes = [] if setting is None else [reads.last_change(*setting)]
    return max((change.changed for change in changes if change is not None), default=0)


def was_deleted(reads: ItemReads, item: str) -> bool:
    """Whether a setting that is not set was deleted; otherwise it was lost, which is no deletion."""
    setting: tuple[Owner, str] | None = ("client", CLASSES) if item == CATEGORIES_ITEM else setting_of(item)
    change = None if setting is None else reads.last_change(*setting)
    return change is not None and change.value is None


def apply_setting(
    writes: ItemWrites, item: str, value: CanonicalJson | None, *, now: Microseconds, by: str
) -> list[tuple[Owner, int]]:
    """Store the value of an item; returns the numbers of the changes. Check it with `is_usable` first."""
    if item == CATEGORIES_ITEM:
        return _apply_categories(writes, value, now=now, by=by)
    setting = setting_of(item)
    assert setting is not None, "is_usable"
    return [(setting[0], writes.set_setting(*setting, value, now=now))]


def is_usable(item: str, value: CanonicalJson | None) -> bool:
    """Whether a setting of another device can be stored here. What it means is checked by those that read it."""
    if item != CATEGORIES_ITEM:
        return setting_of(item) is not None
    try:
        return value is None or bool(msgspec.json.decode(value, type=_Categories))
    except msgspec.MsgspecError:
        return False


def _canonical(value: CanonicalJson) -> CanonicalJson:
    return canonical_json(msgspec.json.decode(value))  # equal values have equal texts on all devices


def _apply_categories(
    writes: ItemWrites, value: CanonicalJson | None, *, now: Microseconds, by: str
) -> list[tuple[Owner, int]]:
    given = _Categories() if value is None else msgspec.json.decode(value, type=_Categories)
    classes = None if given.classes is None else canonical_json(given.classes)
    numbers: list[tuple[Owner, int]] = [("client", writes.set_setting("client", CLASSES, classes, now=now))]
    own = OwnCategories(change=numbers[0][1], author=by, fields=given.fields)
    text = canonical_json(msgspec.to_builtins(own))
    return [*numbers, ("own", writes.set_setting("own", CATEGORIES, text, now=now))]
