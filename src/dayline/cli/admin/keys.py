"""`dayline keys`: create, list, revoke and rotate keys, sign browsers out, and install a key for local clients."""

import errno
import os
import sys
import tomllib
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import click
import platformdirs

from dayline.cli.admin.sessions import sessions
from dayline.cli.calls.local import LocalServer, local_server, shows, storing_server
from dayline.cli.groups import Group
from dayline.cli.options.names import bucket_ids, key_ids
from dayline.cli.options.options import as_json, on_database
from dayline.cli.options.settings import Settings
from dayline.cli.options.types import TENANT, InputFile, Length
from dayline.cli.output_files import check_folder, keep_copy, opened_for_writing
from dayline.cli.screens.amounts import local_time
from dayline.cli.screens.layout import print_change, print_json, print_rows
from dayline.client.key_file import read_key_file
from dayline.model.access import key_id_of
from dayline.model.errors import DaylineError, Invalid, Unavailable
from dayline.runtime.files import make_folders

INSTALL_EXAMPLES = """\b
Examples:
  dayline keys create --name local-watchers --scope append --output local.key
  dayline keys install-local --key-file local.key
"""


@click.command("install-local", epilog=INSTALL_EXAMPLES)
@click.option("--key-file", type=InputFile(), required=True, help="File with the key.")
@as_json
@on_database
def install_local(settings: Settings, is_json: bool, key_file: Path) -> None:
    """Install a key for the Python clients of this user.

    Writes the config file in which they look for a key. They read it for servers on loopback only, and only if its port
    is the one they call. An existing file is copied first.
    """
    key = read_key_file(key_file)
    if key_id_of(key) is None:
        raise Invalid(
            f"{key_file} does not contain a key",
            hint="dayline keys create --name laptop --scope append --output FILE writes one",
        )
    path = client_config(is_testing=settings.is_testing)
    copy = keep_copy(path, mark="before-dayline") if path.exists() else None
    make_folders(path.parent)
    text = f'address = "127.0.0.1"\nport = {settings.port}\n\n[auth]\napi_key = "{key}"\n'
    tomllib.loads(text)
    with opened_for_writing(path) as file:
        file.write(text.encode())
    if copy is not None:
        click.echo(f"Copied the previous file to {copy}.", err=True)
    text = f"Wrote {path}. Python clients of this user use the key for port {settings.port}."
    print_change({"file": str(path), "port": settings.port}, text, is_json=is_json)


def client_config(*, is_testing: bool) -> Path:
    """The file in which clients look for a key: the config file of aw-server-rust."""
    name = "config-testing.toml" if is_testing else "config.toml"
    return Path(platformdirs.user_config_dir("activitywatch", appauthor=False)) / "aw-server-rust" / name


SCOPES = ("full", "read", "append", "sync")
_KEY_BYTES: Final = 128  # longer than a key

EXAMPLES = """\b
Examples:
  dayline keys create --name phone --scope read
  dayline keys create --name laptop-watcher --scope append --bucket 'aw-watcher-*_laptop' --expires 90d
  dayline keys
  dayline keys revoke k3f5a2bq
  dayline keys sessions
"""
CREATE_EXAMPLES = """\b
Examples:
  dayline keys create --name phone --scope read
  dayline keys create --name laptop-watcher --scope append --bucket 'aw-watcher-*_laptop' --expires 90d
  dayline keys create --name laptop --scope append --envelope --output laptop.key
  dayline keys create --name "Anna's" --scope full --tenant anna
"""


_output_option = click.option(
    "--output", "-o", type=click.Path(path_type=Path, dir_okay=False), help="Write the key to this new file (mode 600)."
)


@click.group(cls=Group, default="list", epilog=EXAMPLES)
def keys() -> None:
    """Create, list and revoke API keys; sign browsers out.

    Loopback needs no key unless access.require_keys is set.
    """


@keys.command(epilog=CREATE_EXAMPLES)
@click.option("--name", required=True, help="A label for the key.")
@click.option(
    "--scope",
    required=True,
    type=click.Choice(SCOPES),
    help="append: record, read nothing back; read: read and query; sync: store encrypted files of devices that sync; "
    "full: everything.",
)
@click.option(
    "--bucket",
    "buckets",
    multiple=True,
    shell_complete=bucket_ids,
    help="Only for this bucket; * matches any characters. Repeatable. [default: all buckets]",
)
@click.option("--expires", type=Length(), help="Lifetime: 90d, 12h. [default: until you revoke it]")
@click.option("--envelope", is_flag=True, help="Also allow encrypted requests: see docs/reference/envelope.md.")
@click.option(
    "--tenant",
    type=TENANT,
    metavar="NAME",
    help="Tenant of a shared PostgreSQL database. [default: the one without a name]",
)
@_output_option
@as_json
@on_database
def create(
    settings: Settings,
    name: str,
    scope: str,
    buckets: tuple[str, ...],
    expires: timedelta | None,
    envelope: bool,
    tenant: str | None,
    output: Path | None,
    is_json: bool,
) -> None:
    """Create a key. It is shown once and not stored."""
    end = None if expires is None else (datetime.now(UTC) + expires).isoformat()
    body = {"name": name, "scope": scope, "buckets": list(buckets), "expires": end, "envelope": envelope}
    with _key_file(output) as file, storing_server(settings) as server:
        made = server.call("POST", "/api/1/keys", body | {"tenant": tenant})
        _deliver(server, made, file, is_json=is_json)
    _report(made, output, is_json=is_json)


@keys.command("list", epilog="\b\nExample:\n  dayline keys list --json")
@shows("/api/1/keys")
def list_(found: list[dict[str, Any]]) -> None:
    """List the keys, including revoked and expired ones."""
    has_tenants = any("tenant" in key for key in found)
    print_rows(
        ("id", "name", *(("tenant",) if has_tenants else ()), "scope", "buckets", "state", "last used", "from"),
        [
            (
                key["id"], key["name"], *((key.get("tenant", "-"),) if has_tenants else ()),
                key["scope"] + (" + envelope" if key["envelope"] else ""),
                ", ".join(key["buckets"]) or "all", _state(key),
                local_time(key["last_used"]), key["last_address"] or "-",
            )
            for key in found
        ],
        empty="There are no keys. Create one with: dayline keys create --name NAME --scope full",
    )  # fmt: skip


@keys.command(epilog="\b\nExample:\n  dayline keys revoke k3f5a2bq")
@click.argument("key_id", shell_complete=key_ids)
@as_json
@on_database
def revoke(settings: Settings, key_id: str, is_json: bool) -> None:
    """Revoke a key immediately."""
    with local_server(settings) as server:
        key = server.call("DELETE", f"/api/1/keys/{_checked(key_id)}")
    if is_json:
        print_json(key)
        return
    click.echo(f"Revoked {key['name']} ({key['id']}).", err=True)


@keys.command(epilog="\b\nExample:\n  dayline keys rotate k3f5a2bq --grace 1h")
@click.argument("key_id", shell_complete=key_ids)
@click.option("--grace", type=Length(), help="Time that the old key remains valid: 1h, 2d. [default: none]")
@_output_option
@as_json
@on_database
def rotate(settings: Settings, key_id: str, grace: timedelta | None, output: Path | None, is_json: bool) -> None:
    """Replace a key with a new one of the same permissions."""
    body = {"grace_s": 0 if grace is None else int(grace.total_seconds())}
    with _key_file(output) as file, local_server(settings) as server:
        made = server.call("POST", f"/api/1/keys/{_checked(key_id)}/rotate", body)
        _deliver(server, made, file, is_json=is_json)
    _report(made, output, is_json=is_json)


keys.add_command(install_local)
keys.add_command(sessions)


def _checked(key_id: str) -> str:
    """A key id; the id of a whole key is accepted as well."""
    parts = key_id.split("_")
    found = parts[1] if len(parts) > 2 else key_id
    if not (found.isascii() and found.isalnum()):
        raise Invalid("invalid key id", hint="dayline keys list shows the ids")
    return found


@contextmanager
def _key_file(output: Path | None) -> Generator[int | None]:
    """Descriptor of the new file for the key, with its disk space reserved before the key exists; None for stdout.

    If the block fails, the file is removed. Raises Invalid if it cannot be written.
    """
    if output is None:
        yield None
        return
    check_folder(output)
    try:
        descriptor = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError as error:
        raise Invalid(f"{output} exists already", hint="choose a new file") from error
    except OSError as error:
        raise _cannot_write(output, error) from error
    try:
        try:
            _write(descriptor, b"\n" * _KEY_BYTES)
        except OSError as error:
            raise _cannot_write(output, error) from error
        yield descriptor
    except BaseException:
        output.unlink(missing_ok=True)
        raise
    finally:
        os.close(descriptor)


def _cannot_write(output: Path, error: OSError) -> Invalid:
    return Invalid(f"cannot write {output}: {error.strerror}", hint="choose another file; no key was created")


def _write(descriptor: int, content: bytes) -> None:
    """Replace what is in the file, and wait until it is on the disk."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    if os.write(descriptor, content) < len(content):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    os.truncate(descriptor, len(content))
    os.fsync(descriptor)


def _deliver(server: LocalServer, made: dict[str, Any], file: int | None, *, is_json: bool) -> None:
    """Write the key to the file or to standard output. A key that cannot be written is revoked."""
    try:
        if file is not None:
            _write(file, f"{made.pop('key')}\n".encode("ascii"))
        elif is_json:
            print_json(made)
        else:
            click.echo(made["key"])
        sys.stdout.flush()
    except BaseException as error:
        _revoke(server, made["id"])
        if not isinstance(error, OSError):
            raise
        if file is None:
            # The key is still in the buffer of standard output, which would be written when the process ends.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise Invalid(
            f"the key cannot be written: {error.strerror}", hint=f"the new key {made['id']} was revoked; create another"
        ) from error


def _revoke(server: LocalServer, key_id: str) -> None:
    try:
        server.call("DELETE", f"/api/1/keys/{key_id}")
    except DaylineError as error:
        raise Unavailable(
            f"the new key {key_id} could be neither written nor revoked: {error.message}",
            hint=f"revoke it: dayline keys revoke {key_id}",
        ) from error


def _report(made: dict[str, Any], output: Path | None, *, is_json: bool) -> None:
    if output is not None:
        click.echo(f"Wrote the key {made['name']} ({made['id']}, {made['scope']}) to {output}.", err=True)
        if is_json:
            print_json(made)
        return
    if is_json:
        return
    buckets = ", ".join(made["buckets"]) or "all buckets"
    whose = f"{buckets} of {made['tenant']}" if "tenant" in made else buckets
    click.echo(
        f"Created key {made['name']} ({made['scope']}, {whose}). Save it now: it is not stored and not shown again.",
        err=True,
    )


def _state(key: dict[str, Any]) -> str:
    if key["revoked"]:
        return "revoked"
    if not key["is_active"]:
        return "expired"
    return f"until {local_time(key['expires'])}" if key["expires"] else "active"
