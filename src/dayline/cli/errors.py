"""How an error ends a command: its exit code, and a hint that names commands.

docs/reference/cli.md is generated from the table of exit codes. The numbers are those of sysexits.h, so that a
supervisor can distinguish a typo from a port that is in use.
"""

import re
from typing import Final, NamedTuple

from dayline.model import errors
from dayline.model.errors import DaylineError

CHECK_FAILED: Final = 1
USAGE: Final = 64
INTERRUPTED: Final = 130


class ExitCode(NamedTuple):
    """A code, its meaning, and the errors that end a command with it."""

    code: int
    meaning: str
    errors: tuple[type[DaylineError], ...] = ()


EXIT_CODES: Final = (
    ExitCode(0, "Success"),
    ExitCode(
        CHECK_FAILED,
        "A check found a problem (`status`, `doctor`, `database status`, the proof of an import), you answered no, or "
        "an unexpected error occurred",
        (DaylineError,),
    ),
    ExitCode(
        USAGE, "Wrong usage: an unknown command or option, a missing argument, options that contradict each other"
    ),
    ExitCode(
        65,
        "Wrong input: an invalid value, a file with invalid content, a file that exists already",
        (errors.Malformed, errors.Invalid, errors.Conflict, errors.TooLarge, errors.WrongType),
    ),
    ExitCode(66, "Not found: a file, the database, a bucket, a key, an undo entry", (errors.NotFound, errors.Gone)),
    ExitCode(
        75,
        "Temporarily unavailable: no server runs, the database is in use, the disk is full. Try again later",
        (errors.Unavailable, errors.TooMany, errors.Stale),
    ),
    ExitCode(77, "Not allowed: a key is missing, invalid, or lacks the scope", (errors.Unauthorized, errors.Forbidden)),
    ExitCode(78, "Invalid settings: the message names the setting. A restart does not help", (errors.SettingsInvalid,)),
    ExitCode(INTERRUPTED, "Interrupted with Ctrl-C"),
)
_CODE_OF: Final = {kind: each.code for each in EXIT_CODES for kind in each.errors}


def exit_code_of(error: DaylineError) -> int:
    """The code of the error's class, or of its nearest base class."""
    return next(_CODE_OF[kind] for kind in type(error).__mro__ if kind in _CODE_OF)


# The first that matches wins. Endpoints without a command stay as they are: a program may have called.
_COMMANDS: Final = (
    (r"\w+ /api/\S+ or (dayline )", r"\1"),
    (r"; create one with POST /api/0/buckets/<id>", ""),
    (r"; to overwrite it, send the change with If-Match .*", ""),
    (r"send `rules`, or set some with PUT /api/1/privacy/rules", "add a rule with dayline privacy add"),
    (r"GET /api/0/buckets/", "dayline buckets"),
    (r"DELETE /api/0/buckets/<id>", "dayline buckets delete"),
    (r"GET /api/0/export", "dayline export"),
    (r"GET /api/1/aliases", "dayline buckets"),
    (r"DELETE /api/1/aliases/(\S+)", r"dayline buckets unalias \1"),
    (r"GET /api/1/annotations", "dayline annotations"),
    (r"POST /api/1/buckets/(\S+)/merge", r"dayline buckets merge \1"),
    (r"GET /api/1/categories/versions(/\d+)?", "dayline categories history"),
    (r"GET /api/1/categories", "dayline categories"),
    (r"DELETE /api/1/demo", "dayline demo --remove"),
    (r"GET /api/1/goals", "dayline goals"),
    (r"GET /api/1/health", "dayline status"),
    (r"GET /api/1/privacy/redactions", "dayline privacy history"),
    (r"PUT /api/1/privacy/rules", "dayline privacy add"),
    (r"GET /api/1/relay", "dayline relay status"),
    (r"GET /api/1/trash", "dayline trash"),
    (r"POST /api/1/undo/(\d+)", r"dayline undo \1"),
)


def command_hint(hint: str) -> str:
    """The hint with every endpoint replaced by its command."""
    for pattern, command in _COMMANDS:
        hint = re.sub(pattern, command, hint)
    return hint
