"""Errors on the command line name its options and commands, not the fields and endpoints of the API."""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Final

import click

from dayline.model.errors import DaylineError

# In the `meta` of contexts: the options that select the database, and the values of all options.
DATABASE_OPTIONS: Final = "dayline.database"
GIVEN: Final = "dayline.given"

# The first that matches wins. Endpoints without a command stay as they are: a program may have called.
_COMMANDS: Final = (
    (r"\w+ /api/\S+ or (dayline )", r"\1"),
    (r"; create one with POST /api/0/buckets/<id>", ""),
    (r"send `?\"force\": true`? ", "pass --force "),
    (r"; to overwrite it, send the change with If-Match .*", ""),
    (r"send `rules`, or set some with PUT /api/1/privacy/rules", "add a rule with dayline privacy add"),
    (r"GET /api/0/buckets/", "dayline buckets"),
    (r"DELETE /api/0/buckets/<id>", "dayline buckets delete"),
    (r"GET /api/0/export", "dayline export"),
    (r"GET /api/1/aliases", "dayline buckets"),
    (r"DELETE /api/1/aliases/(\S+)", r"dayline buckets unalias \1"),
    (r"GET /api/1/annotations", "dayline annotations"),
    (r"POST /api/1/buckets/(\S+)/merge into (\S+)", r"dayline buckets merge \1 \2"),
    (r"GET /api/1/categories/versions(/\d+)?", "dayline categories history"),
    (r"GET /api/1/categories", "dayline categories"),
    (r"DELETE /api/1/demo", "dayline demo --remove"),
    (r"GET /api/1/goals", "dayline goals"),
    (r"GET /api/1/health", "dayline status"),
    (r"GET /api/1/privacy/redactions", "dayline privacy history"),
    (r"PUT /api/1/privacy/rules", "dayline privacy add"),
    (r"GET /api/1/relay", "dayline relay status"),
    (r"GET /api/1/reports", "dayline report --list"),
    (r"null uses the browser's", "dayline settings unset preferences.time_zone uses the browser's"),
    (r"send DELETE /api/1/(\S+)", r"delete \1"),
    (r"GET /api/1/trash", "dayline trash"),
    (r"POST /api/1/undo/(\d+)", r"dayline undo \1"),
)


# Fields of requests whose option has another name. One word may be an option of several commands: the first that the
# command has counts.
_OPTIONS: Final = {
    "at": ("at",), "end": ("to", "end"), "start": ("from_", "start"), "seconds": ("at_least", "at_most"),
    "days": ("rules",), "time_zone": ("value",),
}  # fmt: skip
_INDEX: Final = re.compile(r"(\w*?)(?:ies|s)?\[([0-9]+)\]\.?")


def name_options(error: DaylineError, command: click.Command, given: Mapping[str, object]) -> None:
    """Let the message of an error name the options of a command instead of the fields of its request.

    `given` are the values of its options, as far as they are known.
    """
    options = {each.name or "": each for each in command.params if given.get(each.name or "", ()) is not None}
    for field in {*_OPTIONS, *options}:
        option = next((options[name] for name in (field, *_OPTIONS.get(field, ())) if name in options), None)
        if option is None:
            continue
        shown = next((flag for flag in option.opts if flag.startswith("--")), option.human_readable_name)
        error.message = re.sub(rf"`{field}`", shown, error.message)
        if (error.field or "").endswith(f"].{field}"):
            error.message = re.sub(r"^rule 1: ", f"{shown}: ", error.message)
        if error.field == field:
            error.message = re.sub(rf"^{field}\b(?=:? )", shown, error.message)
    error.message = _INDEX.sub(_counted, error.message) if _INDEX.match(error.message) else error.message


def _counted(found: re.Match[str]) -> str:
    """`categories[14].conditions[0].` as `category 15, condition 1, `."""
    noun = found[1] or "rule"
    ending = "y" if found[0].startswith(f"{found[1]}ies") else ""
    return f"{noun}{ending} {int(found[2]) + 1}, "


def command_hint(hint: str) -> str:
    """The hint with every endpoint replaced by its command."""
    for pattern, command in _COMMANDS:
        hint = re.sub(pattern, command, hint)
    return hint


def shown_hint(hint: str) -> str:
    """The hint as the command that runs shows it: with commands, on its database."""
    context = click.get_current_context(silent=True)
    return command_hint(hint) if context is None else for_database(command_hint(hint), context)


def for_database(hint: str, context: click.Context) -> str:
    """The hint with the options that select the database of a command, in each command that accepts them."""
    options: Sequence[str] = context.meta.get(DATABASE_OPTIONS, ())
    if not options or any(f" {flag}" in hint for flag in ("--testing", "--database", "--config")):
        return hint
    root = context.find_root().command
    return _COMMAND.sub(lambda found: _on_database(found[0], root, options), hint)


_COMMAND: Final = re.compile(r"dayline( [a-z][a-z-]*)+")


def _on_database(text: str, root: click.Command, options: Sequence[str]) -> str:
    """`dayline backup list shows them` as `dayline backup list --testing shows them`."""
    words = text.split()
    command, count = root, 1
    while isinstance(command, click.Group) and count < len(words) and words[count] in command.commands:
        command = command.commands[words[count]]
        count += 1
    leaf = command
    default = getattr(leaf, "default", None)
    if isinstance(leaf, click.Group) and isinstance(default, str):
        leaf = leaf.commands[default]
    accepted = {flag for each in leaf.params for flag in each.opts}
    given = [each for flag, *value in _pairs(options) if flag in accepted for each in (flag, *value)]
    return " ".join([*words[:count], *([shlex.join(given)] if given else []), *words[count:]])


def _pairs(options: Sequence[str]) -> list[list[str]]:
    pairs: list[list[str]] = []
    for each in options:
        if each.startswith("--"):
            pairs.append([each])
        else:
            pairs[-1].append(each)
    return pairs
