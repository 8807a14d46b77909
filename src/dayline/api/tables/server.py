"""The calls about what the server is."""

from dayline.api import info, own_server, ready
from dayline.api.info import Info
from dayline.api.log_records import LogRecord
from dayline.api.own_server import OwnServer
from dayline.api.ready import Ready
from dayline.api.route import Answer, Route
from dayline.model.errors import Unavailable

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/info", handler=info.get_info, tag="server", scope=None, is_for_extensions=True,
        summary="Tell what server this is", answer=Answer(type=Info, description="host, version, mode and device"),
    ),
    Route(
        method="GET", path="/api/1/ready", handler=ready.get_ready, tag="server", scope=None,
        summary="Tell whether to send calls to this server", answer=Answer(type=Ready, description="it takes them"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/0/log", handler=info.get_log, tag="server", scope="full",
        is_server_wide=True, is_of_server=True, summary="Read the latest log records",
        answer=Answer(type=list[LogRecord], description="newest first"),
    ),
    Route(
        method="GET", path="/api/1/server", handler=own_server.get_own_server, tag="server", scope="full",
        is_server_wide=True, is_of_server=True, summary="Tell how the server runs, and what it was started with",
        answer=Answer(type=OwnServer, description="addresses, files and settings"),
    ),
)  # fmt: skip
