"""`dayline serve`: the server itself."""

import asyncio
import gc
import logging
import platform
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from dayline import __version__
from dayline.cli.settings import LOG_LEVELS, Flags, Settings, resolve
from dayline.model.errors import Invalid

log = logging.getLogger("dayline")

EXAMPLES = """\b
Examples:
  dayline serve
  dayline serve --testing
  dayline serve --port 5700 --database ~/dayline/days.db
"""


@click.command(epilog=EXAMPLES)
@click.option("--host", envvar="DAYLINE_HOST", help="Address to listen on: localhost, 127.0.0.1 or ::1.")
@click.option("--port", type=int, envvar="DAYLINE_PORT", help="Port to listen on. [default: 5600; testing: 5666]")
@click.option(
    "--database", type=click.Path(path_type=Path, dir_okay=False), envvar="DAYLINE_DATABASE",
    help="File that holds the data. [default: dayline.db in the user's data folder]",
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
def serve(
    host: str | None,
    port: int | None,
    database: Path | None,
    testing: bool,
    config: Path | None,
    log_level: str | None,
    web_path: Path | None,
    pages: str | None,
) -> None:
    """Start the server.

    Flags win over environment variables (DAYLINE_PORT and so on), those over the settings file.
    """
    settings = resolve(
        Flags(
            is_testing=testing,
            config=config,
            host=host,
            port=port,
            database=database,
            log_level=log_level,
            web_path=web_path,
            pages=parse_pages(pages),
        )
    )
    _run(settings)


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


def _run(settings: Settings) -> None:
    if sys.platform == "win32":
        asyncio.run(_serve(settings))
    else:
        import uvloop  # here, because the other commands start quicker without it

        uvloop.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    # Here, because the other commands start quicker without the server's libraries.
    from dayline.access.hosts import HostRules
    from dayline.access.origins import OriginRules
    from dayline.api.call import Services
    from dayline.api.log_records import LogRecords
    from dayline.api.server import Server
    from dayline.cli.device import device_id
    from dayline.cli.listen import open_sockets
    from dayline.cli.logs import set_up
    from dayline.cli.notify import notify
    from dayline.cli.query_command import query_command
    from dayline.query.workers import QueryWorkers
    from dayline.storage.sqlite.store import SqliteDatabase

    # What is loaded by now stays for good, and requests leave no cycles behind: looking for garbage less often gives
    # heartbeats a tenth more room.
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    database = SqliteDatabase(settings.database, asyncio.get_running_loop(), segment_pace=settings.segments)
    queries = QueryWorkers(query_command(settings.database, settings.query), settings.query)
    try:
        records = LogRecords()
        set_up(level=settings.log_level, file=settings.database.with_suffix(".log"), records=records)
        sockets = open_sockets(settings.host, settings.port)
        port: int = sockets[0].getsockname()[1]
        services = Services(
            store=database.store(),
            database=database,
            queries=queries,
            hosts=HostRules(settings.host, settings.access.hosts),
            origins=OriginRules(
                port=port,
                is_testing=settings.is_testing,
                trusted=settings.access.origins,
                patterns=settings.access.origin_patterns,
            ),
            limits=settings.limits,
            log_records=records,
            hostname=platform.node() or "unknown",
            device_id=device_id(settings.database.parent),
            version=__version__,
            is_testing=settings.is_testing,
            web_path=settings.web_path,
            pages=settings.pages,
        )

        def on_ready() -> None:
            mode = ", testing mode" if settings.is_testing else ""
            log.info("Dayline %s is ready at http://localhost:%d/%s", __version__, port, mode)
            log.info("Data: %s", settings.database)
            notify("READY=1")

        def on_stopping() -> None:
            log.info("Stopping")
            queries.stop()
            database.stop_holding()
            notify("STOPPING=1")

        await Server(services, on_ready=on_ready, on_stopping=on_stopping).serve(sockets)
    finally:
        await queries.close()
        await database.close()
    log.info("Stopped; everything is in %s", settings.database.name)
