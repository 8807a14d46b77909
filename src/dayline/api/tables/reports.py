"""The calls about timesheets and the reports that are kept."""

from typing import Annotated, Literal

from msgspec import Meta

from dayline.api import reports
from dayline.api.route import Answer, Body, Parameter, Route
from dayline.api.tables.insight_parts import COMMON, REFUSALS
from dayline.insight.timesheet_answer import Timesheet
from dayline.insight.timesheet_request import Per, Rounding, SheetField, SheetFormat
from dayline.model.errors import Conflict, NotFound
from dayline.model.reports import KeptReport, ReportTemplate

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
        method="GET", path="/api/1/reports/timesheet", handler=reports.get_timesheet, tag="insight", scope="read",
        is_tagged=True, summary="Get a timesheet", parameters=(*_SHEET, *COMMON),
        answer=Answer(type=Timesheet, description="the sheet", renderings=("text/csv", "text/html")),
        errors=(NotFound, *REFUSALS),
    ),
    Route(
        method="GET", path="/api/1/reports", handler=reports.list_reports, tag="insight", scope="read",
        is_server_wide=True, summary="List the reports that are kept",
        answer=Answer(type=list[KeptReport], description="in order of their names"),
    ),
    Route(
        method="GET", path="/api/1/reports/{report}", handler=reports.get_report, tag="insight", scope="read",
        is_server_wide=True, summary="Get a kept report", answer=Answer(type=KeptReport, description="the report"),
        errors=(NotFound,),
    ),
    Route(
        method="PUT", path="/api/1/reports/{report}", handler=reports.keep_report, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, summary="Keep a report under a name",
        body=Body(type=ReportTemplate, example=_EXAMPLE), answer=Answer(type=KeptReport, description="the report"),
        errors=(Conflict,),
    ),
    Route(
        method="DELETE", path="/api/1/reports/{report}", handler=reports.remove_report, tag="insight", scope="full",
        is_server_wide=True, is_destructive=True, summary="Remove a kept report",
        answer=Answer(type=KeptReport, description="the report as it was"), errors=(NotFound, Conflict),
    ),
)  # fmt: skip
