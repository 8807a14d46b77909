"""Ids of buckets as arguments: completed by the shell, and suggested for one that does not exist."""

import threading
from contextlib import suppress
from typing import Any, Final

import click

from dayline.cli.calls.call import LocalServer

TIMEOUT_S: Final = 0.3  # for Tab to feel immediate


def bucket_ids(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The ids of buckets with this prefix; none if the server does not answer in time."""
    # Here, because only shell completion needs it.
    from dayline.cli.calls.running import readable_server
    from dayline.cli.options.setting_flags import flags_from
    from dayline.cli.options.settings import resolve
    from dayline.model.errors import DaylineError

    given = context.params
    values = {"database": given.get("database")}
    flags = flags_from(values, is_testing=given.get("testing"), config=given.get("config"))
    found: list[str] = []

    def ask() -> None:
        with suppress(DaylineError):
            server = readable_server(resolve(flags), timeout_s=TIMEOUT_S)
            if server is not None:
                found.extend(server.call("GET", "/api/0/buckets/"))

    # In a thread, because a slow server could send its answer in many small parts.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(TIMEOUT_S)
    return sorted(bucket_id for bucket_id in found if bucket_id.startswith(incomplete))


def bucket_hint(server: LocalServer, bucket: str) -> str:
    """A hint for a bucket that does not exist: the ids that are most like it."""
    from difflib import get_close_matches  # here, because only a typo needs it

    buckets: dict[str, Any] = server.call("GET", "/api/0/buckets/")
    close = get_close_matches(bucket, buckets, n=2)
    return f"did you mean: {' or '.join(close)}" if close else "dayline buckets lists them"
