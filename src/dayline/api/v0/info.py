"""`/api/0/info`, `/api/ready` and `/api/1/server`: what server this is, and whether it is ready."""

import re
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct

from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Parameter, Route
from dayline.config.sections import ServerSetting
from dayline.model.errors import Malformed, Unavailable
from dayline.model.time import SECOND, Timestamp, format_timestamp
from dayline.runtime.logs import LogRecord


class Info(Struct, frozen=True, kw_only=True):
    """What clients ask first, to see whether the server is there."""

    hostname: str
    version: str
    testing: bool
    device_id: str


async def get_info(call: Call) -> None:
    """Clients ask this first, to see whether a server is there."""
    server = call.server
    call.answer_value(
        Info(
            hostname=server.hostname,
            # The web UI reads what stands before the first blank as a version number.
            version=f"v{server.version} (dayline)",
            testing=server.is_testing,
            device_id=server.device_id,
        )
    )


async def get_log(call: Call) -> None:
    """The records since the start, at most the latest thousand."""
    call.answer_value(call.server.log_records.newest_first())


# `/api/1/ready`: whether to send calls here, for a load balancer.


class Ready(Struct, frozen=True, kw_only=True):
    """There is one answer but 503."""

    status: Literal["ready"] = "ready"


async def get_ready(call: Call) -> None:
    """503 while the server stops, or cannot write to its database: then another server of that database is to be asked.

    Whether the process is alive is what `/api/0/info` tells: it answers then, too.
    """
    await call.server.readiness.check()
    call.answer_value(Ready())


# `/api/1/server`: what its owner wants to know of the server itself.


NONCE_PATTERN: Final = "^[0-9a-f]{32,128}$"
_NONCE = re.compile(NONCE_PATTERN.removeprefix("^").removesuffix("$"))


class StoreProof(Struct, frozen=True, kw_only=True):
    """The answer to a nonce. Only the owner of the server can check it, with the token file of the server."""

    proof: Annotated[str, Meta(description="HMAC-SHA256 of the nonce and of the store, keyed by the local token")]


class OwnServer(Struct, frozen=True, kw_only=True):
    """How it runs, how it is reached, where its files are, and what it was started with."""

    version: str
    hostname: str
    started: Timestamp
    uptime: Annotated[float, Meta(description="seconds since then")]
    address: Annotated[str, Meta(description="where programs on its own computer find it")]
    hosts: Annotated[list[str], Meta(description="names that it answers to, besides the address that is called")]
    origins: Annotated[list[str], Meta(description="pages that may call it, besides its own under other names")]
    needs_keys: Annotated[bool, Meta(description="whether every call needs a key")]
    is_testing: bool
    time_zone: Annotated[str, Meta(description="of its computer, as far as it can be told")]
    database: str
    log_file: str | None
    settings_file: Annotated[str | None, Meta(description="where settings are read from; it need not be there")]
    settings: Annotated[list[ServerSetting], Meta(description="every setting, and where its value came from")]


async def get_own_server(call: Call) -> None:
    """Settings of a file, of the environment or of the command line are changed there, and need a new start.

    None of them is a secret: keys and passphrases lie in files, and `settings` has their paths alone.
    """
    server, facts = call.server, call.server.facts
    call.answer_value(
        OwnServer(
            version=server.version,
            hostname=server.hostname,
            started=format_timestamp(facts.started),
            uptime=max(0, server.clock() - facts.started) / SECOND,
            address=facts.address,
            hosts=server.hosts.names,
            origins=server.origins.trusted,
            needs_keys=server.gate.needs_keys,
            is_testing=server.is_testing,
            time_zone=facts.time_zone,
            database=facts.database,
            log_file=facts.log_file,
            settings_file=facts.settings_file,
            settings=list(facts.settings),
        )
    )


async def prove_store(call: Call) -> None:
    """The `dayline` command asks this before it sends anything else.

    It sends its token only to the server that wrote the token file, and that still serves the same database.
    """
    nonce = call.request.get_param("nonce")
    if nonce is None or not _NONCE.fullmatch(nonce):
        raise Malformed("nonce: 32 to 128 hexadecimal digits in lower case are required", field="nonce")
    call.answer_value(StoreProof(proof=call.server.gate.proof(nonce)))


# Routes.


_NONCE_PARAMETER = Parameter(
    name="nonce",
    type=Annotated[str, Meta(pattern=NONCE_PATTERN, examples=["00112233445566778899aabbccddeeff"])],
    description="what to answer: 32 to 128 random hexadecimal digits",
    is_required=True,
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/info", handler=get_info, tag="server", scope=None, is_for_extensions=True,
        summary="Tell what server this is", answer=Answer(type=Info, description="host, version, mode and device"),
    ),
    Route(
        method="GET", path="/api/1/ready", handler=get_ready, tag="server", scope=None,
        summary="Tell whether to send calls to this server", answer=Answer(type=Ready, description="it takes them"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/0/log", handler=get_log, tag="server", scope="full",
        is_server_wide=True, is_of_server=True, summary="Read the latest log records",
        answer=Answer(type=list[LogRecord], description="newest first"),
    ),
    Route(
        method="GET", path="/api/1/server", handler=get_own_server, tag="server", scope="full",
        is_server_wide=True, is_of_server=True, summary="Tell how the server runs, and what it was started with",
        answer=Answer(type=OwnServer, description="addresses, files and settings"),
    ),
    Route(
        method="GET", path="/api/1/server/proof", handler=prove_store, tag="server", scope=None,
        summary="Prove which database this server serves", parameters=(_NONCE_PARAMETER,),
        answer=Answer(type=StoreProof, description="the proof"),
    ),
)  # fmt: skip
