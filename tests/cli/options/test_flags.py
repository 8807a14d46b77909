"""A flag means the same in every command."""

import click

from dayline.cli.main import commands
from tests.cli.options.test_json_everywhere import each_command


def options_of(name: str) -> dict[str, click.Option]:
    """The options with a name, by the command that has them."""
    return {
        path: option
        for path, command in each_command(commands).items()
        for option in command.params
        if isinstance(option, click.Option) and name in option.opts
    }


def test_a_short_flag_is_short_for_one_option() -> None:
    # `-f` was --follow and --format, `-p` was the port of two of the commands with --port.
    meanings: dict[str, set[str]] = {}
    for command in each_command(commands).values():
        for option in command.params:
            if isinstance(option, click.Option):
                longs = {name for name in option.opts if name.startswith("--")}
                for name in option.opts:
                    if not name.startswith("--"):
                        meanings.setdefault(name, set()).update(longs)

    assert meanings.pop("-n") == {"--limit", "--lines"}
    assert {name: longs for name, longs in meanings.items() if len(longs) > 1} == {}
    assert not {"-p", "-h"} & meanings.keys()


def test_an_option_takes_a_value_in_every_command_or_in_none() -> None:
    every = {name for command in each_command(commands).values() for option in command.params for name in option.opts}
    longs = {name for name in every if name.startswith("--")}

    both = {name for name in longs if len({option.is_flag for option in options_of(name).values()}) > 1}

    assert both == {"--server"}  # of a status, and the server that `watch` records at


def test_a_host_is_an_address_and_a_device_is_a_host_name() -> None:
    assert set(options_of("--host")) == {"serve", "service install"}
    assert {option.metavar for option in options_of("--device").values()} == {"HOST"}


def test_a_file_is_replaced_only_with_force() -> None:
    with_output = set(options_of("--output"))

    assert with_output == {"report", "export", "demo", "keys create", "keys rotate"}
    assert with_output - set(options_of("--force")) == {"keys create", "keys rotate"}  # which need a new file
