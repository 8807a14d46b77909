"""`dayline relay`: forwards the watchers of this computer to another server."""

import asyncio
import logging
import os
import platform
import re
import stat
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Literal

import click
import platformdirs
from msgspec import Struct

from dayline import __version__
from dayline.cli.errors import CHECK_FAILED
from dayline.cli.groups import Group, WrongUsage
from dayline.cli.options.options import OWNER_ONLY, as_json
from dayline.cli.options.types import InputFile
from dayline.cli.process import run_on_loop
from dayline.cli.screens.amounts import local_time
from dayline.cli.screens.layout import print_answer
from dayline.client.address import Address, parse_address
from dayline.config.data_folder import DataFile, data_file
from dayline.config.sections import LOG_LEVELS, PORT, TESTING_PORT
from dayline.model.access import key_id_of
from dayline.model.errors import Invalid, NotFound, SettingsInvalid, Unavailable
from dayline.runtime.text import format_size, quantity

log = logging.getLogger("dayline")

LAST_CALL_S: Final = 3.0  # for the current request when the relay stops
KEY_CHECK_S: Final = 60.0  # until the next attempt, while the server does not answer
STATUS_S: Final = 5.0  # for the relay to answer
_MAX_STATUS_BYTES: Final = 1 << 20
KEY_WARNING: Final = (
    "The key allows more than recording: every program that can use this relay can read your data, and change it if "
    "the key allows that. Replace it with a key of scope append: dayline keys create --name relay --scope append"
)
EXAMPLES = """\b
Examples:
  dayline relay --to https://days.example:5600 --key-file ~/.config/dayline/laptop.key
  dayline relay --to https://192.168.1.20:5600 --key-file laptop.key --ca-file dayline-ca.pem
  dayline relay --to https://192.168.1.20:5600 --key-file laptop.key --fingerprint 3F:A0:…
  dayline relay --to http://192.168.1.20:5600 --key-file laptop.key --envelope
"""


class RelaySettings(Struct, frozen=True, kw_only=True):
    """The settings of the relay, with defaults applied."""

    to: Address
    key: str | None
    ca_file: Path | None
    fingerprint: str | None
    is_enveloped: bool
    port: int
    queue: Path
    queue_mib: int
    is_testing: bool
    log_level: str
    other_users: Literal["allow", "refuse"] | None
    warning: str | None  # about the options, for the log

    def __repr__(self) -> str:
        return f"RelaySettings(to={str(self.to)!r}, queue={self.queue})"  # without the key


STATUS_EXAMPLES = """\b
Examples:
  dayline relay status
  dayline relay status --json
"""


@click.group(cls=Group, default="run", epilog=EXAMPLES)
def relay() -> None:
    """Forward this computer's watchers to another server.

    `dayline relay --to URL` runs the relay, and `dayline relay status` shows whether it is connected.
    """


@relay.command(epilog=STATUS_EXAMPLES)
@click.option("--port", type=click.IntRange(1, 65535), help="Port of the relay. [default: 5600; testing: 5666]")
@click.option("--testing", is_flag=True, help="The relay of testing mode.")
@as_json
def status(port: int | None, testing: bool, is_json: bool) -> None:
    """Show whether the relay on this computer is connected.

    Exits with 1 if it cannot send.
    """
    state = _status_at(port or (TESTING_PORT if testing else PORT))
    print_answer(state, _print_status, is_json=is_json)
    if state["state"] == "away" or state["held_back"]:
        sys.exit(CHECK_FAILED)


def _status_at(port: int) -> dict[str, Any]:
    # Here, because the relay itself does not need it.
    from contextlib import closing

    import msgspec

    from dayline.client.connection import KeptConnection, Request
    from dayline.client.errors import ServerUnreachable

    address = Address(scheme="http", host="127.0.0.1", port=port)
    request = Request(method="GET", target="/api/1/relay", max_answer_bytes=_MAX_STATUS_BYTES)
    try:
        with closing(KeptConnection(address, timeout_s=STATUS_S)) as connection:
            response = connection.exchange(request)
        if response.status != HTTPStatus.OK:
            raise Unavailable(
                f"the server at port {port} is not a relay", hint="give the port of the relay with --port"
            )
        state: dict[str, Any] = msgspec.json.decode(response.body)
    except ServerUnreachable as error:
        raise Unavailable(f"no relay runs at port {port}", hint="start one with: dayline relay --to URL") from error
    except msgspec.DecodeError as error:
        raise Unavailable(f"the server at port {port} is not a relay", hint="give its port with --port") from error
    return state


def _print_status(found: dict[str, Any]) -> None:
    states = {"connected": ("connected", "green"), "away": ("not connected", "red"), "starting": ("starting", "yellow")}
    text, color = states[found["state"]]
    click.secho(text, fg=color, nl=False)
    click.echo(f" to {found['to']} since {local_time(found['since'])}")
    if found["reason"]:
        click.echo(f"  {found['reason']}")
    oldest = f", the oldest from {local_time(found['oldest'])}" if found["oldest"] else ""
    click.echo(f"sent     {found['sent']:,}")
    click.echo(f"waiting  {found['waiting']:,} ({format_size(found['queue_bytes'])}{oldest})")
    click.echo(f"refused  {found['refused']:,}")
    for bucket, reason in found["held_back"].items():
        click.echo(f"  {bucket}: {reason}")
    for refusal in found["refusals"]:
        click.echo(f"  {local_time(refusal['time'])} {refusal['bucket']}: {refusal['reason']}")


@relay.command(epilog=EXAMPLES)
@click.option("--to", required=True, metavar="URL", envvar="DAYLINE_RELAY_TO", help="Address of the server.")
@click.option(
    "--key-file", type=click.Path(path_type=Path, dir_okay=False), envvar="DAYLINE_RELAY_KEY_FILE",
    help="File with the key of that server, from `dayline keys create`.",
)  # fmt: skip
@click.option(
    "--ca-file", type=InputFile(), envvar="DAYLINE_RELAY_CA_FILE",
    help="Certificate of the server's authority, if the system does not know it.",
)  # fmt: skip
@click.option(
    "--fingerprint", metavar="SHA256", envvar="DAYLINE_RELAY_FINGERPRINT",
    help="Fingerprint of the server's certificate, instead of --ca-file: `dayline tls show` prints it there.",
)  # fmt: skip
@click.option(
    "--envelope", is_flag=True, help="Encrypt every request with the key, which must allow it; http:// is safe then."
)
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on. [default: 5600; testing: 5666]")
@click.option(
    "--queue", type=click.Path(path_type=Path, dir_okay=False),
    help="File for requests that are not sent yet. [default: relay-HOST.db in the user's data folder]",
)  # fmt: skip
@click.option(
    "--queue-mib", type=click.IntRange(1), default=1024, show_default=True, help="Maximum size of the queue in MiB."
)
@click.option("--testing", is_flag=True, help="Testing mode: another port and another queue.")
@click.option(
    "--other-users", type=click.Choice(["allow", "refuse"]),
    help="Serve other users of this computer? [default: refuse if you are a login user; needs Linux]",
)  # fmt: skip
@click.option(
    "--log-level", type=click.Choice(LOG_LEVELS), default="info", show_default=True, help="Minimum level of the log."
)
def run(
    to: str,
    key_file: Path | None,
    ca_file: Path | None,
    fingerprint: str | None,
    envelope: bool,
    port: int | None,
    queue: Path | None,
    queue_mib: int,
    testing: bool,
    other_users: Literal["allow", "refuse"] | None,
    log_level: str,
) -> None:
    """Run the relay.

    It listens on this computer only, like a server, and forwards requests with the key. While the server is
    unreachable, it stores them in a file and sends them later.
    """
    try:
        address = parse_address(to)
        key, warning = (None, None) if key_file is None else read_key(key_file.expanduser())
        check_way(address, has_key=key is not None, is_enveloped=envelope)
        settings = RelaySettings(
            to=address,
            key=key,
            ca_file=ca_file,
            fingerprint=fingerprint,
            is_enveloped=envelope,
            port=port if port is not None else TESTING_PORT if testing else PORT,
            queue=(queue or default_queue(address, is_testing=testing)).expanduser().absolute(),
            queue_mib=queue_mib,
            is_testing=testing,
            log_level=log_level,
            other_users=other_users,
            warning=warning,
        )
        os.umask(OWNER_ONLY)  # the queue and the log contain window titles
        run_on_loop(_relay(settings))
    except Invalid as error:
        # As for the server: a supervisor must not restart a relay with invalid options.
        raise SettingsInvalid(error.message, hint=error.hint, field=error.field) from error


def read_key(path: Path) -> tuple[str, str | None]:
    """The key in a file, and a warning if other users can read it. Raises errors that never quote the content."""
    try:
        text = path.read_text("ascii").strip()
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        kind = NotFound if isinstance(error, FileNotFoundError) else Invalid
        raise kind(
            f"cannot read the key file {path}: {reason}",
            hint="`dayline keys create --name laptop --scope append --output FILE` writes one",
        ) from error
    if key_id_of(text) is None:
        raise Invalid(f"{path} does not contain a key", hint="a key is one line that starts with dayline_")
    is_open = sys.platform != "win32" and mode & 0o077
    return text, f"other users can read the key file {path}; to fix it: chmod 600 {path}" if is_open else None


def check_way(to: Address, *, has_key: bool, is_enveloped: bool) -> None:
    """Raise Invalid if the connection would not be private, or the server would refuse it."""
    if is_enveloped and not has_key:
        raise WrongUsage("--envelope needs a key", hint="give it with --key-file")
    if to.is_loopback:
        return
    if not has_key:
        raise Invalid(
            f"{to} is not this computer, so it needs a key",
            hint="create one there with: dayline keys create --name relay --scope append; give it with --key-file",
        )
    if to.scheme == "http" and not is_enveloped:
        raise Invalid(
            f"refusing to send to {to} unencrypted: others on the network could read your activity and the key",
            hint="use https://, or --envelope with a key that was created with --envelope",
        )


def default_queue(to: Address, *, is_testing: bool) -> Path:
    """A file for each server, so that requests never reach another one."""
    host = re.sub(r"[^a-z0-9.-]", "-", to.host.lower())
    name = f"relay-testing-{host}.db" if is_testing else f"relay-{host}.db"
    return Path(platformdirs.user_data_dir("dayline", appauthor=False)) / name


async def _relay(settings: RelaySettings) -> None:
    # Here, because other commands start faster without the server's libraries.
    from dayline.access.local_users import local_users, user_lookup
    from dayline.access.origins import HostRules, OriginRules
    from dayline.api.http.connection import Connection, user_rules
    from dayline.api.http.server import Server
    from dayline.api.v0.info import Info
    from dayline.cli.process import notify
    from dayline.cli.relay.app import RelayServices, make_relay_app
    from dayline.cli.relay.intake import Intake
    from dayline.cli.relay.passthrough import Passthrough
    from dayline.cli.relay.recording import Recording
    from dayline.cli.serve.sockets import open_sockets, own_addresses
    from dayline.cli.serve.start import device_id
    from dayline.client.errors import ServerUnreachable
    from dayline.client.forwarder import Forwarder
    from dayline.client.link import Link
    from dayline.client.queue import CallQueue
    from dayline.client.transport import Transport
    from dayline.runtime.background import BackgroundWorkers
    from dayline.runtime.logs import LogRecords, set_up
    from dayline.storage.opening import open_folder

    def new_transport() -> Transport:
        return Transport(
            str(settings.to),
            key=settings.key,
            ca_file=None if settings.ca_file is None else str(settings.ca_file),
            fingerprint=settings.fingerprint,
            envelope=settings.is_enveloped,
        )

    # Before anything is opened: an invalid --ca-file or --fingerprint is reported here.
    first_transport = new_transport()
    queue = CallQueue(settings.queue, limit_mib=settings.queue_mib)
    try:
        open_folder(settings.queue)
        set_up(level=settings.log_level, file=data_file(settings.queue, DataFile.LOG), records=LogRecords())
        try:
            sockets = open_sockets("localhost", settings.port)
        except Unavailable as error:
            raise Unavailable(error.message, hint="stop it, or choose another port with --port") from error
        port: int = sockets[0].getsockname()[1]
        link = Link(str(settings.to))
        workers = BackgroundWorkers()
        forwarder = Forwarder(queue, first_transport, link, workers, is_enveloped=settings.is_enveloped)
        intake = Intake(queue, on_queued=forwarder.wake)
        hostname, device = platform.node() or "unknown", device_id(settings.queue)
        parts = RelayServices(
            to=str(settings.to),
            info=Info(
                hostname=hostname,
                version=f"v{__version__} (dayline relay)",
                testing=settings.is_testing,
                device_id=device,
            ),
            hosts=HostRules("localhost"),
            origins=OriginRules(port=port, addresses=own_addresses(sockets), is_testing=settings.is_testing),
            recording=Recording(intake, link, on_created=forwarder.resume_bucket, hostname=hostname, device_id=device),
            passage=Passthrough(new_transport, on_answer=forwarder.nudge),
            queue=queue,
            link=link,
        )

        def check_key() -> float | None:
            """Warn if the key can read, because then every program that reaches the relay can."""
            transport = new_transport()
            try:
                status = transport.call("GET", "/api/0/buckets/").status
            except ServerUnreachable:
                return KEY_CHECK_S
            finally:
                transport.close()
            if status == HTTPStatus.OK:
                log.warning("%s", KEY_WARNING)
            return None if status in (HTTPStatus.OK, HTTPStatus.FORBIDDEN) else KEY_CHECK_S

        key_check = workers.thread("checking the scope of the key", check_key, interval_s=None)

        def on_ready() -> None:
            waiting = queue.state().waiting
            log.info(
                "Dayline %s relay is ready at http://localhost:%d/ and sends to %s; %s",
                __version__, port, settings.to, quantity(waiting, "request waits", "requests wait"),
            )  # fmt: skip
            if settings.warning is not None:
                log.warning("%s", settings.warning[:1].upper() + settings.warning[1:])
            forwarder.start()
            if settings.key is not None:
                key_check.start()
            notify("READY=1")

        def on_stopping() -> None:
            log.info("Stopping")
            key_check.begin_close()
            forwarder.begin_stop()
            intake.stop_holding()
            notify("STOPPING=1")

        lookup = user_lookup()
        rules = user_rules(lookup, local_users(settings.other_users, lookup))
        protocol = type("RelayConnection", (Connection,), rules)
        await Server(make_relay_app(parts), protocol, on_ready=on_ready, on_stopping=on_stopping).serve(sockets)
        await asyncio.to_thread(forwarder.join, LAST_CALL_S)
        waiting = queue.state().waiting
    finally:
        queue.close()
    log.info("Stopped; %s in %s", quantity(waiting, "request waits", "requests wait"), settings.queue.name)
