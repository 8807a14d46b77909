"""Types of arguments: input files, tenants and lengths of time."""

import re
from datetime import timedelta
from pathlib import Path
from typing import Any, Final

import click
import msgspec

from dayline.model.access import TENANT_PATTERN
from dayline.model.data import reason_of
from dayline.model.errors import Malformed, NotFound

_UNITS: Final = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
_LENGTH = re.compile(r"([0-9]{1,5})([mhdw])")


class InputFile(click.Path):
    """The path of a file that must exist. Raises NotFound, so that a missing file has one exit code everywhere."""

    def __init__(self, *, allow_dash: bool = False) -> None:
        super().__init__(path_type=Path, dir_okay=False, allow_dash=allow_dash)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path: Any = super().convert(value, param, ctx)
        if str(path) != "-" and not path.exists():
            raise NotFound(f"no such file: {path}")
        return path


def read_json(content: bytes, file: Path) -> Any:
    """The value in a JSON file. Raises Malformed."""
    try:
        return msgspec.json.decode(content)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        reason = reason_of(error).removeprefix("JSON is malformed: ")
        raise Malformed(f"{file} is not JSON: {reason}") from error


class _Tenant(click.ParamType[str]):
    """The name of a tenant of a shared PostgreSQL database."""

    name = "tenant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if text and not re.search(TENANT_PATTERN, text):
            self.fail(f"{text!r} is not the name of a tenant: use a-z, 0-9, and . _ - in between", param, ctx)
        return text


TENANT: Final = _Tenant()


class Length(click.ParamType[timedelta]):
    """A length of time such as `90d`."""

    name = "length"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> timedelta:
        if isinstance(value, timedelta):
            return value
        match = _LENGTH.fullmatch(str(value).strip().lower())
        if match is None or int(match[1]) == 0:
            self.fail(f"{value!r} is not a length of time such as 90d, 12h or 30m", param, ctx)
        return timedelta(**{_UNITS[match[2]]: int(match[1])})
