"""`/api/1/categories/explain`, `/preview` and `/suggestions`: rules with their proof on what was recorded."""

from typing import Final

import msgspec

from dayline.api.annotation_layer import annotations_for
from dayline.api.call import Call, in_thread
from dayline.api.insight import answer_tagged, common_request, run_task, scope_of
from dayline.insight.bucket_kinds import layer_of
from dayline.insight.category_answers import IgnoredSuggestions
from dayline.insight.category_check import checked_categories
from dayline.insight.category_requests import ExplainRequest, IgnoredSuggestion, PreviewRequest
from dayline.insight.category_tasks import EventToExplain, ExplainTask, PreviewTask, SuggestTask
from dayline.insight.common_request import CommonRequest
from dayline.model.data import canonical_json
from dayline.model.errors import Forbidden, Invalid
from dayline.model.timestamps import checked_moment
from dayline.model.wire import decode_body

IGNORED: Final = "ignored_suggestions"  # the own setting
_SUGGESTIONS: Final = 20
_MOST_SUGGESTIONS: Final = 200
_MOST_IGNORED: Final = 10_000

_explain = msgspec.json.Decoder(ExplainRequest)
_preview = msgspec.json.Decoder(PreviewRequest)
_ignore = msgspec.json.Decoder(IgnoredSuggestion)
_ignored = msgspec.json.Decoder(tuple[str, ...])


async def explain_category(call: Call) -> None:
    """Which rule decides, in which field, and what it found there; and the other rules that match, with why they lost.

    Ask for an event (`bucket` and `id`), which is explained together with what else was in front; for data that you
    give (`data`, and `type` of the bucket); or for what was in front at a moment (`at`, and `device` if there are
    several). A key for some buckets gets no patterns, and cannot ask for `data`.
    """
    asked = decode_body(await call.json_body(), _explain)
    given = [name for name in ("at", "data", "bucket") if getattr(asked, name) is not None]
    if len(given) != 1:
        told = f"{' and '.join(given)} are several things to explain" if given else "there is nothing to explain"
        raise Invalid(told, hint="give bucket and id, or data, or at", field=given[-1] if given else None)
    scope = await scope_of(call)
    if asked.at is not None:
        moment = checked_moment(asked.at, field="at")
        devices = () if asked.device is None else (asked.device,)
        common = CommonRequest(scope=scope, start=moment, end=moment + 1, devices=devices)
        common = await in_thread(annotations_for, call, common, moment, moment + 1)
        task = ExplainTask(common=common, shows_patterns=call.caller.buckets.is_all)
    else:
        common = CommonRequest(scope=scope, start=0, end=1)
        task = await in_thread(_task, call, asked, common)
    call.answer_json(await run_task(call, "explain_category", task))


async def preview_categories(call: Call) -> None:
    """What a changed rule set, sent as a whole, would move in a range: seconds by category, samples and warnings.

    Nothing is changed. A rule that cannot be used is refused with its place, as when it is saved. One that takes too
    long is skipped, with a warning.
    """
    asked = decode_body(await call.json_body(), _preview)
    common = await common_request(call)
    categories = await in_thread(checked_categories, asked.categories, current=common.scope.categories)
    task = PreviewTask(common=common, categories=categories, samples=asked.samples)
    call.answer_json(await run_task(call, "preview_categories", task))


async def suggest_categories(call: Call) -> None:
    """The largest groups of time without a category: by app, by domain, by a word of the title.

    Each has a condition that would match it and a name for a category. Those that somebody ignores are left out.
    """
    common = await common_request(call)
    ignored = await in_thread(_ignored_suggestions, call)
    limit = min(call.number("limit") or _SUGGESTIONS, _MOST_SUGGESTIONS)
    answer_tagged(
        call, await run_task(call, "suggest_categories", SuggestTask(common=common, ignored=ignored, limit=limit))
    )


async def ignore_suggestion(call: Call) -> None:
    """Leaves a suggestion out from now on, by its id; or makes it again, with `is_ignored` false."""
    asked = decode_body(await call.json_body(), _ignore)
    ignored = await in_thread(_ignored_suggestions, call)
    kept = [each for each in ignored if each != asked.id]
    if asked.is_ignored:
        kept = [*kept, asked.id][-_MOST_IGNORED:]
    await call.access.set_own_setting(IGNORED, canonical_json(kept))
    call.answer_value(IgnoredSuggestions(ignored=kept))


def _ignored_suggestions(call: Call) -> tuple[str, ...]:
    return _ignored.decode(call.access.own_setting(IGNORED) or b"[]")


def _task(call: Call, asked: ExplainRequest, common: CommonRequest) -> ExplainTask:
    """What a query process is asked about data or an event."""
    shows_patterns = call.caller.buckets.is_all
    if asked.data is not None:
        if not shows_patterns:  # the answers to one word after another would show the rules
            raise Forbidden(
                "a key for some buckets can ask only about what was recorded in them, not about data",
                hint="send bucket and id, or at, or use a key for all buckets",
            )
        return ExplainTask(
            common=common, shows_patterns=shows_patterns, layers={layer_of(asked.type) or "window": asked.data}
        )
    assert asked.bucket is not None  # just looked at
    if asked.id is None:
        raise Invalid("id is missing: which event of the bucket", field="id")
    event = call.store.event(asked.bucket, asked.id)
    return ExplainTask(
        common=common,
        shows_patterns=shows_patterns,
        event=EventToExplain(
            bucket=call.store.bucket(asked.bucket).id,  # it may be named by an alias
            start=event.start,
            end=event.start + max(0, event.duration),
            data=msgspec.json.decode(event.data),
        ),
    )
