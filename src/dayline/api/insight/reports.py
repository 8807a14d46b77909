"""`/api/1/reports`: timesheets, and saved reports."""

import re
from decimal import Decimal, InvalidOperation
from typing import Annotated, Final, Literal, cast, get_args

from msgspec import Meta

from dayline.api.http.call import Call
from dayline.api.http.parameters import COMMON, REFUSALS, choice, common_parameters
from dayline.api.http.route import Answer, Body, Parameter, Route
from dayline.api.insight.task import answer_tagged, common_request, run_task, scope_of
from dayline.insight.request import CommonRequest
from dayline.insight.timesheet.model import (
    ROUNDINGS,
    SHEET_FIELDS,
    STEP,
    KeyRate,
    Per,
    Rounding,
    SheetField,
    SheetFormat,
    Timesheet,
    TimesheetRequest,
)
from dayline.insight.timesheet.render import POLICY
from dayline.model.data import CanonicalJson
from dayline.model.errors import Conflict, Forbidden, Malformed, NotFound
from dayline.model.preferences import (
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
_MOST_A_HOUR: Final = Decimal(1_000_000)
_LONGEST_TEXT: Final = 200


def timesheet_parameters(call: Call, common: CommonRequest) -> TimesheetRequest:
    """What the call asks for. Raises Malformed."""
    step = _length(call, "to", STEP)
    if not step:
        raise Malformed("to: times cannot be rounded to nothing", hint="write to=15m", field="to")
    rate = call.request.get_param("rate")
    return TimesheetRequest(
        common=common,
        by=choice(call, "by", SHEET_FIELDS, "category"),
        format=choice(call, "format", get_args(SheetFormat), "json"),
        rounding=choice(call, "round", ROUNDINGS, "none"),
        step=step,
        per=choice(call, "per", get_args(Per), "entry"),
        least=_length(call, "least", 0),
        gaps=_length(call, "gaps", 0),
        rate=None if rate is None else _rate(rate, "rate"),
        rates=tuple(_key_rate(text) for text in (call.request.get_param("rates") or "").split(",") if text.strip()),
        currency=_text(call, "currency", 12),
        title=_text(call, "title", _LONGEST_TEXT),
        has_notes=choice(call, "notes", ("on", "off"), "on") == "on",
    )


def _length(call: Call, name: str, default: Microseconds) -> Microseconds:
    """A length like 15m, 90s or 1.5h; a number alone are minutes."""
    text = call.request.get_param(name)
    if text is None:
        return default
    found = _LENGTH.fullmatch(text)
    length = None if found is None else int(Decimal(found[1]) * _UNITS[found[2] or "m"])
    if length is None or length > DAY:
        raise Malformed(f"{name}: {shorten(text)!r} is not a length up to a day", hint="write 15m or 90s", field=name)
    return length


def _rate(text: str, field: str) -> int:
    """A rate an hour in ten-thousandths."""
    try:
        rate = Decimal(text.strip())
        if not rate.is_finite() or not 0 <= rate <= _MOST_A_HOUR:
            raise InvalidOperation(text)
        return int(rate.quantize(Decimal("0.0001")) * 10_000)
    except InvalidOperation as error:
        raise Malformed(
            f"{field}: {shorten(text)!r} is not a rate an hour", hint="write 80 or 82.50", field=field
        ) from error


def _key_rate(text: str) -> KeyRate:
    key, colon, rate = text.rpartition(":")
    if not colon or not key.strip():
        raise Malformed(
            f"rates: {shorten(text)!r} is not a rate of something",
            hint="write Work/Code:95,Work/Docs:80",
            field="rates",
        )
    return KeyRate(key=key.strip(), rate=_rate(rate, "rates"))


def _text(call: Call, name: str, longest: int) -> str:
    text = call.request.get_param(name) or ""
    if len(text) > longest:
        raise Malformed(f"{name} is longer than {longest} characters", field=name)
    return text


# `/api/1/reports`: timesheets, and the reports that are kept under a name.


MEDIA: Final[dict[SheetFormat, str]] = {
    "json": "application/json",
    "csv": "text/csv; charset=utf-8",
    "html": "text/html; charset=utf-8",
}
# It is a page of our own origin, made of what other pages are called: nothing in it may run or be loaded.
_POLICY: Final = f"{POLICY}; frame-ancestors 'none'; sandbox"
_NOT_IN_NAMES: Final = re.compile(r"[^A-Za-z0-9]+")


async def get_timesheet(call: Call) -> None:
    """A line for each day on which something counts, and a column for each category, project, app, title or label.

    An entry is the time of one key on one day. Rounding is of each entry, or of the day as a whole: then the entries
    share the rounded time in whole steps. Amounts follow the rounded time. `format` makes CSV of it, or a page that
    prints well. A `template` is a report that is kept: what is given here goes before what it says.
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
        place = "attachment" if asked.format == "csv" else "inline"
        call.response.set_header("Content-Disposition", f'{place}; filename="{_file_name(asked)}"')
    if asked.format == "html":
        call.response.set_header("Content-Security-Policy", _POLICY)


async def list_reports(call: Call) -> None:
    """In order of their names, each with the parameters that it is asked with."""
    call.answer_value(await in_thread(_reports, call))


async def get_report(call: Call) -> None:
    """One report with the parameters that it is asked with: `GET /api/1/reports/timesheet?template=…` makes it."""
    call.answer_value(await in_thread(_report, call, call.params["report"]))


async def keep_report(call: Call) -> None:
    """Keeps a report under this name, in place of one that has it. What it was stays in the history of settings."""
    name, text = call.params["report"], decode_template(await call.json_body())
    check_report_name(name)
    await _check_parameters(call, kept_report(name, text))
    known = await in_thread(_reports, call)
    if len(known) >= MAX_REPORTS and name not in {report.name for report in known}:
        raise Conflict(f"there are {MAX_REPORTS} reports already", hint="remove one of them first")
    await call.access.change_own_settings({f"{REPORT_KEY}{name}": text})
    call.answer_value(kept_report(name, text))


async def remove_report(call: Call) -> None:
    """Removes a report; what it was stays in the history of settings, and is answered."""
    name = call.params["report"]
    text = await in_thread(call.access.own_setting, f"{REPORT_KEY}{name}")
    # Also where there is none: a call that is sent again is told so, not that there is nothing any more.
    await call.access.change_own_settings({f"{REPORT_KEY}{name}": None})
    call.answer_value(_found(name, text))


async def _use_template(call: Call, name: str) -> None:
    """Take for parameters of the URL what the report says and the URL does not."""
    if not call.caller.buckets.is_all:
        raise Forbidden("kept reports are settings, and the key is for some buckets only", field="template")
    report = await in_thread(_report, call, name)
    given = _parameters(call)
    has_range = any(field in given for field in ("start", "end"))
    for field, value in report.parameters.items():
        if field not in given and not (has_range and field == "period"):
            given[field] = value


async def _check_parameters(call: Call, report: KeptReport) -> None:
    """Raise Malformed or Invalid unless a timesheet can be asked for with these parameters."""
    _parameters(call).update(report.parameters)
    timesheet_parameters(call, common_parameters(call, await scope_of(call)))


def _parameters(call: Call) -> "dict[str, str | list[str]]":
    """The parameters of the URL: a dict, which the request reads from."""
    return cast("dict[str, str | list[str]]", call.request.params)


def _reports(call: Call) -> list[KeptReport]:
    settings = call.access.own_settings()
    return [kept_report(key.removeprefix(REPORT_KEY), settings[key]) for key in sorted(settings) if _is_report(key)]


def _report(call: Call, name: str) -> KeptReport:
    return _found(name, call.access.own_setting(f"{REPORT_KEY}{name}"))


def _found(name: str, text: CanonicalJson | None) -> KeptReport:
    if text is None:
        raise NotFound(f"no report is called {name[:40]!r}", hint="GET /api/1/reports lists them", field="report")
    return kept_report(name, text)


def _is_report(key: str) -> bool:
    return key.startswith(REPORT_KEY)


def _file_name(asked: TimesheetRequest) -> str:
    calendar = asked.common.calendar
    first, last = calendar.day_of(asked.common.start), calendar.day_of(asked.common.end - 1)
    title = _NOT_IN_NAMES.sub("-", asked.title).strip("-")[:60] or "timesheet"
    days = f"{first}" if first == last else f"{first}-to-{last}"
    return f"{title}-{days}.{asked.format}"


# Routes.


_Length = Annotated[str, Meta(pattern="^[0-9]{1,6}([.][0-9]{1,3})?[smh]?$", examples=["15m"])]
_EXAMPLE = {
    "period": "last-month",
    "by": "category",
    "filter": ["category:under:Work"],
    "round": "nearest",
    "to": "15m",
}

_SHEET = (
    Parameter(name="by", type=SheetField, description="what the columns are; `category` where it is left out"),
    Parameter(name="format", type=SheetFormat, description="`json` where it is left out"),
    Parameter(name="round", type=Rounding, description="how times are rounded; `none` where it is left out"),
    Parameter(name="to", type=_Length, description="what they are rounded to: `15m` by itself"),
    Parameter(name="per", type=Per, description="whether each entry is rounded, or the day; `entry` by itself"),
    Parameter(name="least", type=_Length, description="entries shorter than this are left out: `2m`, for example"),
    Parameter(name="gaps", type=_Length, description="gaps shorter than this count: `5m`, for example"),
    Parameter(name="rate", type=Annotated[str, Meta(examples=["80"])], description="what an hour costs"),
    Parameter(
        name="rates",
        type=Annotated[str, Meta(examples=["Work/Code:95,Work/Docs:80"])],
        description="what an hour of some keys costs; of a category, also of those below it",
    ),
    Parameter(name="currency", type=Annotated[str, Meta(max_length=12)], description="stands behind amounts"),
    Parameter(name="title", type=Annotated[str, Meta(max_length=200)], description="above the sheet"),
    Parameter(
        name="notes", type=Literal["on", "off"], description="whether the labels of a day are listed; `on` by itself"
    ),
    Parameter(name="template", type=str, description="the name of a kept report, which says what is not given here"),
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/1/reports/timesheet", handler=get_timesheet, tag="insight", scope="read",
        is_tagged=True, summary="Get a timesheet", parameters=(*_SHEET, *COMMON),
        answer=Answer(type=Timesheet, description="the sheet", renderings=("text/csv", "text/html")),
        errors=(NotFound, *REFUSALS),
    ),
    Route(
        method="GET", path="/api/1/reports", handler=list_reports, tag="insight", scope="read",
        is_server_wide=True, summary="List the reports that are kept",
        answer=Answer(type=list[KeptReport], description="in order of their names"),
    ),
    Route(
        method="GET", path="/api/1/reports/{report}", handler=get_report, tag="insight", scope="read",
        is_server_wide=True, summary="Get a kept report", answer=Answer(type=KeptReport, description="the report"),
        errors=(NotFound,),
    ),
    Route(
        method="PUT", path="/api/1/reports/{report}", handler=keep_report, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, summary="Keep a report under a name",
        body=Body(type=ReportTemplate, example=_EXAMPLE), answer=Answer(type=KeptReport, description="the report"),
        errors=(Conflict,),
    ),
    Route(
        method="DELETE", path="/api/1/reports/{report}", handler=remove_report, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, summary="Remove a kept report",
        answer=Answer(type=KeptReport, description="the report as it was"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
