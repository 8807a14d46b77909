"""What a shell offers for an argument: names that only a running server knows, at once or not at all."""

import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import click
import msgspec
from msgspec import Struct

PATIENCE_S: Final = 0.3  # who presses Tab waits for nothing longer


class _Named(Struct):
    name: list[str]


def bucket_ids(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The buckets that begin so."""
    found: dict[str, Any] = _answer(context, "/api/0/buckets/") or {}
    return sorted(bucket_id for bucket_id in found if bucket_id.startswith(incomplete))


def category_names(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """The categories that begin so, as `Work/Code`."""
    try:
        classes = msgspec.convert(_answer(context, "/api/0/settings/classes") or [], list[_Named])
    except msgspec.ValidationError:
        return []  # whoever may write settings can write anything there
    return [name for each in classes if (name := "/".join(each.name)).startswith(incomplete)]


def _answer(context: click.Context, path: str) -> Any:
    """What the server says; None where none answers in time, or anything else is in the way."""
    # Here, because only a shell that completes needs it.
    from dayline.cli.running import readable_server
    from dayline.cli.settings import Flags, resolve
    from dayline.model.errors import DaylineError

    given = context.params
    config, database = given.get("config"), given.get("database")
    flags = Flags(
        is_testing=bool(given.get("testing")),
        config=config if isinstance(config, Path) else None,
        database=database if isinstance(database, Path | str) else None,
    )
    found: list[Any] = []

    def ask() -> None:
        with suppress(DaylineError):
            server = readable_server(resolve(flags), timeout_s=PATIENCE_S)
            if server is not None:
                found.append(server.call("GET", path))

    # In a thread: a server may answer piece by piece, and each would be in time.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(PATIENCE_S)
    return found[0] if found else None
