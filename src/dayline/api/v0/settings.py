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
from dayline.model.privacy.rules import FILTERS_KEY
from dayline.runtime.threads import in_thread

MAX_KEY_BYTES = 127  # the limit of aw-server-rust


async def list_settings(call: Call) -> None:
    """All keys with their values; `{}` if there are none."""
    settings = await in_thread(call.store.settings)
    call.answer_json(b"{%s}" % b",".join(b"%s:%s" % (msgspec.json.encode(key), settings[key]) for key in settings))


async def get_setting(call: Call) -> None:
    """The value of a key that is not set is `null`; that is not an error."""
    value = await in_thread(call.store.setting, _key(call))
    call.answer_json(b"null" if value is None else value)


async def set_setting(call: Call) -> None:
    """Any JSON value, including `null`, `false` and empty ones, is stored as it is.

    The server validates only `privacy_filters`: an invalid list of rules is rejected, and the rules in force stay. The
    setting `classes`, the categories, may be anything; Dayline's additional fields stay.
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
    """Always an error: the path must have a key."""
    raise Malformed("a setting needs a key", hint="use POST /api/0/settings/<key>", field="key")


async def delete_setting(call: Call) -> None:
    """Returns 200 even if it was not set."""
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
        raise Malformed(f"the setting's key has {len(key.encode())} bytes; the limit is {MAX_KEY_BYTES}", field="key")
    return key


CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/settings", handler=list_settings, tag="settings",
        scope="read", audience="all buckets",
        summary="Get all settings", answer=Answer(type=dict[str, AnyJson], description="the values by key"),
    ),
    Route(
        method="POST", path="/api/0/settings", handler=set_nothing, tag="settings",
        scope="full", audience="all buckets",
        summary="Reject a setting without a key", answer=None,
    ),
    Route(
        method="GET", path="/api/0/settings/{key}", handler=get_setting, tag="settings",
        scope="read", audience="all buckets",
        summary="Get a setting", answer=Answer(type=AnyJson, description="the value, null if it is not set"),
    ),
    Route(
        method="POST", path="/api/0/settings/{key}", handler=set_setting, tag="settings",
        scope="full", audience="all buckets", is_destructive=True,
        summary="Set a setting", body=Body(type=AnyJson, example=86400),
        answer=Answer(type=AnyJson, description="the value as stored", status=201),
    ),
    Route(
        method="DELETE", path="/api/0/settings/{key}", handler=delete_setting, tag="settings",
        scope="full", audience="all buckets", is_destructive=True,
        summary="Delete a setting", answer=DONE,
    ),
)  # fmt: skip
