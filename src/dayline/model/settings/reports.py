"""Saved reports."""

from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.data import CanonicalJson, decode_body
from dayline.model.errors import Invalid

PROJECTS_KEY: Final = "projects"  # an internal setting
REPORT_KEY: Final = "report:"  # prefix of the name, in internal settings
MAX_REPORTS: Final = 200
_RESERVED: Final = "timesheet"  # also the name of a path

ReportName = Annotated[str, Meta(min_length=1, max_length=100, pattern=f"^(?!{_RESERVED}$)", examples=["Invoice"])]

_Text = Annotated[str, Meta(max_length=200)]
_Texts = Annotated[list[_Text], Meta(max_length=100)]
_parameters: Final = msgspec.json.Decoder(dict[str, str | list[str]])


class ReportTemplate(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """The parameters of `GET /api/1/reports/timesheet`, as in its URL."""

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
    depth: Annotated[str, Meta(pattern="^[1-9][0-9]?$")] | UnsetType = UNSET


class KeptReport(Struct, frozen=True, kw_only=True):
    """A saved report: its name and its parameters."""

    name: str
    parameters: dict[str, str | list[str]]


def decode_template(body: bytes) -> CanonicalJson:
    """Decode a template; returns its parameters as JSON. Raises Malformed or Invalid."""
    return msgspec.json.encode(decode_body(body, ReportTemplate), order="sorted")


def check_report_name(name: str) -> None:
    """Raise Invalid unless a report may have this name."""
    if not name.strip() or len(name) > 100 or name == _RESERVED or not name.isprintable():
        raise Invalid(
            f"invalid report name {name[:40]!r}",
            hint=f"use up to 100 printable characters, and not {_RESERVED}",
            field="report",
        )


def kept_report(name: str, text: CanonicalJson) -> KeptReport:
    """Decode a saved report."""
    return KeptReport(name=name, parameters=_parameters.decode(text))
