"""`/api/1/reports`: timesheets, and saved reports."""

import re
from decimal import Decimal, InvalidOperation
from typing import Annotated, Final, Literal, cast, get_args

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.parameters import COMMON, COMMON_ERRORS, check_projects, choice, common_parameters
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight.task import answer_tagged, common_request, run_task, scope_of
from dayline.insight.request import CommonRequest
from dayline.insight.timesheet.model import (
    PER,
    POLICY,
    ROUNDINGS,
    SHEET_FIELDS,
    STEP,
    KeyRate,
    Per,
    Rounding,
    SheetField,
    SheetFormat,
    SheetLanguage,
    Timesheet,
    TimesheetRequest,
)
from dayline.model.data import CanonicalJson
from dayline.model.errors import Conflict, Forbidden, Malformed, NotFound
from dayline.model.settings.reports import (
    MAX_REPORTS,
    REPORT_KEY,
    KeptReport,
    ReportTemplate,
    check_report_name,
    decode_template,
    kept_report,
)
from dayline.model.time import DAY, SECOND, Microseconds, shorten
from dayline.runtime.threads import in_thread

_LENGTH: Final = re.compile(r"(\d{1,6}(?:\.\d{1,3})?)(s|m|h)?")
_UNITS: Final = {"s": SECOND, "m": 60 * SECOND, "h": 3600 * SECOND}
_MAX_RATE: Final = Decimal(1_000_000)  # per hour
_MAX_TITLE_CHARACTERS: Final = 200


def timesheet_parameters(call: Call, common: CommonRequest) -> TimesheetRequest:
    """The parameters of a timesheet. Raises Malformed."""
    step = _length(call, "to", STEP)
    if not step:
        raise Malformed("to must be longer than 0", hint="use a length such as to=15m", field="to")
    rate = call.request.get_param("rate")
    by: SheetField = choice(call, "by", SHEET_FIELDS, "category")
    check_projects(call, [by], "by")
    return TimesheetRequest(
        common=common,
        by=by,
        format=choice(call, "format", get_args(SheetFormat), "json"),
        language=choice(call, "language", get_args(SheetLanguage), "en"),
        rounding=choice(call, "round", ROUNDINGS, "none"),
        step=step,
        per=choice(call, "per", get_args(Per), PER),
        least=_length(call, "least", 0),
        gaps=_length(call, "gaps", 0),
        rate=None if rate is None else _rate(rate, "rate"),
        rates=tuple(_key_rate(text) for text in (call.request.get_param("rates") or "").split(",") if text.strip()),
        currency=_text(call, "currency", 12),
        title=_text(call, "title", _MAX_TITLE_CHARACTERS),
        has_notes=choice(call, "notes", ("on", "off"), "on") == "on",
        depth=call.number("depth"),
    )


def _length(call: Call, name: str, default: Microseconds) -> Microseconds:
    """A length such as 15m, 90s or 1.5h; a number without a unit is in minutes."""
    text = call.request.get_param(name)
    if text is None:
        return default
    match = _LENGTH.fullmatch(text)
    length = None if match is None else int(Decimal(match[1]) * _UNITS[match[2] or "m"])
    if length is None or length > DAY:
        raise Malformed(
            f"{name}: {shorten(text)!r} is not a length of at most a day",
            hint="use a length such as 15m or 90s",
            field=name,
        )
    return length


def _rate(text: str, field: str) -> int:
    """A rate per hour, in ten-thousandths."""
    try:
        rate = Decimal(text.strip())
        if not rate.is_finite() or not 0 <= rate <= _MAX_RATE:
            raise InvalidOperation(text)
        return int(rate.quantize(Decimal("0.0001")) * 10_000)
    except InvalidOperation as error:
        raise Malformed(
            f"{field}: {shorten(text)!r} is not a rate per hour", hint="use a number such as 80 or 82.50", field=field
        ) from error


def _key_rate(text: str) -> KeyRate:
    key, colon, rate = text.rpartition(":")
    if not colon or not key.strip():
        raise Malformed(
            f"rates: {shorten(text)!r} is not of the form key:rate",
            hint="use a list such as Work/Code:95,Work/Docs:80",
            field="rates",
        )
    return KeyRate(key=key.strip(), rate=_rate(rate, "rates"))


def _text(call: Call, name: str, max_characters: int) -> str:
    text = call.request.get_param(name) or ""
    if len(text) > max_characters:
        raise Malformed(f"{name} has {len(text)} characters; the limit is {max_characters}", field=name)
    return text


MEDIA: Final[dict[SheetFormat, str]] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
# The page is of our own origin and contains titles of other pages: nothing in it may run or be loaded.
_POLICY: Final = f"{POLICY}; frame-ancestors 'none'; sandbox"
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9]+")


async def get_timesheet(call: Call) -> None:
    """A row for each day with time, and a column for each category, project, app, title or label.

    An entry is the time of one key on one day. Rounding applies to the whole day, whose entries share the rounded time
    in whole steps, or to each entry; then `warning` has what that adds to the total. Amounts are computed from the
    rounded time. `format` returns CSV, or a page for printing. A `template` is a saved report; parameters that you send
    override it.
    """
    name = call.request.get_param("template")
    if name is not None:
        await _use_template(call, name)
    asked = timesheet_parameters(call, await common_request(call))
    body = await run_task(call, "timesheet", asked)
    answer_tagged(call, body)
    if call.response.status_code == 304:
        return
    call.response.content_type = MEDIA[asked.format]
    if asked.format != "json":
        disposition = "attachment" if asked.format == "csv" else "inline"
        call.response.set_header("Content-Disposition", f'{disposition}; filename="{_file_name(asked)}"')
    if asked.format == "html":
        call.response.set_header("Content-Security-Policy", _POLICY)


async def list_reports(call: Call) -> None:
    """In order of their names, each with its parameters."""
    call.answer_value(await in_thread(_reports, call))


async def get_report(call: Call) -> None:
    """A saved report with its parameters. `GET /api/1/reports/timesheet?template=…` runs it."""
    call.answer_value(await in_thread(_report, call, call.params["report"]))


async def save_report(call: Call) -> None:
    """Saves a report under this name, and replaces an existing one. The settings history has the previous version."""
    name, text = call.params["report"], decode_template(await call.json_body())
    check_report_name(name)
    await _check_parameters(call, kept_report(name, text))
    known = await in_thread(_reports, call)
    if len(known) >= MAX_REPORTS and name not in {report.name for report in known}:
        raise Conflict(
            f"there are {MAX_REPORTS} saved reports, which is the limit",
            hint="delete one: DELETE /api/1/reports/{report}",
        )
    await call.access.change_own_settings({f"{REPORT_KEY}{name}": text})
    call.answer_value(kept_report(name, text))


async def remove_report(call: Call) -> None:
    """Deletes a saved report and returns it. The settings history still has it."""
    name = call.params["report"]
    text = await in_thread(call.access.own_setting, f"{REPORT_KEY}{name}")
    # Also if there is none, so that a repeated request with the same idempotency key gets 409 instead of 404.
    await call.access.change_own_settings({f"{REPORT_KEY}{name}": None})
    call.answer_value(_existing(name, text))


async def _use_template(call: Call, name: str) -> None:
    """Add the parameters of the report that are missing in the URL."""
    if not call.caller.buckets.is_all:
        raise Forbidden("`template` needs a key for all buckets, and this key is limited to some", field="template")
    report = await in_thread(_report, call, name)
    given = _parameters(call)
    has_range = any(field in given for field in ("start", "end"))
    for field, value in report.parameters.items():
        if field not in given and not (has_range and field == "period"):
            given[field] = value


async def _check_parameters(call: Call, report: KeptReport) -> None:
    """Raise Malformed or Invalid unless these parameters are valid for a timesheet."""
    _parameters(call).update(report.parameters)
    timesheet_parameters(call, common_parameters(call, await scope_of(call)))


def _parameters(call: Call) -> "dict[str, str | list[str]]":
    """The parameters of the URL: the dict that the request reads from."""
    return cast("dict[str, str | list[str]]", call.request.params)


def _reports(call: Call) -> list[KeptReport]:
    settings = call.access.own_settings()
    keys = [key for key in sorted(settings) if key.startswith(REPORT_KEY)]
    return [kept_report(key.removeprefix(REPORT_KEY), settings[key]) for key in keys]


def _report(call: Call, name: str) -> KeptReport:
    return _existing(name, call.access.own_setting(f"{REPORT_KEY}{name}"))


def _existing(name: str, text: CanonicalJson | None) -> KeptReport:
    if text is None:
        raise NotFound(
            f"there is no saved report {name[:40]!r}", hint="GET /api/1/reports lists the reports", field="report"
        )
    return kept_report(name, text)


def _file_name(asked: TimesheetRequest) -> str:
    calendar = asked.common.calendar
    first, last = calendar.day_of(asked.common.start), calendar.day_of(asked.common.end - 1)
    title = _NOT_IN_NAMES.sub("-", asked.title).strip("-")[:60] or "timesheet"
    days = f"{first}" if first == last else f"{first}-to-{last}"
    return f"{title}-{days}.{asked.format}"


_Length = Annotated[str, Meta(pattern="^[0-9]{1,6}([.][0-9]{1,3})?[smh]?$", examples=["15m"])]
_EXAMPLE = {
    "period": "last-month",
    "by": "category",
    "filter": ["category:under:Work"],
    "round": "nearest",
    "to": "15m",
}

_SHEET = (
    Parameter(name="by", type=SheetField, description="field of the columns; default: `category`"),
    Parameter(name="format", type=SheetFormat, description="default: `json`"),
    Parameter(
        name="language", type=SheetLanguage, description="language of headings, sentences and dates; default: `en`"
    ),
    Parameter(name="round", type=Rounding, description="how times are rounded; default: `none`"),
    Parameter(name="to", type=_Length, description="the step to round to; default: `15m`"),
    Parameter(name="per", type=Per, description="round each day, or each entry; default: `day`"),
    Parameter(name="least", type=_Length, description="leave out entries shorter than this, such as `2m`"),
    Parameter(name="gaps", type=_Length, description="count gaps shorter than this, such as `5m`"),
    Parameter(name="rate", type=Annotated[str, Meta(examples=["80"])], description="rate per hour"),
    Parameter(
        name="rates",
        type=Annotated[str, Meta(examples=["Work/Code:95,Work/Docs:80"])],
        description="rates per hour by key; that of a category includes its subcategories",
    ),
    Parameter(name="currency", type=Annotated[str, Meta(max_length=12)], description="printed after amounts"),
    Parameter(name="title", type=Annotated[str, Meta(max_length=200)], description="title of the sheet"),
    Parameter(
        name="notes", type=Literal["on", "off"], description="whether to list the labels of each day; default: `on`"
    ),
    Parameter(
        name="depth",
        type=Annotated[int, Meta(ge=1)],
        description="with `by=category`: categories up to this depth, with everything below them",
    ),
    Parameter(name="template", type=str, description="the name of a saved report, for parameters that are not sent"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/reports/timesheet", handler=get_timesheet, tag="reports", scope="read",
        is_tagged=True, summary="Get a timesheet", parameters=(*_SHEET, *COMMON),
        answer=Answer(type=Timesheet, description="the timesheet", renderings=("text/csv", "text/html")),
        errors=(NotFound, *COMMON_ERRORS),
    ),
    Route(
        method="GET", path="/api/1/reports", handler=list_reports, tag="reports", scope="read",
        audience="all buckets", summary="List the saved reports",
        answer=Answer(type=list[KeptReport], description="the reports, in order of their names"),
    ),
    Route(
        method="GET", path="/api/1/reports/{report}", handler=get_report, tag="reports", scope="read",
        audience="all buckets", summary="Get a saved report", answer=Answer(type=KeptReport, description="the report"),
        errors=(NotFound,),
    ),
    Route(
        method="PUT", path="/api/1/reports/{report}", handler=save_report, tag="reports", scope="full",
        audience="all buckets", is_destructive=True, summary="Save a report",
        body=Body(type=ReportTemplate, example=_EXAMPLE), answer=Answer(type=KeptReport, description="the report"),
        errors=(Conflict,),
    ),
    Route(
        method="DELETE", path="/api/1/reports/{report}", handler=remove_report, tag="reports", scope="full",
        audience="all buckets", is_destructive=True, summary="Delete a saved report",
        answer=Answer(type=KeptReport, description="the deleted report"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
