"""The user's preferences; each setting is stored separately."""

from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from dayline.model.data import CanonicalJson, canonical_json, decode_body
from dayline.model.errors import Invalid

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


def decode_preferences_change(body: bytes) -> dict[str, CanonicalJson | None]:
    """The internal settings that a body changes; None deletes one. Raises Malformed or Invalid."""
    change = decode_body(body, PreferencesChange)
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
