"""The history of settings: their former values, and when they changed."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.time import Microseconds

Owner: TypeAlias = Literal["own", "client"]  # internal settings, or those of clients at `/api/0/settings`


class SettingChange(Struct, frozen=True, kw_only=True):
    """A value of a setting. None: it was deleted."""

    number: int
    key: str
    value: CanonicalJson | None
    changed: Microseconds


class HistoryFilter(Struct, frozen=True, kw_only=True):
    """Selects changes: of one key, or before a number."""

    key: str | None = None
    before: int | None = None
    limit: int = 100


class SettingBefore(Struct, frozen=True, kw_only=True):
    """A client's setting and the internal one stored with it, before both are changed together.

    `number` is that of the last change of the client's setting, 0 if there is none; `next` is that of the new one.
    """

    number: int
    next: int
    changed: Microseconds | None
    value: CanonicalJson | None
    own: CanonicalJson | None


class SettingPair(Struct, frozen=True, kw_only=True):
    """The new values of both. None deletes the client's."""

    value: CanonicalJson | None
    own: CanonicalJson


# Raises a DaylineError to refuse the change; nothing is changed then.
ComposePair: TypeAlias = Callable[[SettingBefore], SettingPair]
