"""The parameter of commands that names a person whose data are in a database with those of others."""

import re
from typing import Any, Final

import click

from dayline.model.keys import TENANT_PATTERN


class _Tenant(click.ParamType[str]):
    name = "tenant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if text and not re.search(TENANT_PATTERN, text):
            self.fail(f"{text!r} is not a name of small letters and digits, with . _ - within it", param, ctx)
        return text


TENANT: Final = _Tenant()
