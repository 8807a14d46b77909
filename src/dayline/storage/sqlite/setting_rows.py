"""The settings of clients in the file, with the history of each."""

from dayline.model.data import CanonicalJson
from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.changes import Changes


def set_setting(changes: Changes, key: str, value: CanonicalJson, *, now: Microseconds) -> None:
    """Store a setting; its earlier values stay in the history."""
    text = value.decode()
    changes.db.execute(
        "INSERT INTO setting(key, json) VALUES(?, ?) ON CONFLICT(key) DO UPDATE SET json = excluded.json", (key, text)
    )
    _note(changes, key, text, now)


def delete_setting(changes: Changes, key: str, *, now: Microseconds) -> None:
    """Remove a setting, whether or not it was set."""
    changes.db.execute("DELETE FROM setting WHERE key = ?", (key,))
    if changes.db.changes():
        _note(changes, key, None, now)


def _note(changes: Changes, key: str, json: str | None, now: Microseconds) -> None:
    changes.db.execute("INSERT INTO setting_history(key, json, changed) VALUES(?, ?, ?)", (key, json, now))
