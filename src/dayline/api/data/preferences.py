"""`/api/1/settings`: the user's preferences, and the history of every setting."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from dayline.access.privacy import OWN_RULES_KEY
from dayline.api.admin.maintenance import decode_rules
from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight.category_store import change_classes
from dayline.api.insight.goals import restore_goals
from dayline.api.v0.documents import AnyJson
from dayline.maintenance.space import RETENTION_KEY
from dayline.model.category import CLASSES
from dayline.model.data import CanonicalJson
from dayline.model.errors import Conflict, Malformed, NotFound
from dayline.model.goal import GOAL_SETTINGS
from dayline.model.preferences import (
    PREFERENCES,
    REPORT_KEY,
    HistoryFilter,
    Owner,
    Preferences,
    PreferencesChange,
    SettingChange,
    decode_preferences_change,
    preferences_of,
)
from dayline.model.privacy import FILTERS_KEY, decode_stored_rules
from dayline.model.time import Timestamp, format_timestamp
from dayline.runtime.threads import in_thread


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


# `/api/1/settings`: a person's preferences, and the history of all settings.


PAGE: Final = 100
_MOST: Final = 1000


async def get_preferences(call: Call) -> None:
    """Every preference, those too that nobody has set."""
    call.answer_value(preferences_of(await in_thread(call.access.own_settings)))


async def change_preferences(call: Call) -> None:
    """Changes the fields that are given, all or none of them, and leaves the others alone; `null` resets one.

    The values that they had stay in the history.
    """
    values = decode_preferences_change(await call.json_body())
    await call.access.change_own_settings(values)
    await get_preferences(call)


async def get_setting_history(call: Call) -> None:
    """What settings were changed to: Dayline's own, or with `of=client` those at `/api/0/settings`.

    Dayline's own are not only the preferences. The others, such as the privacy rules, are for keys of scope `full`.
    """
    which = HistoryFilter(
        key=call.request.get_param("key"),
        before=call.number("cursor"),
        limit=min(call.number("limit") or PAGE, _MOST),
    )
    owner = _owner(call)
    history = await _history(call, owner, which)
    is_last = len(history) < which.limit
    call.answer_value(
        SettingHistory(
            changes=[view_of_change(change) for change in history if _may_see(call, owner, change.key)],
            cursor=None if is_last else history[-1].number,
        )
    )


async def restore_setting(call: Call) -> None:
    """The setting gets the value that this change gave it, or is removed if the change removed it.

    That is a change of its own: what it had until now stays in the history, too.
    """
    owner, number = _owner(call), _path_number(call)
    found = await _history(call, owner, HistoryFilter(before=number + 1, limit=1))
    if not found or found[0].number != number:
        raise _no_change(str(number))
    [change] = found
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
        # Not behind the back of what holds them: they are in force at once, and not if one of them cannot be used.
        await call.tenant.privacy.set_rules(decode_stored_rules(change.value or b"[]"), call.access)
    elif change.key == RETENTION_KEY:
        await call.tenant.upkeep.set_rules(decode_rules(change.value or b"[]"), call.access)
    elif change.key in GOAL_SETTINGS:
        await restore_goals(call, change.key, change.value)
    elif change.key.startswith(REPORT_KEY):
        await call.access.change_own_settings({change.key: change.value})
    elif change.key in PREFERENCES:
        text = b"null" if change.value is None else change.value
        values = decode_preferences_change(b"{%b:%b}" % (msgspec.json.encode(change.key), text))
        await call.access.change_own_settings(values)
    else:
        raise Conflict(f"{change.key!r} cannot be restored from the history", hint="set it by its own call")


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
            raise Malformed(f"of: {text[:40]!r} is neither own nor client", field="of")


def _path_number(call: Call) -> int:
    number = call.path_number("number")
    if number is None:
        raise _no_change(call.params["number"])
    return number


def _no_change(number: str) -> NotFound:
    return NotFound(f"there is no change {number[:40]!r} in the history", hint="GET /api/1/settings/history lists them")


# Routes.


_OF = Parameter(
    name="of",
    type=Owner,
    description="`own`: Dayline's settings; `client`: those at `/api/0/settings`. `own` by itself",
)
_HISTORY = (
    _OF,
    Parameter(name="key", type=str, description="only changes of this setting"),
    Parameter(name="cursor", type=Annotated[int, Meta(ge=1)], description="only changes before this one"),
    Parameter(name="limit", type=Annotated[int, Meta(ge=1)], description="at most so many; 100 where it is left out"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/settings", handler=get_preferences, tag="settings", scope="read",
        is_server_wide=True, summary="Get the preferences",
        answer=Answer(type=Preferences, description="every one of them"),
    ),
    Route(
        method="PATCH", path="/api/1/settings", handler=change_preferences, tag="settings", scope="full",
        is_server_wide=True, is_destructive=True, summary="Change some preferences",
        body=Body(type=PreferencesChange, example={"day_start": "05:00", "time_zone": "Europe/Berlin"}),
        answer=Answer(type=Preferences, description="every one of them as it is now"),
    ),
    Route(
        method="GET", path="/api/1/settings/history", handler=get_setting_history, tag="settings",
        scope="read", is_server_wide=True, summary="Read what settings were changed to", parameters=_HISTORY,
        answer=Answer(type=SettingHistory, description="the changes, the latest first"),
    ),
    Route(
        method="POST", path="/api/1/settings/history/{number}/restore", handler=restore_setting,
        tag="settings", scope="full", is_server_wide=True, is_destructive=True, parameters=(_OF,),
        summary="Give a setting a value that it had before",
        answer=Answer(type=RestoredSetting, description="the setting as it is now"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
