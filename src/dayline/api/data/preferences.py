"""`/api/1/settings`: the user's preferences, and the history of every setting."""

from collections.abc import Mapping
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight.category_store import change_classes
from dayline.api.insight.goals import restore_goals
from dayline.api.insight.projects import restore_projects
from dayline.api.v0.documents import AnyJson
from dayline.maintenance.space import RETENTION_KEY
from dayline.model.category import CLASSES
from dayline.model.data import CanonicalJson, decode_body
from dayline.model.errors import Conflict, Malformed, NotFound
from dayline.model.privacy.rules import FILTERS_KEY, OWN_RULES_KEY, decode_stored_rules
from dayline.model.settings.goal import GOAL_SETTINGS
from dayline.model.settings.history import HistoryFilter, Owner, SettingChange
from dayline.model.settings.preferences import (
    PREFERENCES,
    Preferences,
    PreferencesChange,
    decode_preferences_change,
    preferences_of,
)
from dayline.model.settings.reports import PROJECTS_KEY, REPORT_KEY
from dayline.model.time import Timestamp, format_timestamp
from dayline.model.upkeep.retention import RetentionRule
from dayline.runtime.threads import in_thread


class SettingChangeView(Struct, frozen=True, kw_only=True):
    """The value that a setting was changed to. If `is_deleted`, the setting was removed and `value` is null.

    `device` is the name of the device on which it was changed; null if it was changed here.
    """

    number: int
    key: str
    changed: Timestamp
    is_deleted: bool
    value: AnyJson
    device: str | None = None


class SettingHistory(Struct, frozen=True, kw_only=True):
    """Changes, the latest first. Pass `cursor` to get the next page; `null` means the last page."""

    changes: list[SettingChangeView]
    cursor: int | None


class RestoredSetting(Struct, frozen=True, kw_only=True):
    """The setting after the restore. If `is_set` is false, it has no value."""

    of: Owner
    key: str
    is_set: bool
    value: AnyJson


def view_of_change(change: SettingChange, device: str | None = None) -> SettingChangeView:
    return SettingChangeView(
        number=change.number,
        key=change.key,
        changed=format_timestamp(change.changed),
        is_deleted=change.value is None,
        value=msgspec.Raw(change.value or b"null"),
        device=device,
    )


async def get_preferences(call: Call) -> None:
    """All preferences, with defaults for those that are not set."""
    call.answer_value(preferences_of(await in_thread(call.access.own_settings)))


async def change_preferences(call: Call) -> None:
    """Changes only the given fields, all or none of them; `null` resets a field to its default.

    The previous values stay in the history.
    """
    values = decode_preferences_change(await call.json_body())
    await call.access.change_own_settings(values)
    await get_preferences(call)


async def get_setting_history(call: Call) -> None:
    """Changes of Dayline's settings, or with `of=client` of those at `/api/0/settings`.

    Changes of settings other than the preferences, such as the privacy rules, are shown only to keys of scope `full`.
    """
    which = HistoryFilter(
        key=call.request.get_param("key"),
        before=call.number("cursor"),
        limit=call.page_limit(),
    )
    owner = _owner(call)
    history = await _history(call, owner, which)
    origins: Mapping[tuple[Owner, int], str] = await in_thread(call.tenant.sync.setting_origins) if history else {}
    is_last = len(history) < which.limit
    call.answer_value(
        SettingHistory(
            changes=[
                view_of_change(change, origins.get((owner, change.number)))
                for change in history
                if _may_see(call, owner, change.key)
            ],
            cursor=None if is_last else history[-1].number,
        )
    )


async def restore_setting(call: Call) -> None:
    """Sets the setting to the value of this change, or removes it if the change removed it.

    The restore is a new entry in the history.
    """
    owner, number = _owner(call), call.path_id("number", _no_change)
    changes = await _history(call, owner, HistoryFilter(before=number + 1, limit=1))
    if not changes or changes[0].number != number:
        raise _no_change(str(number))
    [change] = changes
    if owner == "own":
        await _restore_own(call, change)
    else:
        await _restore_client(call, change.key, change.value)
    call.answer_value(
        RestoredSetting(
            of=owner,
            key=change.key,
            is_set=change.value is not None,
            value=msgspec.Raw(change.value or b"null"),
        )
    )


async def _restore_own(call: Call, change: SettingChange) -> None:
    if change.key == OWN_RULES_KEY:
        # Through the service, so that they are validated and take effect at once.
        await call.tenant.privacy.set_rules(decode_stored_rules(change.value or b"[]"), call.access)
    elif change.key == RETENTION_KEY:
        rules = decode_body(change.value or b"[]", list[RetentionRule])
        await call.tenant.upkeep.set_rules(rules, call.access)
    elif change.key in GOAL_SETTINGS:
        await restore_goals(call, change.key, change.value)
    elif change.key == PROJECTS_KEY:
        await restore_projects(call, change.value)
    elif change.key.startswith(REPORT_KEY):
        await call.access.change_own_settings({change.key: change.value})
    elif change.key in PREFERENCES:
        text = b"null" if change.value is None else change.value
        values = decode_preferences_change(b"{%b:%b}" % (msgspec.json.encode(change.key), text))
        await call.access.change_own_settings(values)
    else:
        raise Conflict(f"cannot restore {change.key!r} from the history", hint="set it with its own endpoint")


async def _restore_client(call: Call, key: str, value: CanonicalJson | None) -> None:
    if key == FILTERS_KEY:
        await call.tenant.privacy.set_filters(value, call.store)
    elif key == CLASSES:
        await change_classes(call, value, comment="restored from the history of settings")
    elif value is None:
        await call.store.delete_setting(key)
    else:
        await call.store.set_setting(key, value)


async def _history(call: Call, owner: Owner, which: HistoryFilter) -> list[SettingChange]:
    read = call.access.own_setting_history if owner == "own" else call.store.setting_history
    return await in_thread(read, which)


def _may_see(call: Call, owner: Owner, key: str) -> bool:
    return owner == "client" or key in PREFERENCES or call.caller.may("full")


def _owner(call: Call) -> Owner:
    match text := call.request.get_param("of", default="own"):
        case "own" | "client":
            return text
        case _:
            raise Malformed(f"of: unknown value {text[:40]!r}; use own or client", field="of")


def _no_change(number: str) -> NotFound:
    return NotFound(
        f"there is no change {number[:40]!r} in the history", hint="GET /api/1/settings/history lists the changes"
    )


_OF = Parameter(
    name="of",
    type=Owner,
    description="`own`: Dayline's settings; `client`: those at `/api/0/settings`; default: `own`",
)
_HISTORY = (
    _OF,
    Parameter(name="key", type=str, description="only changes of this setting"),
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="the `cursor` of the previous page"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="max changes; default: 100"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/settings", handler=get_preferences, tag="settings", scope="read",
        audience="all buckets", summary="Get the preferences",
        answer=Answer(type=Preferences, description="all preferences"),
    ),
    Route(
        method="PATCH", path="/api/1/settings", handler=change_preferences, tag="settings", scope="full",
        audience="all buckets", is_destructive=True, summary="Change preferences",
        body=Body(type=PreferencesChange, example={"day_start": "05:00", "time_zone": "Europe/Berlin"}),
        answer=Answer(type=Preferences, description="all preferences after the change"),
    ),
    Route(
        method="GET", path="/api/1/settings/history", handler=get_setting_history, tag="settings",
        scope="read", audience="all buckets", summary="List changes of settings", parameters=_HISTORY,
        answer=Answer(type=SettingHistory, description="the changes, the latest first"),
    ),
    Route(
        method="POST", path="/api/1/settings/history/{number}/restore", handler=restore_setting,
        tag="settings", scope="full", audience="all buckets", is_destructive=True, parameters=(_OF,),
        summary="Restore an earlier value of a setting",
        answer=Answer(type=RestoredSetting, description="the setting"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
