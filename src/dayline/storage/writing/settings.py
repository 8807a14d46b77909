"""Settings inside a transaction. The numbers of a history are consecutive, so every change locks the settings first."""

from collections.abc import Callable, Mapping

from dayline.model.data import CanonicalJson
from dayline.model.settings.history import ComposePair, HistoryFilter, SettingBefore
from dayline.model.time import Microseconds
from dayline.storage.engine.transaction import WriteTransaction

SettingEdit = Callable[[CanonicalJson | None], CanonicalJson]


def set_setting(tx: WriteTransaction, key: str, value: CanonicalJson | None, *, now: Microseconds) -> None:
    """Store a client's setting, or delete it; its former values stay in the history. Raises Invalid."""
    tx.lock_settings()
    tx.change_settings("setting", {key: value}, now=now)


def change_own_settings(tx: WriteTransaction, values: Mapping[str, CanonicalJson | None], *, now: Microseconds) -> None:
    """Store or delete internal settings. An unchanged value is no change. Raises Invalid."""
    tx.lock_settings()
    before = tx.setting_values("own_setting", list(values))
    changed = {key: value for key, value in values.items() if before.get(key) != value}
    if changed:
        tx.change_settings("own_setting", changed, now=now)


def edit_own_setting(tx: WriteTransaction, key: str, edit: SettingEdit, *, now: Microseconds) -> CanonicalJson:
    """Store what `edit` returns for an internal setting. Raises Invalid, and what `edit` raises."""
    tx.lock_settings()
    before = tx.setting_values("own_setting", [key]).get(key)
    edited = edit(before)
    if edited != before:
        tx.change_settings("own_setting", {key: edited}, now=now)
    return edited


def change_setting_pair(
    tx: WriteTransaction, key: str, own_key: str, compose: ComposePair, *, now: Microseconds
) -> int:
    """Change a client's setting together with an internal one; returns the number of the client's change."""
    tx.lock_settings()
    last = tx.setting_history("setting", HistoryFilter(key=key, limit=1))
    newest = tx.setting_history("setting", HistoryFilter(limit=1))
    before = SettingBefore(
        number=last[0].number if last else 0,
        next=newest[0].number + 1 if newest else 1,
        changed=last[0].changed if last else None,
        value=tx.setting_values("setting", [key]).get(key),
        own=tx.setting_values("own_setting", [own_key]).get(own_key),
    )
    pair = compose(before)
    if pair.value is None and before.value is None:
        return before.number  # nothing to delete
    tx.change_settings("setting", {key: pair.value}, now=now)
    tx.change_settings("own_setting", {own_key: pair.own}, now=now)
    return before.next
