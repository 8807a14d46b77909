"""`/api/1/categories/explain`, `/preview` and `/suggestions`: rules with their proof on what was recorded."""

from typing import Any, Final

import msgspec

from dayline.api.call import Call, in_thread
from dayline.api.insight import run_task, scope_of
from dayline.insight.category_answers import LayerName
from dayline.insight.category_requests import ExplainRequest
from dayline.insight.category_tasks import ExplainTask
from dayline.insight.common_request import CommonRequest
from dayline.model.errors import Invalid
from dayline.model.timestamps import Microseconds, check_range, parse_timestamp
from dayline.model.wire import decode_body

_LAYER_OF: Final[dict[str, LayerName]] = {"web.tab.current": "tab", "app.editor.activity": "file"}

_explain = msgspec.json.Decoder(ExplainRequest)


async def explain_category(call: Call) -> None:
    """Which rule decides, in which field, and what it found there; and the other rules that match, with why they lost.

    Ask for an event (`bucket` and `id`), for data that you give (`data`, and `type` of the bucket), or for whatever was
    in front at a moment (`at`, and `device` where there are several).
    """
    asked = decode_body(await call.json_body(), _explain)
    scope = await scope_of(call)
    if asked.at is not None:
        moment = _moment(asked.at)
        devices = () if asked.device is None else (asked.device,)
        task = ExplainTask(common=CommonRequest(scope=scope, start=moment, end=moment + 1, devices=devices))
    else:
        layers = await in_thread(_layers, call, asked)
        task = ExplainTask(common=CommonRequest(scope=scope, start=0, end=1), layers=layers)
    call.answer_json(await run_task(call, "explain_category", task))


def _layers(call: Call, asked: ExplainRequest) -> dict[LayerName, dict[str, Any]]:
    if asked.data is not None:
        return {_LAYER_OF.get(asked.type, "window"): asked.data}
    if asked.bucket is None or asked.id is None:
        raise Invalid("there is nothing to explain", hint="give bucket and id, or data, or at")
    event = call.store.event(asked.bucket, asked.id)
    kind = call.store.bucket(asked.bucket).type
    return {_LAYER_OF.get(kind, "window"): msgspec.json.decode(event.data)}


def _moment(text: str) -> Microseconds:
    try:
        moment = parse_timestamp(text)
    except ValueError as error:
        raise Invalid(f"at: {error}", field="at") from error
    check_range(moment, field="at")
    return moment
