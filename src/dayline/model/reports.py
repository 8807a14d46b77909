"""Reports that are kept under a name: what they are asked with."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.data import CanonicalJson
from dayline.model.errors import Invalid
from dayline.model.wire import decode_body

REPORT_KEY: Final = "report:"  # before the name, among Dayline's own settings
MOST_REPORTS: Final = 200
_RESERVED: Final = ("timesheet",)  # a path of its own

_Text = Annotated[str, Meta(max_length=200)]
_Texts = Annotated[list[_Text], Meta(max_length=100)]


class ReportTemplate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parameters of `GET /api/1/reports/timesheet`, as they stand in its address."""

    period: _Text | UnsetType = UNSET
    tz: _Text | UnsetType = UNSET
    day_start: _Text | UnsetType = UNSET
    week_start: _Text | UnsetType = UNSET
    device: _Texts | UnsetType = UNSET
    filter: _Texts | UnsetType = UNSET
    away: Literal["exclude", "include"] | UnsetType = UNSET
    annotations: Literal["on", "off"] | UnsetType = UNSET
    by: Literal["category", "project", "app", "title", "label"] | UnsetType = UNSET
    format: Literal["json", "csv", "html"] | UnsetType = UNSET
    round: Literal["none", "up", "nearest", "down"] | UnsetType = UNSET
    to: _Text | UnsetType = UNSET
    per: Literal["entry", "day"] | UnsetType = UNSET
    least: _Text | UnsetType = UNSET
    gaps: _Text | UnsetType = UNSET
    rate: _Text | UnsetType = UNSET
    rates: Annotated[str, Meta(max_length=10_000)] | UnsetType = UNSET
    currency: _Text | UnsetType = UNSET
    title: _Text | UnsetType = UNSET
    notes: Literal["on", "off"] | UnsetType = UNSET


class KeptReport(Struct, frozen=True, kw_only=True):
    """A report under its name, and the parameters that it is asked with."""

    name: str
    parameters: dict[str, str | list[str]]


_template: Final = msgspec.json.Decoder(ReportTemplate)
_parameters: Final = msgspec.json.Decoder(dict[str, str | list[str]])


def decode_template(body: bytes) -> CanonicalJson:
    """Read a template; the parameters that it gives, as JSON. Raises Malformed or Invalid."""
    return msgspec.json.encode(decode_body(body, _template), order="sorted")


def check_report_name(name: str) -> None:
    """Raise Invalid unless a report may have this name."""
    if not name.strip() or len(name) > 100 or name in _RESERVED or not name.isprintable():
        raise Invalid(
            f"a report cannot be called {name[:40]!r}",
            hint=f"up to 100 characters that can be seen, and not {', '.join(_RESERVED)}",
            field="report",
        )


def kept_report(name: str, text: CanonicalJson) -> KeptReport:
    """A report as it was stored."""
    return KeptReport(name=name, parameters=_parameters.decode(text))
