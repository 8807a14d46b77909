"""The user's preferences and saved reports; each setting is stored separately and has a history."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.data import CanonicalJson, canonical_json, decode_body
from dayline.model.errors import Invalid
from dayline.model.time import Microseconds

ZoneName = Annotated[
    str, Meta(min_length=1, max_length=64, description="an IANA time zone", examples=["Europe/Berlin"])
]
ClockTime = Annotated[
    str,
    Meta(pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", max_length=5, description="a time of day", examples=["04:00"]),
]
Language = Annotated[
    str,
    Meta(
        pattern="^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$",
        max_length=35,
        description="a language tag",
        examples=["de", "pt-BR"],
    ),
]
WeekStart: TypeAlias = Literal["monday", "sunday", "saturday"]
DurationStyle: TypeAlias = Literal["hours", "clock", "decimal"]  # 1 h 30 m, 1:30, 1.5 h
Theme: TypeAlias = Literal["auto", "light", "dark"]
Density: TypeAlias = Literal["comfortable", "compact"]


class Preferences(Struct, frozen=True, kw_only=True):
    """The user's preferences. `null` leaves a choice to the browser."""

    time_zone: ZoneName | None = None
    day_start: ClockTime = "04:00"
    week_start: WeekStart = "monday"
    language: Language | None = None
    duration_style: DurationStyle = "hours"
    theme: Theme = "auto"
    density: Density = "comfortable"
    reduced_motion: bool | None = None
    single_letter_keys: bool = True


class PreferencesChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields to change. `null` resets a preference to its default."""

    time_zone: ZoneName | UnsetType | None = UNSET
    day_start: ClockTime | UnsetType | None = UNSET
    week_start: WeekStart | UnsetType | None = UNSET
    language: Language | UnsetType | None = UNSET
    duration_style: DurationStyle | UnsetType | None = UNSET
    theme: Theme | UnsetType | None = UNSET
    density: Density | UnsetType | None = UNSET
    reduced_motion: bool | UnsetType | None = UNSET
    single_letter_keys: bool | UnsetType | None = UNSET


PREFERENCES: Final = Preferences.__struct_fields__  # their names are keys of internal settings

_change = msgspec.json.Decoder(PreferencesChange)


def decode_preferences_change(body: bytes) -> dict[str, CanonicalJson | None]:
    """The internal settings that a body changes; None deletes one. Raises Malformed or Invalid."""
    change = decode_body(body, _change)
    if isinstance(change.time_zone, str):
        check_zone(change.time_zone)
    if isinstance(change.language, str) and change.language.endswith(
        "\n"
    ):  # `$` also matches before a trailing newline
        raise Invalid("language ends with a newline", field="language")
    given = {name: getattr(change, name) for name in PREFERENCES}
    return {
        name: None if value is None else canonical_json(value) for name, value in given.items() if value is not UNSET
    }


def preferences_of(stored: Mapping[str, CanonicalJson]) -> Preferences:
    """The preferences among internal settings. One that this version does not understand counts as not set."""
    known: dict[str, Any] = {}
    for name in PREFERENCES:
        text = stored.get(name)
        if text is None:
            continue
        try:
            msgspec.convert({name: msgspec.json.decode(text)}, Preferences)
        except msgspec.MsgspecError:
            continue
        known[name] = msgspec.json.decode(text)
    return Preferences(**known)


def check_zone(name: str) -> None:
    """Raise Invalid unless it is the name of a time zone."""
    if name not in _zones():
        raise Invalid(
            f"time_zone: unknown time zone {name!r}",
            hint="use a name like Europe/Berlin or UTC; null uses the browser's",
            field="time_zone",
        )


@cache
def _zones() -> frozenset[str]:
    from importlib.resources import files  # imported here: slow to load, and few calls set a zone

    # From the package's list, not from the system: the same everywhere, and no name is used as a path.
    return frozenset((files("tzdata") / "zones").read_text("utf-8").split())


# The history of settings: their former values, and when they changed.


Owner: TypeAlias = Literal["own", "client"]  # internal settings, or those of clients at `/api/0/settings`


class SettingChange(Struct, frozen=True, kw_only=True):
    """A value of a setting. None: it was deleted."""

    number: int
    key: str
    value: CanonicalJson | None
    changed: Microseconds


class HistoryFilter(Struct, frozen=True, kw_only=True):
    """Selects changes: of one key, or before a number."""

    key: str | None = None
    before: int | None = None
    limit: int = 100


class SettingBefore(Struct, frozen=True, kw_only=True):
    """A client's setting and the internal one stored with it, before both are changed together.

    `number` is that of the last change of the client's setting, 0 if there is none; `next` is that of the new one.
    """

    number: int
    next: int
    changed: Microseconds | None
    value: CanonicalJson | None
    own: CanonicalJson | None


class SettingPair(Struct, frozen=True, kw_only=True):
    """The new values of both. None deletes the client's."""

    value: CanonicalJson | None
    own: CanonicalJson


# Raises a DaylineError to refuse the change; nothing is changed then.
ComposePair: TypeAlias = Callable[[SettingBefore], SettingPair]


# Saved reports.


REPORT_KEY: Final = "report:"  # prefix of the name, in internal settings
MAX_REPORTS: Final = 200
_RESERVED: Final = "timesheet"  # also the name of a path

ReportName = Annotated[str, Meta(min_length=1, max_length=100, pattern=f"^(?!{_RESERVED}$)", examples=["Invoice"])]

_Text = Annotated[str, Meta(max_length=200)]
_Texts = Annotated[list[_Text], Meta(max_length=100)]


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


class KeptReport(Struct, frozen=True, kw_only=True):
    """A saved report: its name and its parameters."""

    name: str
    parameters: dict[str, str | list[str]]


_template: Final = msgspec.json.Decoder(ReportTemplate)
_parameters: Final = msgspec.json.Decoder(dict[str, str | list[str]])


def decode_template(body: bytes) -> CanonicalJson:
    """Decode a template; returns its parameters as JSON. Raises Malformed or Invalid."""
    return msgspec.json.encode(decode_body(body, _template), order="sorted")


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
