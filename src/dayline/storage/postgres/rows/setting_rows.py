"""Settings in the database, those of clients and Dayline's own, with the history of each.

The numbers of a history go up by one, without gaps. So whoever changes settings locks the row of their tenant first.
"""

from collections.abc import Mapping
from typing import Final, LiteralString

from dayline.model.data import CanonicalJson
from dayline.model.errors import Invalid
from dayline.model.setting_change import ComposePair, HistoryFilter, SettingBefore, SettingChange
from dayline.model.timestamps import Microseconds
from dayline.storage.access import SettingEdit
from dayline.storage.news import SettingNews
from dayline.storage.postgres.connections.connection import Connection
from dayline.storage.postgres.writing.turn import Turn

# Where settings of a kind are; that of their history has a longer name.
_CLIENTS: Final = "setting"
_OWN: Final = "own_setting"


def set_setting(turn: Turn, key: str, value: CanonicalJson, *, now: Microseconds) -> None:
    """Store a setting; its earlier values stay in the history. Raises Invalid."""
    _lock(turn)
    _change(turn, _CLIENTS, {key: value}, now)


def delete_setting(turn: Turn, key: str, *, now: Microseconds) -> None:
    """Remove a setting, whether or not it was set."""
    _lock(turn)
    _change(turn, _CLIENTS, {key: None}, now)


def change_own_settings(turn: Turn, values: Mapping[str, CanonicalJson | None], *, now: Microseconds) -> None:
    """Store or remove settings of Dayline's own. What stays as it is is no change. Raises Invalid."""
    _lock(turn)
    before = _values(turn.db, turn.tenant, _OWN, values)
    _change(turn, _OWN, {key: value for key, value in values.items() if before.get(key) != value}, now)


def edit_own_setting(turn: Turn, key: str, edit: SettingEdit, *, now: Microseconds) -> CanonicalJson:
    """Store what becomes of a setting of Dayline's own. Raises Invalid, and what `edit` raises."""
    _lock(turn)
    before = _values(turn.db, turn.tenant, _OWN, [key]).get(key)
    edited = edit(before)
    if edited != before:
        _change(turn, _OWN, {key: edited}, now)
    return edited


def change_pair(turn: Turn, key: str, own_key: str, compose: ComposePair, *, now: Microseconds) -> int:
    """Change a client's setting and what Dayline keeps beside it; the number of the client's last change then."""
    _lock(turn)
    last = history_of(turn.db, HistoryFilter(key=key, limit=1), tenant=turn.tenant)
    newest = history_of(turn.db, HistoryFilter(limit=1), tenant=turn.tenant)
    before = SettingBefore(
        number=last[0].number if last else 0,
        next=newest[0].number + 1 if newest else 1,
        changed=last[0].changed if last else None,
        value=_values(turn.db, turn.tenant, _CLIENTS, [key]).get(key),
        own=_values(turn.db, turn.tenant, _OWN, [own_key]).get(own_key),
    )
    pair = compose(before)
    if pair.value is None and before.value is None:
        return before.number  # there is nothing to remove
    _change(turn, _CLIENTS, {key: pair.value}, now)
    _change(turn, _OWN, {own_key: pair.own}, now)
    return before.next


def history_of(db: Connection, which: HistoryFilter, *, tenant: str, is_own: bool = False) -> list[SettingChange]:
    """Changes of the settings of a tenant's clients, or of Dayline's own, the latest first."""
    if which.key is not None and "\0" in which.key:
        return []  # there is no such key, and PostgreSQL does not take the question
    table: LiteralString = _OWN if is_own else _CLIENTS
    of_key: LiteralString = "" if which.key is None else " AND key = %(key)s"
    before: LiteralString = "" if which.before is None else " AND number < %(before)s"
    rows = db.execute(
        f"SELECT number, key, json, changed FROM {table}_history WHERE tenant = %(tenant)s{of_key}{before} "
        "ORDER BY number DESC LIMIT %(limit)s",
        {"tenant": tenant, "key": which.key, "before": which.before, "limit": which.limit},
    ).fetchall()
    return [
        SettingChange(number=number, key=key, value=None if json is None else json.encode(), changed=changed)
        for number, key, json, changed in rows
    ]


def _lock(turn: Turn) -> None:
    turn.db.execute("SELECT 1 FROM tenant WHERE id = %s FOR UPDATE", (turn.tenant,))


def _values(
    db: Connection, tenant: str, table: LiteralString, keys: Mapping[str, object] | list[str]
) -> dict[str, bytes]:
    rows = db.execute(
        f"SELECT key, json FROM {table} WHERE tenant = %(tenant)s AND key = ANY(%(keys)s)",
        {"tenant": tenant, "keys": [key for key in keys if "\0" not in key]},
    ).fetchall()
    return {key: json.encode() for key, json in rows}


def _change(turn: Turn, table: LiteralString, values: Mapping[str, CanonicalJson | None], now: Microseconds) -> None:
    """Store values, or remove them, and note each. What is removed and was not there is not noted."""
    kept = {key: value.decode() for key, value in values.items() if value is not None}
    for key in kept:
        if "\0" in key:
            raise Invalid("a setting's key may not contain a null character", field="key")
    known = {"tenant": turn.tenant, "now": now}
    removed = turn.db.execute(
        f"DELETE FROM {table} WHERE tenant = %(tenant)s AND key = ANY(%(keys)s) RETURNING key",
        {**known, "keys": [key for key, value in values.items() if value is None and "\0" not in key]},
    ).fetchall()
    gone = {key for (key,) in removed}
    turn.db.execute(
        f"INSERT INTO {table}(tenant, key, json) "
        "SELECT %(tenant)s, * FROM unnest(%(keys)s::text[], %(texts)s::text[]) "
        "ON CONFLICT (tenant, key) DO UPDATE SET json = excluded.json",
        {**known, "keys": list(kept), "texts": list(kept.values())},
    )
    noted = [key for key in values if key in kept or key in gone]
    turn.db.execute(
        f"INSERT INTO {table}_history(tenant, number, key, json, changed) "
        f"SELECT %(tenant)s, place + (SELECT coalesce(max(number), 0) FROM {table}_history "
        "WHERE tenant = %(tenant)s), key, json, %(now)s "
        "FROM unnest(%(keys)s::text[], %(texts)s::text[]) WITH ORDINALITY AS new(key, json, place)",
        {**known, "keys": noted, "texts": [kept.get(key) for key in noted]},
    )
    for key in noted:
        turn.told[SettingNews(key, table is _OWN)] = None
