"""Options that commands share: the database, the tenant, lifetimes, and the PostgreSQL library."""

import functools
import re
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import click

from dayline.cli.options.setting_flags import config_option, database_option, flags_from, testing_option
from dayline.cli.options.settings import Settings, default_database, resolve
from dayline.model.access import TENANT_PATTERN
from dayline.model.errors import Invalid
from dayline.storage.postgres.address import without_password


def shown_database(settings: Settings) -> str:
    """The database in messages: a path, or an address without its password."""
    return str(settings.database) if settings.postgres is None else shown_address(settings.postgres)


def shown_address(address: str) -> str:
    from dayline.storage.postgres.connection import display_address  # here, because it is an extra

    return display_address(address)


def database_arguments(settings: Settings) -> list[str]:
    """What names the same database on the command line, without a password. Nothing for the default database."""
    mode = ["--testing"] if settings.is_testing else []
    if settings.postgres is not None:
        return [*mode, "--database", without_password(settings.postgres)]
    is_default = settings.database == default_database(is_testing=settings.is_testing).absolute()
    return mode if is_default else [*mode, "--database", str(settings.database)]


# The options of every command that works on a database, and what is read from them.


# What is made beside the database is for its owner to read: other people of the machine have no business there.
OURS_ALONE: Final = 0o077

P = ParamSpec("P")
T = TypeVar("T")


def on_database(command: Callable[Concatenate[Settings, P], T]) -> Callable[..., T]:
    """Give a command --database, --testing and --config, and pass it the settings that they lead to."""

    @database_option
    @testing_option
    @config_option
    @functools.wraps(command)
    def with_settings(*args: P.args, **kwargs: P.kwargs) -> T:
        # Taken out of the others one by one: types cannot say "these three, and whatever the command has itself".
        database, testing, config = (kwargs.pop(name) for name in ("database", "testing", "config"))
        flags = flags_from({"database": database}, is_testing=testing, config=config)
        return command(resolve(flags), *args, **kwargs)

    return with_settings


def check_is_file(
    settings: Settings, *, hint: str = "docs/guides/postgres.md says what does this on PostgreSQL"
) -> None:
    """Raise Invalid where the data are on PostgreSQL, for a command that works on a file."""
    if settings.postgres is not None:
        raise Invalid("this command works on a database file, and --database names a PostgreSQL server", hint=hint)


as_json = click.option("--json", "is_json", is_flag=True, help="Print JSON, for programs.")


# The parameter of commands that names a person whose data are in a database with those of others.


class _Tenant(click.ParamType[str]):
    name = "tenant"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        text = str(value)
        if text and not re.search(TENANT_PATTERN, text):
            self.fail(f"{text!r} is not a name of small letters and digits, with . _ - within it", param, ctx)
        return text


TENANT: Final = _Tenant()


# Lengths of time as people type them: 90d, 12h, 30m.


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


# The library for PostgreSQL, which is an extra: what is told where it is missing.


@contextmanager
def postgres_library() -> Generator[None]:
    """Import what needs it within this block. Raises Invalid where it is not installed."""
    try:
        yield
    except ImportError as error:
        raise Invalid(
            "PostgreSQL needs a library that is not installed", hint='pip install "dayline[postgres]"'
        ) from error
