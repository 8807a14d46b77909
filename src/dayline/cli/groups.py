"""Groups of commands: the default command of a bare group, and suggestions for an unknown one."""

from collections.abc import Mapping
from typing import Any, Final

import click

from dayline.cli.errors import USAGE
from dayline.model.errors import DaylineError

# What people type for a command that has another name. A suggestion, never an alias.
_SYNONYMS: Final[Mapping[str, str | tuple[str, ...]]] = {
    "annotate": "annotations add",
    "archive": "export --format archive",
    "audit": "logs audit",
    "check": "doctor",
    "cleanup": "space compact",
    "compact": "space compact",
    "config": "settings",
    "device": "buckets devices",
    "devices": "buckets devices",
    "edit": ("settings set", "set"),
    "final": "make-final",
    "finalize": "make-final",
    "findings": "doctor",
    "fix": "doctor",
    "health": "status",
    "hosts": "buckets devices",
    "log": "logs",
    "login": "open",
    "ls": "list",
    "merge": "buckets merge",
    "migrate": "import",
    "new": "create",
    "now": ("status", "create"),
    "make-key": "create-key",
    "redact": "privacy",
    "remove": "delete",
    "repair": "doctor --repair",
    "restore": "backup restore",
    "retention": "space retention",
    "rehost": "set-host",
    "rm": "delete",
    "rules": "list",
    "run": "serve",
    "sessions": "keys sessions",
    "start": "serve",
    "uninstall": "service uninstall",
    "yesterday": "today --date yesterday",
}
_COMMAND: Final = "dayline.command"  # in the `meta` of contexts: the command that runs
_CLOSE: Final = 0.6  # of difflib: a letter or two are wrong


class WrongUsage(click.UsageError):
    """Options or arguments that do not fit together, with a hint on how to correct them."""

    exit_code = USAGE

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.hint = hint


class Group(click.Group):
    """A group that runs `default` if no command is named: `dayline buckets` is `dayline buckets list`.

    Options after the bare name belong to that command, so that `dayline buckets --json` works.
    """

    def __init__(self, *arguments: Any, default: str | None = None, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.default = default
        if default is not None:
            self.subcommand_metavar = "[COMMAND] [ARGS]..."

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # While a shell completes, the commands are offered, not the options of the default command.
        if (
            self.default is not None
            and not ctx.resilient_parsing
            and _runs_default(args, self.get_help_option_names(ctx))
        ):
            args = [self.default, *args]
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name = args[0]
        if name not in self.commands and not ctx.resilient_parsing and not name.startswith("-"):
            raise _unknown_command(ctx, name, list(self.commands))
        resolved = super().resolve_command(ctx, args)
        ctx.meta[_COMMAND] = resolved[1]
        return resolved

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except DaylineError as error:
            command = ctx.meta.pop(_COMMAND, None)
            if command is not None:  # the innermost group, whose command raised it
                # Here, because most commands succeed.
                from dayline.cli.hints import GIVEN, command_hint, for_database, name_options

                name_options(error, command, ctx.meta.get(GIVEN, {}))
                error.hint = error.hint and for_database(command_hint(error.hint), ctx)
            raise

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        default = self._default_context(ctx)
        if default is None:
            return
        rows = [row for each in default.command.get_params(default) if (row := each.get_help_record(default))]
        with formatter.section(f"Options of {ctx.command_path} {self.default}, which runs without a command"):
            formatter.write_dl([row for row in rows if "--help" not in row[0]])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[Any]:
        # Options after the bare name are those of the default command.
        default = self._default_context(ctx) if incomplete.startswith("-") else None
        own = super().shell_complete(ctx, incomplete)
        if default is None:
            return own
        known = {item.value for item in own}
        others = click.Command.shell_complete(default.command, default, incomplete)
        return [*own, *(item for item in others if item.value not in known)]

    def _default_context(self, ctx: click.Context) -> click.Context | None:
        if self.default is None:
            return None
        return click.Context(self.commands[self.default], parent=ctx, info_name=self.default)


def _runs_default(args: list[str], help_names: list[str]) -> bool:
    return not args or (args[0].startswith("-") and args[0] not in help_names)


def _unknown_command(ctx: click.Context, name: str, names: list[str]) -> WrongUsage:
    # Here, because only a typo needs it.
    from difflib import get_close_matches

    given = _SYNONYMS.get(name, ())
    synonyms = [each for each in ((given,) if isinstance(given, str) else given) if each.split()[0] in names]
    close = synonyms or get_close_matches(name, names, n=2, cutoff=_CLOSE)
    path = ctx.command_path
    if close:
        return WrongUsage(
            f"unknown command {name!r}", hint=f"did you mean: {' or '.join(f'{path} {each}' for each in close)}"
        )
    return WrongUsage(f"unknown command {name!r}", hint=f"{path} --help lists the commands")
