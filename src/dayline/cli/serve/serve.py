"""`dayline serve`: the server itself."""

import gc
import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from dayline import __version__
from dayline.cli.calls.call import remove_token_file, server_token_file, store_identity, store_place, write_token_file
from dayline.cli.options.options import DATABASE, OURS_ALONE, shown_database
from dayline.cli.options.settings import LOG_LEVELS, Flags, Settings, check_read_database, config_of, resolve
from dayline.cli.serve.data_folder import make_data_home
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
@click.option("--host", envvar="DAYLINE_HOST", help="Address to listen on. [default: localhost]")
@click.option("--port", type=int, envvar="DAYLINE_PORT", help="Port to listen on. [default: 5600; testing: 5666]")
@click.option(
    "--database", type=DATABASE, envvar="DAYLINE_DATABASE",
    help="File that holds the data, or postgresql://…. [default: dayline.db in the user's data folder]",
)  # fmt: skip
@click.option(
    "--read-database", metavar="ADDRESS", envvar="DAYLINE_READ_DATABASE",
    help="PostgreSQL standby of the database, from which queries are read.",
)  # fmt: skip
@click.option("--testing", is_flag=True, envvar="DAYLINE_TESTING", help="Testing mode: its own port and its own data.")
@click.option(
    "--config", type=click.Path(path_type=Path, dir_okay=False), envvar="DAYLINE_CONFIG",
    help="Settings file. [default: config.toml in the user's config folder]",
)  # fmt: skip
@click.option("--log-level", type=click.Choice(LOG_LEVELS), envvar="DAYLINE_LOG_LEVEL", help="[default: info]")
@click.option(
    "--web-path", type=click.Path(path_type=Path, exists=True, file_okay=False), envvar="DAYLINE_WEB_PATH",
    help="Serve the web UI in this folder at / instead of Dayline's own page.",
)  # fmt: skip
@click.option(
    "--custom-static", "pages", metavar="NAME=DIR[,…]", envvar="DAYLINE_CUSTOM_STATIC",
    help="Folders to serve under /pages/NAME/.",
)  # fmt: skip
@click.option(
    "--tls-cert", type=click.Path(path_type=Path, dir_okay=False), envvar="DAYLINE_TLS_CERT",
    help="Certificate with its chain. [default: off loopback, that of `dayline tls init`]",
)  # fmt: skip
@click.option(
    "--tls-key", type=click.Path(path_type=Path, dir_okay=False), envvar="DAYLINE_TLS_KEY",
    help="Private key of the certificate.",
)  # fmt: skip
@click.option(
    "--uds", type=click.Path(path_type=Path), envvar="DAYLINE_UDS",
    help="Unix socket to listen on besides.",
)  # fmt: skip
@click.option(
    "--base-path", metavar="PATH", envvar="DAYLINE_BASE_PATH", help="Path under which a proxy shows the server."
)
@click.option(
    "--trusted-proxy", "trusted_proxies", metavar="ADDRESS", multiple=True, envvar="DAYLINE_TRUSTED_PROXIES",
    help="Address or network of a proxy whose Forwarded headers count; may be given several times.",
)  # fmt: skip
@click.option("--require-keys", is_flag=True, envvar="DAYLINE_REQUIRE_KEYS", help="Ask for a key on loopback, too.")
def serve(
    host: str | None,
    port: int | None,
    database: Path | str | None,
    read_database: str | None,
    testing: bool,
    config: Path | None,
    log_level: str | None,
    web_path: Path | None,
    pages: str | None,
    tls_cert: Path | None,
    tls_key: Path | None,
    uds: Path | None,
    base_path: str | None,
    trusted_proxies: tuple[str, ...],
    require_keys: bool,
) -> None:
    """Start the server.

    Flags win over environment variables (DAYLINE_PORT and so on), those over the settings file.
    """
    flags = Flags(
        is_testing=testing,
        config=config,
        host=host,
        port=port,
        database=database,
        read_database=read_database,
        log_level=log_level,
        web_path=web_path,
        pages=parse_pages(pages),
        tls_cert=tls_cert,
        tls_key=tls_key,
        uds=uds,
        base_path=base_path,
        trusted_proxies=trusted_proxies,
        require_keys=require_keys,
    )
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
    run_on_loop(_serve(settings, start))


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


async def _serve(settings: Settings, start: Start) -> None:
    check_read_database(settings)
    # Here, because the other commands start quicker without the server's libraries.
    from dayline.access.keyring import Keyring
    from dayline.access.local_users import local_users
    from dayline.access.revocations import RevocationJournal
    from dayline.api.http.server import Server
    from dayline.cli.calls.opened import open_file, open_postgres, query_workers
    from dayline.cli.serve.assembly import assemble
    from dayline.cli.serve.network import bound_addresses, look_at_network
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
        set_up(level=settings.log_level, file=log_file(settings), records=records)
        journal.open()
        keyring = Keyring(database.access, journal=journal)
        exposure = network.exposure(has_key=keyring.has_active())
        with network.sockets() as sockets:
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
            write_token_file(token_file, network.local_endpoint(port, token=token, place=place, store=store))

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
                log.info("Stopping")
                assembled.services.server.readiness.stop()
                assembled.tenants.stop()
                queries.stop()
                database.stop_holding()
                notify("STOPPING=1")

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
                async with watching(settings, database, queries, assembled.tenants, server):
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
    log.info("Stopped; everything is in %s", settings.database.name if settings.postgres is None else "the database")
