"""The history of settings in the form that goes over the wire."""

import msgspec
from msgspec import Struct

from dayline.api.documents import AnyJson
from dayline.model.setting_change import Owner, SettingChange
from dayline.model.timestamps import Timestamp, format_timestamp


class SettingChangeView(Struct, frozen=True, kw_only=True):
    """What a setting was changed to. `is_deleted`: it was removed, and `value` says nothing."""

    number: int
    key: str
    changed: Timestamp
    is_deleted: bool
    value: AnyJson


class SettingHistory(Struct, frozen=True, kw_only=True):
    """Changes, the latest first; `cursor` asks for the next ones, `null` at the end."""

    changes: list[SettingChangeView]
    cursor: int | None


class RestoredSetting(Struct, frozen=True, kw_only=True):
    """A setting as it is now. Not `is_set`: it has no value any more."""

    of: Owner
    key: str
    is_set: bool
    value: AnyJson


def view_of_change(change: SettingChange) -> SettingChangeView:
    return SettingChangeView(
        number=change.number,
        key=change.key,
        changed=format_timestamp(change.changed),
        is_deleted=change.value is None,
        value=msgspec.Raw(change.value or b"null"),
    )
