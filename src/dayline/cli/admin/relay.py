"""`dayline relay`: lets watchers of this computer record at a server elsewhere."""

import asyncio
import logging
import os
import platform
import re
import stat
import sys
from http import HTTPStatus
from pathlib import Path
from typing import Final, Literal

import click
import platformdirs
from msgspec import Struct

from dayline import __version__
from dayline.cli.options.options import OURS_ALONE
from dayline.client.connection import Address, parse_address
from dayline.config.sections import LOG_LEVELS, PORT, TESTING_PORT
from dayline.model.access import key_id_of
from dayline.model.errors import Invalid, Unavailable
from dayline.runtime.machine import run_on_loop
from dayline.runtime.text import quantity

log = logging.getLogger("dayline")

LAST_CALL_S: Final = 3.0  # how long the call that is under way may take when the relay stops
KEY_CHECK_S: Final = 60.0  # until the next try, while the server does not answer
KEY_WARNING: Final = (
    "The key may do more than record: all who can use this relay can read your data, and change it if the key may. "
    "Replace it by one that only records: dayline keys create --scope append"
)
EXAMPLES = """\b
Examples:
  dayline relay --to https://days.example:5600 --key-file ~/.config/dayline/laptop.key
  dayline relay --to https://192.168.1.20:5600 --key-file laptop.key --ca-file dayline-ca.pem
  dayline relay --to https://192.168.1.20:5600 --key-file laptop.key --fingerprint 3F:A0:…
  dayline relay --to http://192.168.1.20:5600 --key-file laptop.key --envelope
"""


class RelaySettings(Struct, frozen=True, kw_only=True):
    """What the relay runs with, every choice made."""

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
    warning: str | None  # about what was given, for the log

    def __repr__(self) -> str:
        return f"RelaySettings(to={str(self.to)!r}, queue={self.queue})"  # without the key


@click.command(epilog=EXAMPLES)
@click.option("--to", required=True, metavar="URL", envvar="DAYLINE_RELAY_TO", help="The server to send to.")
@click.option(
    "--key-file", type=click.Path(path_type=Path, dir_okay=False), envvar="DAYLINE_RELAY_KEY_FILE",
    help="File that holds the key for that server, as `dayline keys create` has shown it.",
)  # fmt: skip
@click.option(
    "--ca-file", type=click.Path(path_type=Path, dir_okay=False, exists=True), envvar="DAYLINE_RELAY_CA_FILE",
    help="Certificate of the server's authority, where the system does not know it.",
)  # fmt: skip
@click.option(
    "--fingerprint", metavar="SHA256", envvar="DAYLINE_RELAY_FINGERPRINT",
    help="Fingerprint of the server's certificate, instead of --ca-file: `dayline tls show` prints it there.",
)  # fmt: skip
@click.option(
    "--envelope", is_flag=True, help="Encrypt every call with the key, which must allow it; then http:// will do."
)
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on. [default: 5600; testing: 5666]")
@click.option(
    "--queue", type=click.Path(path_type=Path, dir_okay=False),
    help="File that holds what is not sent yet. [default: relay-HOST.db in the user's data folder]",
)  # fmt: skip
@click.option("--queue-mib", type=click.IntRange(1), default=1024, show_default=True, help="MiB that it may take.")
@click.option("--testing", is_flag=True, help="Testing mode: its own port and its own queue.")
@click.option(
    "--other-users", type=click.Choice(["allow", "refuse"]),
    help="Serve other users of this machine? [default: refuse if you are a login user; needs Linux]",
)  # fmt: skip
@click.option("--log-level", type=click.Choice(LOG_LEVELS), default="info", show_default=True)
def relay(
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
    """Forward this computer's watchers to another server.

    It listens on this computer alone, as a server would, and sends on what arrives, with the key that watchers do not
    have. While the server is away, everything is kept in a file.
    """
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
    os.umask(OURS_ALONE)  # the queue and the log have titles in them
    run_on_loop(_relay(settings))


def read_key(path: Path) -> tuple[str, str | None]:
    """The key in a file, and a warning where others can read it. Raises Invalid, never quoting what the file holds."""
    try:
        text = path.read_text("ascii").strip()
        mode = stat.S_IMODE(path.stat().st_mode)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text"
        raise Invalid(
            f"cannot read the key file {path}: {reason}", hint="put the key that `dayline keys create` shows into it"
        ) from error
    if key_id_of(text) is None:
        raise Invalid(f"the file {path} does not hold a key", hint="a key is one line that begins with dayline_")
    is_open = sys.platform != "win32" and mode & 0o077
    return text, f"others can read the key file {path}; to keep it yours: chmod 600 {path}" if is_open else None


def check_way(to: Address, *, has_key: bool, is_enveloped: bool) -> None:
    """Raise Invalid where others could read along, or where the server would not listen anyway."""
    if is_enveloped and not has_key:
        raise Invalid("an envelope needs a key", hint="name the key's file with --key-file")
    if to.is_loopback:
        return
    if not has_key:
        raise Invalid(
            f"{to} is not this computer, so it needs a key",
            hint="make one there with: dayline keys create --scope append, and name its file with --key-file",
        )
    if to.scheme == "http" and not is_enveloped:
        raise Invalid(
            f"refusing to send to {to} in the clear: everybody on the way could read what you do, and the key",
            hint="use https://, or --envelope with a key that was made with --envelope",
        )


def default_queue(to: Address, *, is_testing: bool) -> Path:
    """A file for each server, so that what was meant for one never goes to another."""
    host = re.sub(r"[^a-z0-9.-]", "-", to.host.lower())
    name = f"relay-testing-{host}.db" if is_testing else f"relay-{host}.db"
    return Path(platformdirs.user_data_dir("dayline", appauthor=False)) / name


async def _relay(settings: RelaySettings) -> None:
    # Here, because the other commands start quicker without the server's libraries.
    from dayline.access.local_users import local_users
    from dayline.access.origins import HostRules, OriginRules
    from dayline.api.http.connection import Connection
    from dayline.api.http.server import Server
    from dayline.api.v0.info import Info
    from dayline.cli.serve.network import bound_addresses, open_sockets
    from dayline.cli.serve.start import device_id
    from dayline.client.errors import ServerUnreachable
    from dayline.client.forwarder import Forwarder
    from dayline.client.link import Link
    from dayline.client.queue import CallQueue
    from dayline.client.transport import Transport
    from dayline.relay.app import Parts, make_relay_app
    from dayline.relay.intake import Intake, Passage, Recording
    from dayline.runtime.background import BackgroundWorkers
    from dayline.runtime.logs import LogRecords, set_up
    from dayline.runtime.machine import notify

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
        set_up(level=settings.log_level, file=settings.queue.with_suffix(".log"), records=LogRecords())
        try:
            sockets = open_sockets("localhost", settings.port)
        except Unavailable as error:
            raise Unavailable(error.message, hint="stop it, or choose another port with --port") from error
        port: int = sockets[0].getsockname()[1]
        link = Link(str(settings.to))
        workers = BackgroundWorkers()
        forwarder = Forwarder(queue, first_transport, link, workers, is_enveloped=settings.is_enveloped)
        intake = Intake(queue, on_queued=forwarder.wake)
        hostname, device = platform.node() or "unknown", device_id(settings.queue.parent)
        parts = Parts(
            to=str(settings.to),
            info=Info(
                hostname=hostname,
                version=f"v{__version__} (dayline relay)",
                testing=settings.is_testing,
                device_id=device,
            ),
            hosts=HostRules("localhost"),
            origins=OriginRules(port=port, addresses=bound_addresses(sockets), is_testing=settings.is_testing),
            recording=Recording(intake, link, on_created=forwarder.go_on_with, hostname=hostname, device_id=device),
            passage=Passage(new_transport, on_answer=forwarder.nudge),
            queue=queue,
            link=link,
        )

        def check_key() -> float | None:
            """Warn if the key can read: every program that reaches the relay then can, too."""
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

        key_check = workers.thread("checking what the key may do", check_key, interval_s=None)

        def on_ready() -> None:
            waiting = queue.state().waiting
            log.info(
                "Dayline %s relay is ready at http://localhost:%d/ and sends to %s; %s",
                __version__, port, settings.to, quantity(waiting, "call waits", "calls wait"),
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

        protocol = type("RelayConnection", (Connection,), {"local_users": local_users(settings.other_users)})
        await Server(make_relay_app(parts), protocol, on_ready=on_ready, on_stopping=on_stopping).serve(sockets)
        await asyncio.to_thread(forwarder.join, LAST_CALL_S)
        waiting = queue.state().waiting
    finally:
        queue.close()
    log.info("Stopped; %d calls wait in %s", waiting, settings.queue.name)
