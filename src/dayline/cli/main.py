"""The `dayline` command: its subcommands, loaded when used, and how errors are printed."""

import contextlib
import gc
import os
import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping, Sequence
from importlib import import_module
from typing import Any, Final, NamedTuple, cast

import click

from dayline.cli.errors import CHECK_FAILED, INTERRUPTED, USAGE, exit_code_of
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.process import assume_home, drop_unwritable, open_missing, versions
from dayline.model.errors import DaylineError

_TRACEBACK: Final = "DAYLINE_TRACEBACK"  # if this variable is set, an unexpected error ends with its traceback
_COMPLETION: Final = "_DAYLINE_COMPLETE"  # the scripts of shells set it
_MAX_REASON: Final = 200  # characters


class Entry(NamedTuple):
    """The module of a command, its name in the module, and its line of help."""

    module: str
    attribute: str
    help: str


# Every command, by the headings of `dayline --help`, in order. A table, so that a command imports only what it needs.
SECTIONS: Final[Mapping[str, Mapping[str, Entry]]] = {
    "Your time": {
        "today": Entry("time.today", "today", "Show today, or the day of --date."),
        "top": Entry("time.top", "top", "Show what took the most time."),
        "report": Entry("time.report", "report", "Print a timesheet as a table, CSV, HTML or JSON."),
        "search": Entry("time.search", "search", "Search titles, URLs and all other recorded text."),
        "annotations": Entry("time.annotations", "annotations", "Add, list, disable and delete annotations."),
        "categories": Entry("time.categories", "categories", "Add, list, explain, import and export categories."),
        "goals": Entry("time.goals", "goals", "Show, add and delete goals."),
        "query": Entry("time.query", "query", "Run a query."),
        "open": Entry("time.open", "open_", "Open the web UI in a browser."),
    },
    "The server": {
        "serve": Entry("serve.serve", "serve", "Start the server."),
        "status": Entry("admin.status", "status", "Show what is recording, and any problems."),
        "logs": Entry("admin.logs", "logs", "Show the server's log, or the audit log."),
        "settings": Entry("admin.settings", "settings", "Show and change settings and preferences."),
        "service": Entry("service.command", "service", "Install, uninstall or check the background service."),
        "keys": Entry("admin.keys", "keys", "Create, list and revoke API keys; sign browsers out."),
        "tls": Entry("admin.tls", "tls", "Create and show TLS certificates."),
        "watch": Entry("admin.watch", "watch", "Record the active window, and when you are away."),
        "relay": Entry("relay.command", "relay", "Forward this computer's watchers to another server."),
    },
    "The data": {
        "buckets": Entry("data.buckets", "buckets", "List, rename, merge and delete buckets."),
        "events": Entry("data.events", "events", "Show events of a bucket, also as they arrive."),
        "privacy": Entry("data.privacy", "privacy", "Manage privacy rules, and apply them to stored events."),
        "import": Entry("data.transfer.import_", "import_", "Import ActivityWatch data, JSON exports or an archive."),
        "export": Entry("data.transfer.export", "export", "Export buckets as JSON, CSV, NDJSON or an archive."),
        "backup": Entry("data.backup", "backup", "Create, list, verify and restore backups."),
        "sync": Entry("data.sync", "sync", "Sync the buckets of all your devices."),
        "undo": Entry("data.trash", "undo", "Undo the latest change, or the one with NUMBER."),
        "trash": Entry("data.trash", "trash", "List changes that can be undone, or empty the trash."),
        "doctor": Entry("data.doctor", "doctor", "Check the database file and the data, and repair them."),
        "space": Entry("data.space", "space", "Show, reclaim and limit disk space."),
        "database": Entry("data.database", "database", "Encrypt, create and copy databases."),
        "demo": Entry("data.demo", "demo", "Create demo data."),
        "completion": Entry("data.completion", "completion", "Print a shell completion script."),
    },
}


def entries() -> Iterator[tuple[str, Entry]]:
    """Every command with its entry."""
    for section in SECTIONS.values():
        yield from section.items()


class LazyCommands(Mapping[str, click.Command]):
    """Commands by name. A command of the table is imported when it is looked up."""

    def __init__(self, table: Mapping[str, Entry]) -> None:
        self._table = table

    def __getitem__(self, name: str) -> click.Command:
        entry = self._table[name]
        command: click.Command = getattr(import_module(f"dayline.cli.{entry.module}"), entry.attribute)
        return command

    def __contains__(self, name: object) -> bool:
        return name in self._table  # a lookup would import it

    def __iter__(self) -> Iterator[str]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)


class LazyGroup(Group):
    """The commands of the table, listed under its headings without importing any of them."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.commands = cast("MutableMapping[str, click.Command]", LazyCommands(dict(entries())))  # nothing is added

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        widest = max(len(name) for name, _ in entries())
        for heading, section in SECTIONS.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(widest), entry.help) for name, entry in section.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        from click.shell_completion import CompletionItem  # here, because only shell completion needs it

        names = [CompletionItem(name, help=entry.help) for name, entry in entries() if name.startswith(incomplete)]
        return [*names, *click.Command.shell_complete(self, ctx, incomplete)]


@click.group(
    cls=LazyGroup,
    invoke_without_command=True,
    subcommand_metavar="COMMAND [ARGS]...",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.option(
    "--version", "is_version", is_flag=True, help="Show the versions of Dayline, Python, SQLite and the system."
)
@click.option("--json", "is_json", is_flag=True, help="Print the versions as JSON.")
@click.pass_context
def commands(context: click.Context, *, is_version: bool, is_json: bool) -> None:
    """Dayline: a local-first server for personal activity data.

    Watchers, clients and web UIs of ActivityWatch work with it unchanged.
    """
    if is_version:
        click.echo(versions(is_json=is_json))
        context.exit()
    if is_json:
        raise WrongUsage("--json must follow the command", hint="dayline today --json, or dayline --version --json")
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command. Expected errors are printed as one line and a hint, without a traceback."""
    gc.set_threshold(100_000, 20, 50)  # loading modules leaves no garbage, and looking for it takes a tenth of the time
    open_missing()
    assume_home()
    if _COMPLETION in os.environ:
        _use_own_completion()
    try:
        _run(arguments)
    finally:
        gc.freeze()  # or the interpreter looks at every loaded module once more before it ends
        drop_unwritable(sys.stderr)


def _use_own_completion() -> None:
    # Here, because only the Tab key needs it.
    from click.shell_completion import add_completion_class

    from dayline.cli.options.shells import SHELLS

    for name, kind in SHELLS.items():
        add_completion_class(kind, name)


def _run(arguments: Sequence[str] | None) -> None:
    try:
        code = commands.main(args=arguments, prog_name="dayline", standalone_mode=False, color=_is_colored())
        sys.exit(code if isinstance(code, int) else 0)
    except DaylineError as error:
        _show(error.message, error.hint)
        sys.exit(exit_code_of(error))
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.message)
        sys.exit(0)
    except click.UsageError as error:
        _show(_usage_message(error), _usage_hint(error))
        sys.exit(USAGE)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort as error:
        if isinstance(error.__context__, KeyboardInterrupt):
            sys.exit(INTERRUPTED)
        click.echo("Aborted!", err=True)
        sys.exit(CHECK_FAILED)
    except Exception as error:
        if os.environ.get(_TRACEBACK):
            raise
        _show(*_unexpected(error))
        sys.exit(CHECK_FAILED)


def _is_colored() -> bool | None:
    """False if https://no-color.org says so; None leaves it to whether the output is a terminal."""
    return False if os.environ.get("NO_COLOR") else None


def _unexpected(error: Exception) -> tuple[str, str]:
    """The message and the hint of an error that no command expects."""
    reason = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}", "check that the path exists and that you may use it"
    return (
        f"unexpected error: {reason[:_MAX_REASON]}",
        f"this is a bug: report it with what {_TRACEBACK}=1 prints when you run the command again",
    )


def _show(message: str, hint: str | None) -> None:
    with contextlib.suppress(OSError):  # if nothing can be written, the exit code still reports the failure
        click.secho(f"dayline: {message}", fg="red", err=True, color=_is_colored())
        if hint:
            click.echo(f"  → {hint}", err=True)


# What click writes, and our wording.
_MESSAGES: Final = (
    (r"^Invalid value for '\[?([^'\]]*)\]?(?:\.\.\.)?'(?: / '-\w')?: ", r"\1: "),
    (r"is not a valid (?:integer|float)(?: range)?$", "is not a number"),
    (r"^(--?[\w-]+|[\w-]+): (\S+) is not in the range (\S+)<=x<=(\S+)$", r"\1 must be between \3 and \4 (got \2)"),
    (r"^(--?[\w-]+|[\w-]+): (\S+) is not in the range x>=(\S+)$", r"\1 must be at least \3 (got \2)"),
    (r" is not one of '.*$", " is unknown"),
    (r": (?:File|Path|Directory) '([^']*)' is a directory$", r": \1 is a folder, not a file"),
    (r": (?:File|Path|Directory) '([^']*)' does not exist$", r": no such file: \1"),
    (r"^Got unexpected extra arguments? \((.*)\)$", r"unexpected argument: \1"),
    (r"^Missing argument '([^'.]*)(?:\.\.\.)?'", r"missing argument \1"),
    (r"^Missing option '(--[\w-]+)'(?: / '-\w')?", r"missing option \1"),
)


def _usage_message(error: click.UsageError) -> str:
    """The message of click in our style: lower case, no full stop, no suggestions."""
    if isinstance(error, click.NoSuchOption):
        return f"unknown option {error.option_name!r}"
    text = error.format_message().rstrip(".").partition(". Choose from:")[0]
    for pattern, replacement in _MESSAGES:
        text = re.sub(pattern, replacement, text)
    return f"{text[:1].lower()}{text[1:]}" if text[1:2].islower() else text


def _usage_hint(error: click.UsageError) -> str:
    hint = getattr(error, "hint", None)
    if isinstance(hint, str):
        return hint
    path = "dayline" if error.ctx is None else error.ctx.command_path
    kind = error.param.type if isinstance(error, click.BadParameter) and error.param is not None else None
    if isinstance(kind, click.Choice):
        return f"choose one of {', '.join(map(str, kind.choices))}"
    if isinstance(error, click.NoSuchOption) and error.possibilities:
        return f"did you mean: {' or '.join(sorted(error.possibilities))}"
    return f"{path} --help shows the options and examples"
