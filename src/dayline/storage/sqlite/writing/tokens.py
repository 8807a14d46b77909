"""Tokens of changes that must not be made twice, looked at and kept in the transaction of the change."""

from typing import Final

from dayline.model.audit import Once
from dayline.model.errors import AlreadyDone
from dayline.model.timestamps import now_us
from dayline.storage.sqlite.writing.changes import Changes

_FORGOTTEN: Final = 4  # with each one that is added: more than come, so that those whose time is over do not gather


def check_once(changes: Changes, once: Once) -> None:
    """Raise AlreadyDone where a change with this token was made before."""
    if changes.db.execute("SELECT 1 FROM once WHERE token = ?", (once.token,)).get is not None:
        raise AlreadyDone


def keep_once(changes: Changes, once: Once) -> None:
    """Remember the token of a change that was made, and forget some of those whose time is over."""
    now = now_us()
    changes.db.execute("INSERT INTO once(token, until) VALUES(?, ?)", (once.token, once.until))
    changes.db.execute(
        "DELETE FROM once WHERE token IN (SELECT token FROM once WHERE until < ? ORDER BY until LIMIT ?)",
        (now, _FORGOTTEN),
    )
