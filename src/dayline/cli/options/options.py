"""Options that commands share: the database, confirmation, the output, and the PostgreSQL library."""

import functools
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

import click
from click.core import ParameterSource

from dayline.cli.groups import WrongUsage
from dayline.cli.hints import DATABASE_OPTIONS, GIVEN
from dayline.cli.options.encryption import key_file_variable, use_encryption
from dayline.cli.options.setting_flags import config_option, database_option, flags_from, testing_option
from dayline.cli.options.settings import Settings, default_database, install_command, resolve
from dayline.model.errors import Invalid, NotFound, StoreLocked, Unavailable
from dayline.storage.postgres.address import is_postgres, without_password


def shown_database(settings: Settings) -> str:
    """The database in messages: a path, or an address without its password."""
    return str(settings.database) if settings.postgres is None else shown_address(settings.postgres)


def shown_address(address: str) -> str:
    from dayline.storage.postgres.connection import display_address  # here, because it is an extra

    return display_address(address)


def database_arguments(settings: Settings) -> list[str]:
    """The options that select the same database, without a password. Empty for the default database."""
    mode = ["--testing"] if settings.is_testing else []
    if settings.postgres is not None:
        return [*mode, "--database", without_password(settings.postgres)]
    is_default = settings.database == default_database(is_testing=settings.is_testing).absolute()
    return mode if is_default else [*mode, "--database", str(settings.database)]


# Files next to the database are readable by their owner only.
OWNER_ONLY: Final = 0o077

P = ParamSpec("P")
T = TypeVar("T")
Command = TypeVar("Command", bound=Callable[..., Any])


def selected_settings(database: object, *, is_testing: object = False, config: object = None) -> Settings:
    """The settings that the options lead to. From now on this process looks up the key of their database there."""
    values = {"database": database, "encryption_key_file": key_file_variable()}
    settings = resolve(flags_from(values, is_testing=is_testing, config=config))
    use_encryption(settings)
    return settings


def on_database(command: Callable[Concatenate[Settings, P], T]) -> Callable[..., T]:
    """Give a command --database, --testing and --config, and pass it the settings that they lead to."""

    @database_option
    @testing_option
    @config_option
    @functools.wraps(command)
    def with_settings(*args: P.args, **kwargs: P.kwargs) -> T:
        # One by one, because the types cannot express "these three and the command's own".
        database, testing, config = (kwargs.pop(name) for name in ("database", "testing", "config"))
        context = click.get_current_context()
        context.meta[DATABASE_OPTIONS], context.meta[GIVEN] = _given_options(context), context.params
        return command(selected_settings(database, is_testing=testing, config=config), *args, **kwargs)

    return with_settings


def _given_options(context: click.Context) -> list[str]:
    """The options that select the database, as far as they were typed: a variable applies to other commands, too."""
    given: list[str] = []
    for name in ("testing", "database", "config"):
        if context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            value = context.params[name]
            text = without_password(str(value)) if is_postgres(str(value)) else str(value)
            given += [f"--{name}"] if name == "testing" else [f"--{name}", text]
    return given


def check_is_file(
    settings: Settings, *, hint: str = "docs/guides/postgres.md describes the tools for PostgreSQL"
) -> None:
    """Raise Invalid if the database is on PostgreSQL, for a command that works on a file."""
    if settings.postgres is not None:
        raise Invalid(
            "this command needs a database file, and --database is the address of a PostgreSQL server", hint=hint
        )


@contextmanager
def server_stopped(settings: Settings, *, hint: str = "stop it first, then run this command again") -> Generator[None]:
    """Raise Unavailable with this hint if a server uses the database file that the block locks."""
    try:
        yield
    except StoreLocked as error:
        if settings.postgres is not None:
            raise
        raise Unavailable(f"a server uses {settings.database.name}", hint=hint) from error


def check_database_exists(settings: Settings) -> None:
    """Raise NotFound if there is no database file."""
    if not settings.database.exists():
        raise NotFound(f"no database at {settings.database}", hint="choose another one with --database")


def confirm(question: str, *, default: bool = False, err: bool = True) -> None:
    """Ask whether to continue. Raises click.Abort for no, and WrongUsage if there is no terminal to ask on."""
    try:
        click.confirm(question, default=default, abort=True, err=err)
    except click.Abort as abort:
        if not isinstance(abort.__context__, EOFError) or sys.stdin.isatty():
            raise
        click.echo(err=err)
        raise WrongUsage(
            "this command asks for confirmation, and standard input is not a terminal", hint="pass --yes"
        ) from abort


as_json = click.option("--json", "-j", "is_json", is_flag=True, help="Print JSON.")
yes_option = click.option("--yes", "-y", is_flag=True, help="Do not ask for confirmation.")
force_option = click.option("--force", is_flag=True, help="Replace the file of --output if it exists.")
dry_run_option = click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")


def limit_option(default: int, *, maximum: int) -> Callable[[Command], Command]:
    """Add --limit, a number of rows."""
    number = click.IntRange(1, maximum)
    return click.option("--limit", "-n", type=number, default=default, show_default=True, help="Number of rows.")


@contextmanager
def postgres_library() -> Generator[None]:
    """Import modules that need the library for PostgreSQL in this block. It is an extra: raises Invalid without it."""
    try:
        yield
    except ImportError as error:
        raise Invalid(
            "PostgreSQL needs a library that is not installed", hint=install_command("psycopg[binary,pool]")
        ) from error
