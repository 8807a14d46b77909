"""The calls about settings."""

from dayline.api import settings
from dayline.api.documents import (
    AnyJson,
)
from dayline.api.route import Answer, Body, Route
from dayline.api.tables.parts import DONE

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/settings", handler=settings.list_settings, tag="settings",
        scope="read", is_server_wide=True,
        summary="Get all settings", answer=Answer(type=dict[str, AnyJson], description="key to value"),
    ),
    Route(
        method="POST", path="/api/0/settings", handler=settings.set_nothing, tag="settings",
        scope="full", is_server_wide=True,
        summary="Refuse a setting without a key", answer=None,
    ),
    Route(
        method="GET", path="/api/0/settings/{key}", handler=settings.get_setting, tag="settings",
        scope="read", is_server_wide=True,
        summary="Get a setting", answer=Answer(type=AnyJson, description="the value, null where it is not set"),
    ),
    Route(
        method="POST", path="/api/0/settings/{key}", handler=settings.set_setting, tag="settings",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Set a setting", body=Body(type=AnyJson, example=86400),
        answer=Answer(type=AnyJson, description="the value as stored", status=201),
    ),
    Route(
        method="DELETE", path="/api/0/settings/{key}", handler=settings.delete_setting, tag="settings",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Delete a setting, set or not", answer=DONE,
    ),
)  # fmt: skip
