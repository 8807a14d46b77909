"""Lengths of time as people type them: 90d, 12h, 30m."""

import re
from datetime import timedelta
from typing import Any, Final

import click

_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"([0-9]{1,5})([mhdw])")


class Length(click.ParamType[timedelta]):
    """`90d` and the like."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        found = _LENGTH.fullmatch(str(value).strip().lower())
        if found is None or int(found[1]) == 0:
            self.fail(f"{value!r} is not a length of time like 90d, 12h or 30m", param, ctx)
        return timedelta(**{_UNITS[found[2]]: int(found[1])})
