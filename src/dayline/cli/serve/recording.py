"""Records this computer while the server runs, if that is turned on."""

import socket
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from dayline.cli.calls.call import LocalEndpoint
from dayline.cli.options.settings import Settings
from dayline.client.watch.process import WatchConfig
from dayline.client.watch.recorder import ComputerRecorder
from dayline.config.data_folder import DataFile, data_file

# How long a watch process records after its server was killed: enough for a restart by hand or by a service manager.
MAX_ORPHANED_S: Final = 600.0


@asynccontextmanager
async def recording(settings: Settings, endpoint: LocalEndpoint, recorder: ComputerRecorder) -> AsyncGenerator[None]:
    """Record this computer for the length of the block, while that is turned on."""
    await recorder.start(lambda: watch_config(settings, endpoint))
    try:
        yield
    finally:
        await recorder.close()


def watch_folder(settings: Settings) -> Path:
    """The folder of the watch process, next to the database."""
    return data_file(settings.database, DataFile.WATCH)


def watch_config(settings: Settings, endpoint: LocalEndpoint) -> WatchConfig:
    """What the watch process of a server at this endpoint runs with."""
    from dayline.access.tls import certificate_fingerprint  # here, because few servers use TLS on loopback

    certificate = endpoint.tls_cert
    return WatchConfig(
        url=endpoint.url,
        key=endpoint.token,
        fingerprint=None if certificate is None else certificate_fingerprint(Path(certificate).read_text("ascii")),
        hostname=socket.gethostname(),
        folder=str(watch_folder(settings)),
        away_after_s=settings.watch.away_after_s,
        records_titles=settings.watch.titles,
        is_supervised=True,
        max_orphaned_s=MAX_ORPHANED_S,
    )
