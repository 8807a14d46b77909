"""How an error ends a command: its exit code.

docs/reference/cli.md is generated from the table of exit codes. The numbers are those of sysexits.h, so that a
supervisor can distinguish a typo from a port that is in use.
"""

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
        (
            errors.Malformed,
            errors.Invalid,
            errors.Conflict,
            errors.TooLarge,
            errors.WrongType,
            errors.NotADatabase,
        ),
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
