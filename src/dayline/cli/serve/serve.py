"""`dayline serve`: runs the server, and restarts it in place."""

import gc
import logging
import os
import socket
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NoReturn

import click
import msgspec
from msgspec import Struct

from dayline import __version__
from dayline.cli.calls.call import (
    remove_token_file,
    server_token_file,
    store_identity,
    store_location,
    write_token_file,
)
from dayline.cli.options.encryption import key_file_warnings, use_encryption
from dayline.cli.options.options import OWNER_ONLY, shown_database
from dayline.cli.options.setting_flags import config_option, flags_from, testing_option, with_setting_flags
from dayline.cli.options.settings import Settings, check_read_database, config_of, make_data_home, resolve
from dayline.cli.process import notify, run_on_loop
from dayline.cli.serve.start import Start, given_settings, server_facts
from dayline.config.data_folder import DataFile, data_file
from dayline.model.errors import Invalid, SettingsInvalid, Unavailable

log = logging.getLogger("dayline")

_OPEN_FILES: Final = 65_536
_LOAD_S: Final = 1.0  # after the start

EXAMPLES = """\b
Examples:
  dayline serve
  dayline serve --testing
  dayline serve --port 5700 --database ~/dayline/days.db
  dayline serve --encrypt                      encrypt a new database
  dayline serve --host 0.0.0.0                 for other machines; needs a key and TLS
  dayline serve --database postgresql://dayline@db.example.org/dayline
"""


@click.command(epilog=EXAMPLES)
@with_setting_flags
@click.option(
    "--custom-static", "pages", metavar="NAME=DIR[,…]", envvar="DAYLINE_CUSTOM_STATIC",
    help="Folders to serve at /pages/NAME/.",
)  # fmt: skip
@testing_option
@config_option
def serve(testing: bool, config: Path | None, pages: str | None, **values: Any) -> None:
    """Start the server.

    Options override environment variables (DAYLINE_PORT and so on), which override the settings file.
    """
    try:
        flags = flags_from(values, is_testing=testing, config=config, pages=parse_pages(pages))
        settings = resolve(flags)
        use_encryption(settings)
        _run(settings, Start(given=given_settings(click.get_current_context()), config=config_of(flags)))
    except Invalid as error:
        # Whatever is invalid here came from the settings, so that a supervisor must not restart the server.
        raise SettingsInvalid(error.message, hint=error.hint, field=error.field) from error


def parse_pages(text: str | None) -> Mapping[str, Path]:
    """Parse `name=folder,name=folder`."""
    pages: dict[str, Path] = {}
    for item in (text or "").split(","):
        if not item.strip():
            continue
        name, equals, folder = item.strip().partition("=")
        if not (name and equals and folder) or "/" in name:
            raise Invalid(
                f"--custom-static: invalid value {item.strip()!r}", hint="write NAME=FOLDER, separated by commas"
            )
        pages[name] = Path(folder).expanduser()
    return pages


def _run(settings: Settings, start: Start) -> None:
    os.umask(OWNER_ONLY)
    raise_open_files_limit()
    restart = Restart(settings)
    run_on_loop(_serve(settings, start, restart))
    if restart.is_due:
        restart.execute()


def raise_open_files_limit() -> None:
    """Raise the limit of open files to what the system allows: the default of 1,024 would limit connections."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS refuses more than its kernel limit
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _serve(settings: Settings, start: Start, restart: "Restart") -> None:
    check_read_database(settings)
    # Here, because other commands start faster without the server's libraries.
    import asyncio

    from dayline.access.keyring import Keyring
    from dayline.access.local_users import local_users, user_lookup
    from dayline.access.revocations import RevocationJournal
    from dayline.api.http.server import Server
    from dayline.cli.calls.opened import open_for_server, query_workers
    from dayline.cli.serve.assembly import assemble, background_watches
    from dayline.cli.serve.network import look_at_network
    from dayline.cli.serve.recording import recording
    from dayline.cli.serve.sockets import own_addresses
    from dayline.maintenance.health import ClockWatch, damage_headers
    from dayline.runtime.logs import LogRecords, set_up
    from dayline.storage.opening import open_folder

    network = look_at_network(settings)
    make_data_home(settings)
    if settings.postgres is None and not os.path.exists(settings.database):
        network.exposure(has_key=False)  # a refused start creates no file
    # Everything loaded so far is permanent, and requests create no cycles: collecting garbage less often raises the
    # throughput of heartbeats by a tenth.
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    clock = ClockWatch()
    if settings.postgres is not None:
        open_folder(settings.database)  # of this server's own files
    database = open_for_server(settings, clock)
    queries = query_workers(settings, database)
    journal = RevocationJournal(data_file(settings.database, DataFile.REVOCATIONS), background=database.background)
    try:
        records = LogRecords()
        set_up(level=settings.server.log_level, file=data_file(settings.database, DataFile.LOG), records=records)
        journal.open()
        keyring = Keyring(database.access, journal=journal)
        exposure = network.exposure(has_key=keyring.has_active())
        with network.sockets(restart.take_sockets()) as sockets:
            port: int = sockets[0].getsockname()[1]
            location, store = store_location(settings), store_identity(settings)
            token_file = server_token_file(settings, location, port=port)
            lookup = user_lookup()
            assembled = assemble(
                settings,
                database,
                queries,
                keyring,
                journal=journal,
                clock=clock,
                hosts=network.hosts(),
                port=port,
                addresses=own_addresses(sockets),
                needs_keys=exposure.needs_keys,
                only_trusted=exposure.only_trusted,
                # A server that requires keys does not need to check the local user.
                local_users=None if exposure.needs_keys else local_users(settings.access.other_users, lookup),
                user_lookup=lookup,
                records=records,
                facts=server_facts(settings, start, address=network.local_url(port)),
                store_id=store,
            )
            token = assembled.services.server.gate.local_token
            endpoint = network.local_endpoint(port, token=token, location=location, store=store)
            write_token_file(token_file, endpoint)

            def on_ready() -> None:
                mode = ", testing mode" if settings.is_testing else ""
                log.info("Dayline %s is ready at %s%s", __version__, network.url(port), mode)
                log.info("Data: %s", shown_database(settings))
                network.log_warnings(exposure, has_key=keyring.has_active())
                for warning in key_file_warnings(settings):
                    log.warning(warning)
                notify("READY=1")

            def on_tick() -> None:
                keyring.tick()
                clock.tick()
                assembled.tenants.tick()

            def on_stopping() -> None:
                if server.is_restarting:
                    log.info("Restarting")
                    restart.keep(sockets)
                else:
                    log.info("Stopping")
                assembled.services.server.readiness.stop()
                assembled.tenants.stop()
                queries.stop()
                database.stop_holding()
                notify("RELOADING=1" if server.is_restarting else "STOPPING=1")

            server = Server(
                assembled.app,
                assembled.protocol(),
                tls=None if network.tls is None else network.tls.context,
                on_ready=on_ready,
                on_tick=on_tick,
                on_stopping=on_stopping,
                headers=lambda: damage_headers(database.damage, settings.database),
            )

            loading = asyncio.create_task(_load_routes())
            try:
                async with (
                    background_watches(
                        settings, database, queries, assembled.tenants, None if restart.is_restarted else server.restart
                    ),
                    recording(settings, endpoint, assembled.services.server.recorder),
                ):
                    await server.serve(sockets)
            finally:
                loading.cancel()
                remove_token_file(token_file)
                await assembled.services.server.gate.sessions.close()
                await assembled.tenants.close()
                await assembled.services.server.backups.close()
                await assembled.services.server.readiness.close()
    finally:
        await journal.close()
        await queries.close()
        await database.close()
    restart.is_due = server.is_restarting
    if restart.is_due:
        return
    log.info("Stopped; all data is in %s", settings.database.name if settings.postgres is None else "the database")


async def _load_routes() -> None:
    """Load what the first requests do not need, on a thread: recording continues."""
    import asyncio

    from dayline.api.http.dispatch import all_routes

    await asyncio.sleep(_LOAD_S)
    await asyncio.to_thread(all_routes)
    gc.freeze()


_VARIABLE: Final = "DAYLINE_RESTARTED"  # set for the restarted server only: commands that it starts do not see it
_TCP: Final = (socket.AF_INET, socket.AF_INET6)


class _OpenSockets(Struct, frozen=True):
    """The listening sockets that a server left open, and the settings that they were opened with."""

    host: str
    port: int
    sockets: tuple[int, ...]


class Restart:
    """Restarts the server in this process. Its id and the listening TCP sockets stay, so no connection is refused."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._kept: list[socket.socket] = []
        self.is_due = False
        text = os.environ.pop(_VARIABLE, None)
        self.is_restarted = text is not None
        self._inherited: list[socket.socket] = [] if text is None else self._adopted(text)

    def take_sockets(self) -> list[socket.socket]:
        """The TCP sockets of the server before; empty after an ordinary start, or if other addresses are set now."""
        sockets, self._inherited = self._inherited, []
        return sockets

    def keep(self, sockets: Iterable[socket.socket]) -> None:
        """Keep TCP sockets open: clients that connect wait until the restarted server accepts them."""
        self._kept = [sock.dup() for sock in sockets if sock.family in _TCP]

    def execute(self) -> NoReturn:
        """Start the command of this process again, in this process. Raises Unavailable if the system cannot do that."""
        if sys.platform == "win32":
            raise Unavailable(
                f"{self._settings.database.name} is damaged, and the server has stopped",
                hint="start it again: it continues in a recovery file and restores what can be read",
            )
        numbers = tuple(sock.fileno() for sock in self._kept)
        kept = _OpenSockets(host=self._settings.server.host, port=self._settings.port, sockets=numbers)
        os.environ[_VARIABLE] = msgspec.json.encode(kept).decode()
        for number in numbers:
            os.set_inheritable(number, True)
        try:
            os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])
        except OSError as error:  # Python was removed or replaced while the server ran
            raise Unavailable(
                f"the server has stopped and cannot start again: {sys.executable}: {error.strerror}",
                hint="start it again: it continues in a recovery file and restores what can be read",
            ) from error

    def _adopted(self, text: str) -> list[socket.socket]:
        try:
            kept = msgspec.json.decode(text, type=_OpenSockets)
            sockets = [socket.socket(fileno=number) for number in kept.sockets]
        except (msgspec.DecodeError, OSError):
            return []
        for sock in sockets:
            sock.set_inheritable(False)
        if (kept.host, kept.port) == (self._settings.server.host, self._settings.port):
            return sockets
        for sock in sockets:
            sock.close()
        return []
