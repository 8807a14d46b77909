"""A command starts quickly: it loads what it needs, and leaves what takes its time until it is used.

What is loaded is asserted rather than how long it takes, since a test machine may be busy.
"""

import os
import subprocess
import sys
from functools import cache

import pytest

from dayline.cli.main import entries
from tests.support.server import RunningServer

# What takes its time to import, and is none of the business of a command that only prints its usage.
HEAVY = (
    "ada_url",
    "asyncio",
    "apsw",
    "falcon",
    "http.client",
    "numpy",
    "re2",
    "rich",
    "ssl",
    "uvicorn",
    "wcwidth",
    "zstandard",
)
PRINT_LOADED = "import sys; print('\\n'.join(sys.modules), file=sys.stderr)"


@cache
def loaded_by(*arguments: str, **variables: str) -> frozenset[str]:
    """The modules that a command line has loaded when it ends."""
    program = (
        f"import atexit; atexit.register(lambda: exec({PRINT_LOADED!r}))\nfrom dayline.cli.main import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **variables},
    )
    return frozenset(done.stderr.split())


def test_the_list_of_commands_loads_none_of_them() -> None:
    loaded = loaded_by("--help")

    assert [name for name in HEAVY if name in loaded] == []
    assert "msgspec" not in loaded
    assert sorted(name for name in loaded if name.startswith("dayline.cli.")) == [
        "dayline.cli.errors",
        "dayline.cli.groups",
        "dayline.cli.main",
        "dayline.cli.process",
    ]


# The server and the relay are the event loop that they load.
COMMANDS = [name for name, _ in entries() if name not in ("serve", "relay")]
# Each command in a process that has loaded what all of them load, and no other command.
LOAD_EACH = """
import os, sys
from dayline.cli.main import main
for name in sys.argv[1:]:
    sys.stdout.flush()
    if os.fork() == 0:
        sys.argv[1:] = [name, "--help"]
        try:
            main()
        finally:
            print("\\nloaded:", name, *sys.modules)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0, name
"""


@cache
def loaded_by_help() -> dict[str, set[str]]:
    """The modules that each command has loaded when it has shown how it is used."""
    done = subprocess.run([sys.executable, "-c", LOAD_EACH, *COMMANDS], capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines() if line.startswith("loaded:")]
    return {name: set(modules) for _, name, *modules in lines}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_loads_nothing_heavy_before_it_does_something(name: str) -> None:
    loaded = loaded_by_help()[name]

    assert "click" in loaded
    assert [heavy for heavy in HEAVY if heavy in loaded] == []


def test_a_command_that_finds_a_server_loads_what_calls_it_and_nothing_of_the_server(server: RunningServer) -> None:
    for arguments in (("today",), ("top",), ("status",), ("buckets",)):
        loaded = loaded_by(*arguments, DAYLINE_DATABASE=str(server.database), TZ="Europe/Berlin")

        assert "http.client" in loaded
        assert [heavy for heavy in HEAVY if heavy in loaded and heavy not in ("http.client", "ssl")] == []
        assert not loaded & {
            "dayline.api.http.dispatch",
            "dayline.cli.serve.assembly",
            "dayline.storage.sqlite.file.connection",
        }
