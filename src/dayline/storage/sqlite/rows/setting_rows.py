"""Settings in the file, those of clients and Dayline's own, with the history of each."""

from collections.abc import Mapping
from typing import Final

import apsw
import msgspec

from dayline.model.data import CanonicalJson
from dayline.model.setting_change import ComposePair, HistoryFilter, SettingBefore, SettingChange
from dayline.model.timestamps import Microseconds
from dayline.storage.access import SettingEdit
from dayline.storage.news import SettingNews
from dayline.storage.sqlite.writing.changes import Changes

CLIENTS: Final = "setting"  # the table; that of its history has a longer name
OWN: Final = "own_setting"


def set_setting(changes: Changes, key: str, value: CanonicalJson, *, now: Microseconds) -> None:
    """Store a setting; its earlier values stay in the history."""
    _set(changes, CLIENTS, key, value.decode(), now)


def delete_setting(changes: Changes, key: str, *, now: Microseconds) -> None:
    """Remove a setting, whether or not it was set."""
    _delete(changes, CLIENTS, key, now)


def change_own_settings(changes: Changes, values: Mapping[str, CanonicalJson | None], *, now: Microseconds) -> None:
    """Store or remove settings of Dayline's own. What stays as it is is no change."""
    for key, value in values.items():
        if value is None:
            _delete(changes, OWN, key, now)
        elif changes.db.execute("SELECT json FROM own_setting WHERE key = ?", (key,)).get != value.decode():
            _set(changes, OWN, key, value.decode(), now)


def edit_own_setting(changes: Changes, key: str, edit: SettingEdit, *, now: Microseconds) -> CanonicalJson:
    """Store what becomes of a setting of Dayline's own."""
    text = changes.db.execute("SELECT json FROM own_setting WHERE key = ?", (key,)).get
    edited = edit(text.encode() if isinstance(text, str) else None)
    change_own_settings(changes, {key: edited}, now=now)
    return edited


def change_pair(changes: Changes, key: str, own_key: str, compose: ComposePair, *, now: Microseconds) -> int:
    """Change a client's setting and what Dayline keeps beside it; the number of the client's last change then."""
    db = changes.db
    last = history_of(db, CLIENTS, HistoryFilter(key=key, limit=1))
    newest = db.execute(f"SELECT max(number) FROM {CLIENTS}_history").get
    before = SettingBefore(
        number=last[0].number if last else 0,
        # Without AUTOINCREMENT the next row gets the highest number and one more.
        next=newest + 1 if isinstance(newest, int) else 1,
        changed=last[0].changed if last else None,
        value=_value(db, CLIENTS, key),
        own=_value(db, OWN, own_key),
    )
    pair = compose(before)
    if pair.value is None and before.value is None:
        return before.number  # there is nothing to remove
    if pair.value is None:
        _delete(changes, CLIENTS, key, now)
    else:
        _set(changes, CLIENTS, key, pair.value.decode(), now)
    _set(changes, OWN, own_key, pair.own.decode(), now)
    return before.next


def history_of(db: apsw.Connection, table: str, which: HistoryFilter) -> list[SettingChange]:
    """Changes of settings, the latest first."""
    rows = db.execute(
        f"SELECT number, key, json, changed FROM {table}_history "
        "WHERE number < :before AND (:key IS NULL OR key = :key) ORDER BY number DESC LIMIT :limit",
        {"before": 2**62 if which.before is None else which.before, "key": which.key, "limit": which.limit},
    ).fetchall()
    return [
        SettingChange(number=number, key=key, value=None if json is None else json.encode(), changed=changed)
        for number, key, json, changed in msgspec.convert(rows, list[tuple[int, str, str | None, int]])
    ]


def _set(changes: Changes, table: str, key: str, text: str, now: Microseconds) -> None:
    changes.db.execute(
        f"INSERT INTO {table}(key, json) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET json = excluded.json", (key, text)
    )
    _note(changes, table, key, text, now)


def _delete(changes: Changes, table: str, key: str, now: Microseconds) -> None:
    changes.db.execute(f"DELETE FROM {table} WHERE key = ?", (key,))
    if changes.db.changes():
        _note(changes, table, key, None, now)


def _note(changes: Changes, table: str, key: str, json: str | None, now: Microseconds) -> None:
    changes.db.execute(f"INSERT INTO {table}_history(key, json, changed) VALUES(?, ?, ?)", (key, json, now))
    changes.told[SettingNews(key, table == OWN)] = None


def _value(db: apsw.Connection, table: str, key: str) -> CanonicalJson | None:
    text = db.execute(f"SELECT json FROM {table} WHERE key = ?", (key,)).get
    return text.encode() if isinstance(text, str) else None
