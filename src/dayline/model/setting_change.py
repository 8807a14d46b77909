"""The history of settings: what each was changed to, and when."""

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
