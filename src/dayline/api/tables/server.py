"""The calls about what the server is."""

from typing import Annotated

from msgspec import Meta

from dayline.api import info, own_server, ready
from dayline.api.info import Info
from dayline.api.log_records import LogRecord
from dayline.api.own_server import NONCE_PATTERN, OwnServer, StoreProof
from dayline.api.ready import Ready
from dayline.api.route import Answer, Parameter, Route
from dayline.model.errors import Unavailable

_NONCE = Parameter(
    name="nonce",
    type=Annotated[str, Meta(pattern=NONCE_PATTERN, examples=["00112233445566778899aabbccddeeff"])],
    description="what to answer: 32 to 128 random hexadecimal digits",
    is_required=True,
)

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
    Route(
        method="GET", path="/api/1/server/proof", handler=own_server.prove_store, tag="server", scope=None,
        summary="Prove which database this server serves", parameters=(_NONCE,),
        answer=Answer(type=StoreProof, description="the proof"),
    ),
)  # fmt: skip
