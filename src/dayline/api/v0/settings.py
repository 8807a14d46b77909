"""`/api/0/settings`: any JSON value under a key."""

import falcon
import msgspec

from dayline.api.http.call import Call
from dayline.api.http.route import DONE, Answer, Body, Route
from dayline.api.insight.category_store import change_classes
from dayline.api.v0.documents import AnyJson
from dayline.model.category import CLASSES
from dayline.model.data import canonical_json, decode_json
from dayline.model.errors import Malformed
from dayline.model.privacy import FILTERS_KEY
from dayline.runtime.threads import in_thread

MAX_KEY_BYTES = 127  # as the Rust server has it


async def list_settings(call: Call) -> None:
    """Every key with its value; `{}` where there are none."""
    settings = await in_thread(call.store.settings)
    call.answer_json(b"{%s}" % b",".join(b"%s:%s" % (msgspec.json.encode(key), settings[key]) for key in settings))


async def get_setting(call: Call) -> None:
    """A key that is not set is no error: its value is `null`."""
    value = await in_thread(call.store.setting, _key(call))
    call.answer_json(b"null" if value is None else value)


async def set_setting(call: Call) -> None:
    """Any JSON value, also `null`, `false` or an empty one, is stored as it is.

    `privacy_filters` alone the server reads itself: a list of privacy rules that cannot be used is refused, and what
    was in force stays so. `classes`, the categories, may be anything; what Dayline keeps beside them stays.
    """
    key = _key(call)
    value = canonical_json(decode_json(await call.json_body()))
    if key == FILTERS_KEY:
        await call.tenant.privacy.set_filters(value, call.store)
    elif key == CLASSES:
        await change_classes(call, value)
    else:
        await call.store.set_setting(key, value)
    call.response.status = falcon.HTTP_201
    call.answer_json(value)


async def set_nothing(call: Call) -> None:
    """Without a key there is nothing to set."""
    raise Malformed("a setting needs a key", hint="POST /api/0/settings/<key>", field="key")


async def delete_setting(call: Call) -> None:
    """The same answer whether or not it was set."""
    key = _key(call)
    if key == FILTERS_KEY:
        await call.tenant.privacy.set_filters(None, call.store)
    elif key == CLASSES:
        await change_classes(call, None)
    else:
        await call.store.delete_setting(key)
    call.answer_json(b"{}")


def _key(call: Call) -> str:
    key = call.params["key"]
    if len(key.encode()) > MAX_KEY_BYTES:
        raise Malformed(f"a setting's key may not be longer than {MAX_KEY_BYTES} bytes", field="key")
    return key


# Routes.


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/settings", handler=list_settings, tag="settings",
        scope="read", is_server_wide=True,
        summary="Get all settings", answer=Answer(type=dict[str, AnyJson], description="key to value"),
    ),
    Route(
        method="POST", path="/api/0/settings", handler=set_nothing, tag="settings",
        scope="full", is_server_wide=True,
        summary="Refuse a setting without a key", answer=None,
    ),
    Route(
        method="GET", path="/api/0/settings/{key}", handler=get_setting, tag="settings",
        scope="read", is_server_wide=True,
        summary="Get a setting", answer=Answer(type=AnyJson, description="the value, null where it is not set"),
    ),
    Route(
        method="POST", path="/api/0/settings/{key}", handler=set_setting, tag="settings",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Set a setting", body=Body(type=AnyJson, example=86400),
        answer=Answer(type=AnyJson, description="the value as stored", status=201),
    ),
    Route(
        method="DELETE", path="/api/0/settings/{key}", handler=delete_setting, tag="settings",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Delete a setting, set or not", answer=DONE,
    ),
)  # fmt: skip
