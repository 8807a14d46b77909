"""The calls about a person's preferences, and the history of settings."""

from typing import Annotated

from msgspec import Meta

from dayline.api import preferences
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.api.setting_changes import RestoredSetting, SettingHistory
from dayline.model.errors import Conflict, NotFound
from dayline.model.preferences import Preferences, PreferencesChange
from dayline.model.setting_change import Owner

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
        method="GET", path="/api/1/settings", handler=preferences.get_preferences, tag="settings", scope="read",
        is_server_wide=True, summary="Get the preferences",
        answer=Answer(type=Preferences, description="every one of them"),
    ),
    Route(
        method="PATCH", path="/api/1/settings", handler=preferences.change_preferences, tag="settings", scope="full",
        is_server_wide=True, is_destructive=True, summary="Change some preferences",
        body=Body(type=PreferencesChange, example={"day_start": "05:00", "time_zone": "Europe/Berlin"}),
        answer=Answer(type=Preferences, description="every one of them as it is now"),
    ),
    Route(
        method="GET", path="/api/1/settings/history", handler=preferences.get_setting_history, tag="settings",
        scope="read", is_server_wide=True, summary="Read what settings were changed to", parameters=_HISTORY,
        answer=Answer(type=SettingHistory, description="the changes, the latest first"),
    ),
    Route(
        method="POST", path="/api/1/settings/history/{number}/restore", handler=preferences.restore_setting,
        tag="settings", scope="full", is_server_wide=True, is_destructive=True, parameters=(_OF,),
        summary="Give a setting a value that it had before",
        answer=Answer(type=RestoredSetting, description="the setting as it is now"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
