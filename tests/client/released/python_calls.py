"""Runs under the environment of the released Python client: reads calls from standard input, makes them, answers.

An argument with a timestamp becomes the client's own `Event`, a `start` or `end` becomes a `datetime`, as do the
periods of a query.
"""

import importlib
import json
import sys
from datetime import datetime
from typing import Any, TypeGuard

# Not by a plain import: the client is not installed where types are checked.
AwClient: Any = importlib.import_module("aw_client").ActivityWatchClient
Event: Any = importlib.import_module("aw_core.models").Event
Queries: Any = importlib.import_module("aw_client.queries")


def main() -> None:
    name, port = sys.argv[1:]
    client = AwClient(name, host="127.0.0.1", port=int(port))
    for line in sys.stdin:
        call = json.loads(line)
        try:
            value = perform(client, call["method"], call["arguments"], call["options"])
            answer = {"value": to_json(value)}
        except Exception as error:
            answer = {"error": f"{type(error).__name__}: {error}"}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def perform(client: Any, method: str, arguments: list[Any], options: dict[str, Any]) -> Any:
    if method == "retry_every":
        # The client waits ten seconds between two tries to connect, and has no setting for it.
        client.request_queue._attempt_reconnect_interval = arguments[0]
        return None
    if method == "query":
        periods = [tuple(map(datetime.fromisoformat, period)) for period in arguments[1]]
        return client.query(arguments[0], periods, **options)
    if method == "full_desktop_query":
        return Queries.fullDesktopQuery(Queries.DesktopQueryParams(**options))
    times = {key: datetime.fromisoformat(value) for key, value in options.items() if key in ("start", "end")}
    return getattr(client, method)(*map(from_json, arguments), **{**options, **times})


def from_json(value: Any) -> Any:
    if is_list(value):
        return [from_json(item) for item in value]
    return Event(**value) if is_event(value) else value


def to_json(value: Any) -> Any:
    if is_list(value):
        return [to_json(item) for item in value]
    return value.to_json_dict() if isinstance(value, Event) else value


def is_list(value: Any) -> TypeGuard[list[Any]]:
    return isinstance(value, list)


def is_event(value: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(value, dict) and "timestamp" in value


if __name__ == "__main__":
    main()
