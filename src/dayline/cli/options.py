"""The options of every command that works on a database, and what is read from them."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

import click

from dayline.cli.database_place import DATABASE
from dayline.cli.settings import Flags, Settings, resolve
from dayline.model.errors import Invalid

# What is made beside the database is for its owner to read: other people of the machine have no business there.
OURS_ALONE: Final = 0o077

P = ParamSpec("P")
T = TypeVar("T")


def on_database(command: Callable[Concatenate[Settings, P], T]) -> Callable[..., T]:
    """Give a command --database, --testing and --config, and pass it the settings that they lead to."""

    @click.option(
        "--database", type=DATABASE, envvar="DAYLINE_DATABASE",
        help="File that holds the data, or postgresql://…. [default: dayline.db in the user's data folder]",
    )  # fmt: skip
    @click.option("--testing", is_flag=True, envvar="DAYLINE_TESTING", help="The data of the testing mode.")
    @click.option(
        "--config", type=click.Path(path_type=Path, dir_okay=False), envvar="DAYLINE_CONFIG",
        help="Settings file. [default: config.toml in the user's config folder]",
    )  # fmt: skip
    @functools.wraps(command)
    def with_settings(*args: P.args, **kwargs: P.kwargs) -> T:
        # Taken out of the others one by one: types cannot say "these three, and whatever the command has itself".
        database, testing, config = (kwargs.pop(name) for name in ("database", "testing", "config"))
        flags = Flags(
            is_testing=bool(testing),
            config=config if isinstance(config, Path) else None,
            database=database if isinstance(database, Path | str) else None,
        )
        return command(resolve(flags), *args, **kwargs)

    return with_settings


def check_is_file(settings: Settings, *, hint: str = "docs/postgres.md says what does this on PostgreSQL") -> None:
    """Raise Invalid where the data are on PostgreSQL, for a command that works on a file."""
    if settings.postgres is not None:
        raise Invalid("this command works on a database file, and --database names a PostgreSQL server", hint=hint)


as_json = click.option("--json", "is_json", is_flag=True, help="Print JSON, for programs.")
