"""The options of every command that works on a database, and what is read from them."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Concatenate, Final, ParamSpec, TypeVar

import click

from dayline.cli.settings import Flags, Settings, resolve

# What is made beside the database is for its owner to read: other people of the machine have no business there.
OURS_ALONE: Final = 0o077

P = ParamSpec("P")
T = TypeVar("T")


def on_database(command: Callable[Concatenate[Settings, P], T]) -> Callable[..., T]:
    """Give a command --database, --testing and --config, and pass it the settings that they lead to."""

    @click.option(
        "--database", type=click.Path(path_type=Path, dir_okay=False, readable=False), envvar="DAYLINE_DATABASE",
        help="File that holds the data. [default: dayline.db in the user's data folder]",
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
            database=database if isinstance(database, Path) else None,
        )
        return command(resolve(flags), *args, **kwargs)

    return with_settings


as_json = click.option("--json", "is_json", is_flag=True, help="Print JSON, for programs.")
