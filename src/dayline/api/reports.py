"""`/api/1/reports`: timesheets, and the reports that are kept under a name."""

import re
from typing import Final, cast

from dayline.api.call import Call, in_thread
from dayline.api.common_parameters import common_parameters
from dayline.api.insight import answer_tagged, common_request, run_task, scope_of
from dayline.api.report_parameters import timesheet_parameters
from dayline.insight.report_html import POLICY
from dayline.insight.timesheet_request import SheetFormat, TimesheetRequest
from dayline.model.data import CanonicalJson
from dayline.model.errors import Conflict, Forbidden, NotFound
from dayline.model.reports import (
    MOST_REPORTS,
    REPORT_KEY,
    KeptReport,
    check_report_name,
    decode_template,
    kept_report,
)

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
    if len(known) >= MOST_REPORTS and name not in {report.name for report in known}:
        raise Conflict(f"there are {MOST_REPORTS} reports already", hint="remove one of them first")
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
