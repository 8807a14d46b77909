"""`dayline serve`: the server itself."""

import gc
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from dayline import __version__
from dayline.cli.calls.call import remove_token_file, server_token_file, store_identity, store_place, write_token_file
from dayline.cli.options.options import OURS_ALONE, shown_database
from dayline.cli.options.setting_flags import config_option, flags_from, testing_option, with_setting_flags
from dayline.cli.options.settings import Settings, check_read_database, config_of, resolve
from dayline.cli.serve.data_folder import make_data_home
from dayline.cli.serve.restart import Restart
from dayline.cli.serve.start import Start, given_settings, journal_file, log_file, server_facts
from dayline.model.errors import Invalid
from dayline.runtime.machine import notify, run_on_loop

if TYPE_CHECKING:
    from dayline.storage.store import Database


log = logging.getLogger("dayline")

_OPEN_FILES: Final = 65_536

EXAMPLES = """\b
Examples:
  dayline serve
  dayline serve --testing
  dayline serve --port 5700 --database ~/dayline/days.db
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

    Flags win over environment variables (DAYLINE_PORT and so on), those over the settings file.
    """
    flags = flags_from(values, is_testing=testing, config=config, pages=parse_pages(pages))
    _run(resolve(flags), Start(given=given_settings(click.get_current_context()), config=config_of(flags)))


def parse_pages(text: str | None) -> Mapping[str, Path]:
    """Read `name=folder,name=folder`."""
    pages: dict[str, Path] = {}
    for item in (text or "").split(","):
        if not item.strip():
            continue
        name, equals, folder = item.strip().partition("=")
        if not (name and equals and folder) or "/" in name:
            raise Invalid(f"--custom-static takes name=folder, not {item.strip()!r}")
        pages[name] = Path(folder).expanduser()
    return pages


def _run(settings: Settings, start: Start) -> None:
    os.umask(OURS_ALONE)
    raise_open_files_limit()
    restart = Restart(settings)
    run_on_loop(_serve(settings, start, restart))
    if restart.is_due:
        restart.execute()


def raise_open_files_limit() -> None:
    """Let the server have as many connections as the system allows: the usual limit of 1,024 files is for commands."""
    try:
        import resource
    except ImportError:  # Windows, which has no such limit
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, _OPEN_FILES)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):  # macOS refuses more than its kernel has
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


async def _serve(settings: Settings, start: Start, restart: Restart) -> None:
    check_read_database(settings)
    # Here, because the other commands start quicker without the server's libraries.
    from dayline.access.keyring import Keyring
    from dayline.access.local_users import local_users
    from dayline.access.revocations import RevocationJournal
    from dayline.api.http.server import Server
    from dayline.cli.calls.opened import open_file, open_postgres, query_workers
    from dayline.cli.serve.assembly import assemble
    from dayline.cli.serve.network import bound_addresses, look_at_network
    from dayline.cli.serve.recording import recording
    from dayline.cli.serve.watching import watching
    from dayline.maintenance.health import ClockWatch, damage_headers
    from dayline.runtime.logs import LogRecords, set_up

    network = look_at_network(settings)
    make_data_home(settings)
    if settings.postgres is None and not os.path.exists(settings.database):
        network.exposure(has_key=False)  # a start that is refused makes no file
    # What is loaded by now stays for good, and requests leave no cycles behind: looking for garbage less often gives
    # heartbeats a tenth more room.
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    clock = ClockWatch()
    if settings.postgres is None:
        database: Database = open_file(settings, clock)
    else:
        database = open_postgres(settings, settings.postgres, clock)
    queries = query_workers(settings, database)
    journal = RevocationJournal(journal_file(settings), background=database.background)
    try:
        records = LogRecords()
        set_up(level=settings.server.log_level, file=log_file(settings), records=records)
        journal.open()
        keyring = Keyring(database.access, journal=journal)
        exposure = network.exposure(has_key=keyring.has_active())
        with network.sockets(restart.take_sockets()) as sockets:
            port: int = sockets[0].getsockname()[1]
            place, store = store_place(settings), store_identity(settings)
            token_file = server_token_file(settings, place, port=port)
            assembled = assemble(
                settings,
                database,
                queries,
                keyring,
                journal=journal,
                clock=clock,
                hosts=network.hosts(),
                port=port,
                addresses=bound_addresses(sockets),
                needs_keys=exposure.needs_keys,
                only_trusted=exposure.only_trusted,
                # A key is proof enough: a server that requires one does not ask who runs the client.
                local_users=None if exposure.needs_keys else local_users(settings.access.other_users),
                records=records,
                facts=server_facts(settings, start, address=network.local_url(port)),
                store_id=store,
            )
            token = assembled.services.server.gate.local_token
            endpoint = network.local_endpoint(port, token=token, place=place, store=store)
            write_token_file(token_file, endpoint)

            def on_ready() -> None:
                mode = ", testing mode" if settings.is_testing else ""
                log.info("Dayline %s is ready at %s%s", __version__, network.url(port), mode)
                log.info("Data: %s", shown_database(settings))
                network.tell(exposure, has_key=keyring.has_active())
                notify("READY=1")

            def on_tick() -> None:
                keyring.tick()
                assembled.clock.tick()
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
                assembled.protocol,
                tls=None if network.tls is None else network.tls.context,
                on_ready=on_ready,
                on_tick=on_tick,
                on_stopping=on_stopping,
                headers=lambda: damage_headers(database.damage, settings.database),
            )

            try:
                async with (
                    watching(
                        settings, database, queries, assembled.tenants, None if restart.is_restarted else server.restart
                    ),
                    recording(settings, endpoint, assembled.services.server.health, database.background),
                ):
                    await server.serve(sockets)
            finally:
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
    log.info("Stopped; everything is in %s", settings.database.name if settings.postgres is None else "the database")
