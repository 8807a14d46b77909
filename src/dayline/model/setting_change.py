"""The history of settings: what each was changed to, and when."""

from collections.abc import Callable
from typing import Literal, TypeAlias

from msgspec import Struct

from dayline.model.data import CanonicalJson
from dayline.model.timestamps import Microseconds

Owner: TypeAlias = Literal["own", "client"]  # Dayline's own settings, or those that clients keep at `/api/0/settings`


class SettingChange(Struct, frozen=True, kw_only=True):
    """A value that a setting was given. None: it was removed."""

    number: int
    key: str
    value: CanonicalJson | None
    changed: Microseconds


class HistoryFilter(Struct, frozen=True, kw_only=True):
    """Which changes: only those of a key, or before a number."""

    key: str | None = None
    before: int | None = None
    limit: int = 100


class SettingBefore(Struct, frozen=True, kw_only=True):
    """A setting of clients, and what Dayline keeps beside it, before both are changed together.

    `number` is that of the last change of the client's setting, 0 where there was none; `next` is that of the one to
    come.
    """

    number: int
    next: int
    changed: Microseconds | None
    value: CanonicalJson | None
    own: CanonicalJson | None


class SettingPair(Struct, frozen=True, kw_only=True):
    """What both are to become. A value of None removes the client's."""

    value: CanonicalJson | None
    own: CanonicalJson


# Raises an error of our family to refuse the change, and then nothing is changed.
ComposePair: TypeAlias = Callable[[SettingBefore], SettingPair]
