"""Names of buckets, devices, categories, projects and keys as arguments: completed by the shell, and checked."""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

import click

from dayline.cli.calls.call import LocalServer
from dayline.model.errors import NotFound

TIMEOUT_S: Final = 0.3  # for Tab to feel immediate

Completion: TypeAlias = Callable[[click.Context, click.Parameter, str], list[str]]


def _completion(path: str, names: Callable[[Any], Iterable[str]]) -> Completion:
    """Complete with names from the response at this path; with none if the server does not answer in time."""

    def complete(context: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
        completions = _names_at(path, names, context.params)
        return sorted(name for name in completions if name.startswith(incomplete))

    return complete


def _names_at(path: str, names: Callable[[Any], Iterable[str]], given: dict[str, Any]) -> list[str]:
    # Here, because only shell completion needs it.
    from dayline.cli.calls.running import readable_server
    from dayline.cli.options.setting_flags import flags_from
    from dayline.cli.options.settings import resolve
    from dayline.model.errors import DaylineError

    values = {"database": given.get("database")}
    flags = flags_from(values, is_testing=given.get("testing"), config=given.get("config"))
    completions: list[str] = []

    def ask() -> None:
        with suppress(DaylineError):
            server = readable_server(resolve(flags), timeout_s=TIMEOUT_S)
            if server is not None:
                completions.extend(names(server.call("GET", path)))

    # In a thread, because a slow server could send its response in many small parts.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(TIMEOUT_S)
    return list(completions)


def _category_names(answer: Any) -> list[str]:
    return ["/".join(each["name"]) for each in answer["categories"]]


def _project_names(answer: Any) -> list[str]:
    return [each["name"] for each in answer["projects"]]


def _hosts(answer: Any) -> list[str]:
    return [each["hostname"] for each in answer]


bucket_ids: Final = _completion("/api/0/buckets/", list)
category_names: Final = _completion("/api/1/categories", _category_names)
project_names: Final = _completion("/api/1/projects", _project_names)
device_names: Final = _completion("/api/1/devices", _hosts)
alias_ids: Final = _completion("/api/1/aliases", lambda answer: [each["id"] for each in answer])
backup_names: Final = _completion("/api/1/backups", lambda answer: [each["name"] for each in answer["backups"]])
report_names: Final = _completion("/api/1/reports", lambda answer: [each["name"] for each in answer])
session_ids: Final = _completion("/api/1/sessions", lambda answer: [each["id"] for each in answer])
key_ids: Final = _completion("/api/1/keys", lambda answer: [each["id"] for each in answer])


def _filter_values(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    """Fields, then their operators, then the names of the field."""
    field, _, rest = incomplete.partition(":")
    op, colon, value = rest.partition(":")
    if not rest and not incomplete.endswith(":"):
        return [f"{name}:" for name in _FILTERED if name.startswith(field)]
    if not colon:
        operators = ("is", "not", "has", *(("under",) if field == "category" else ()))
        return [f"{field}:{each}:" for each in operators if each.startswith(op)]
    complete = _NAMES_OF.get(field)
    names = [] if complete is None else complete(context, parameter, value)
    return [f"{field}:{op}:{name}" for name in names]


_FILTERED: Final = ("category", "app", "title", "domain", "url", "project", "device", "bucket")
_NAMES_OF: Final[dict[str, Completion]] = {
    "category": category_names, "project": project_names, "device": device_names, "bucket": bucket_ids,
}  # fmt: skip

filters_option: Final = click.option(
    "--filter", "filters", multiple=True, metavar="FIELD:OP:VALUE", shell_complete=_filter_values,
    help="Only matching time.",
)  # fmt: skip
devices_option: Final = click.option(
    "--device", "devices", multiple=True, metavar="HOST", shell_complete=device_names,
    help="Only this device, by its host name.",
)  # fmt: skip


def bucket_hint(server: LocalServer, bucket: str) -> str:
    """A hint for a bucket that does not exist: the ids that are most like it."""
    return _close(bucket, list(server.call("GET", "/api/0/buckets/")), "dayline buckets")


def check_devices(server: LocalServer, devices: Sequence[str]) -> None:
    """Raise NotFound for a device that has no bucket."""
    if not devices:
        return
    known = _hosts(server.call("GET", "/api/1/devices"))
    for device in devices:
        if device not in known:
            raise NotFound(f"no device named {device!r}", hint=_close(device, known, "dayline buckets devices"))


def check_category(server: LocalServer, path: str) -> None:
    """Raise NotFound unless there is a category with this path, or one below it."""
    known = _category_names(server.call("GET", "/api/1/categories"))
    if not any(name == path or name.startswith(f"{path}/") for name in known):
        raise NotFound(f"no category named {path!r}", hint=_close(path, known, "dayline categories"))


def _close(name: str, known: Sequence[str], command: str) -> str:
    from difflib import get_close_matches  # here, because only a typo needs it

    close = get_close_matches(name, known, n=2)
    return f"did you mean: {' or '.join(close)}" if close else f"{command} lists them"
