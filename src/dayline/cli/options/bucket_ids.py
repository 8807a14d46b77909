"""Ids of buckets as arguments: completed by the shell, and suggested for one that does not exist."""

import threading
from contextlib import suppress
from typing import Any, Final

import click

from dayline.cli.calls.call import LocalServer

TIMEOUT_S: Final = 0.3  # for Tab to feel immediate


def bucket_ids(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The ids of buckets with this prefix."""
    buckets: dict[str, Any] = _answer(context, "/api/0/buckets/") or {}
    return sorted(bucket_id for bucket_id in buckets if bucket_id.startswith(incomplete))


def _answer(context: click.Context, path: str) -> Any:
    """The answer of the server; None if there is no answer in time."""
    # Here, because only shell completion needs it.
    from dayline.cli.calls.running import readable_server
    from dayline.cli.options.setting_flags import flags_from
    from dayline.cli.options.settings import resolve
    from dayline.model.errors import DaylineError

    given = context.params
    values = {"database": given.get("database")}
    flags = flags_from(values, is_testing=given.get("testing"), config=given.get("config"))
    answers: list[Any] = []

    def ask() -> None:
        with suppress(DaylineError):
            server = readable_server(resolve(flags), timeout_s=TIMEOUT_S)
            if server is not None:
                answers.append(server.call("GET", path))

    # In a thread, because a slow server could send its answer in many small parts.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(TIMEOUT_S)
    return answers[0] if answers else None


def bucket_hint(server: LocalServer, bucket: str) -> str:
    """A hint for a bucket that does not exist: the ids that are most like it."""
    from difflib import get_close_matches  # here, because only a typo needs it

    buckets: dict[str, Any] = server.call("GET", "/api/0/buckets/")
    close = get_close_matches(bucket, buckets, n=2)
    return f"did you mean: {' or '.join(close)}" if close else "dayline buckets lists them"
