"""`/api/0/info`, `/api/1/ready` and `/api/1/server`: identity, readiness and configuration of the server."""

import re
from typing import Annotated, Final, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from dayline.access.local_users import endpoint_text
from dayline.api.http.call import Call
from dayline.api.http.route import Answer, Parameter, Route
from dayline.config.facts import ServerSetting
from dayline.model.errors import Malformed, Unavailable
from dayline.model.time import SECOND, Timestamp, format_timestamp
from dayline.runtime.logs import LogRecord


class Info(Struct, frozen=True, kw_only=True):
    """The identity of the server."""

    hostname: str
    version: str
    testing: bool
    device_id: str


async def get_info(call: Call) -> None:
    """Clients call this first to check whether a server is running."""
    server = call.server
    call.answer_value(
        Info(
            hostname=server.hostname,
            # The web UI parses what comes before the first space as a version number.
            version=f"v{server.version} (dayline)",
            testing=server.is_testing,
            device_id=server.device_id,
        )
    )


async def get_log(call: Call) -> None:
    """The records since the start, up to the latest thousand."""
    call.answer_value(call.server.log_records.newest_first())


# `/api/1/ready`: readiness, for a load balancer.


class Ready(Struct, frozen=True, kw_only=True):
    """Always `ready`; otherwise the response is 503."""

    status: Literal["ready"] = "ready"


async def get_ready(call: Call) -> None:
    """503 while the server is stopping or cannot write to its database; use another server of that database then.

    Use `/api/0/info` to check whether the process is running.
    """
    await call.server.readiness.check()
    call.answer_value(Ready())


# `/api/1/server`: how the server runs.


NONCE_PATTERN: Final = "^[0-9a-f]{32,128}$"
_NONCE = re.compile(NONCE_PATTERN.removeprefix("^").removesuffix("$"))


class StoreProof(Struct, frozen=True, kw_only=True):
    """The response to a nonce. Only the owner of the server can check it, with the server's token file."""

    proof: Annotated[
        str,
        Meta(
            description="HMAC-SHA256 of the store, the nonce, and the server's end of this connection, "
            "keyed by the local token"
        ),
    ]


class OwnServer(Struct, frozen=True, kw_only=True):
    """How the server runs, its addresses, files and settings."""

    version: str
    hostname: str
    started: Timestamp
    uptime: Annotated[float, Meta(description="seconds since the start")]
    address: Annotated[str, Meta(description="its URL on this computer")]
    hosts: Annotated[list[str], Meta(description="host names it accepts, in addition to its address")]
    origins: Annotated[list[str], Meta(description="origins that may call it, in addition to its own")]
    needs_keys: Annotated[bool, Meta(description="whether every call needs a key")]
    is_testing: bool
    time_zone: Annotated[str, Meta(description="the time zone of its computer")]
    database: str
    log_file: str | None
    settings_file: Annotated[str | None, Meta(description="path of the settings file, which may not exist")]
    settings: Annotated[list[ServerSetting], Meta(description="all settings, with the source of each value")]


async def get_own_server(call: Call) -> None:
    """Change settings in their file, the environment or the command line, and restart the server.

    No value is a secret: keys and passphrases are in files, and `settings` only has their paths.
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
            settings=[_current(setting, call) for setting in facts.settings],
        )
    )


def _current(setting: ServerSetting, call: Call) -> ServerSetting:
    """The setting as it is now: `PUT /api/1/recording` changes one, and stores it in the file."""
    enabled = call.server.recorder.enabled
    if setting.name != "watch.enabled" or setting.value == enabled:
        return setting
    return replace(setting, value=enabled, source="file")


async def prove_store(call: Call) -> None:
    """The `dayline` command calls this before it sends anything else.

    It sends its token only to the server that wrote the token file and still serves the same database. The proof is for
    the address and port that the command is connected to, so that no other program can pass it on.
    """
    nonce = call.request.get_param("nonce")
    if nonce is None or not _NONCE.fullmatch(nonce):
        raise Malformed(
            "nonce must have 32 to 128 hexadecimal digits in lower case", hint="send ?nonce=<hex>", field="nonce"
        )
    host, port = call.request.scope["server"]
    call.answer_value(StoreProof(proof=call.server.gate.proof(nonce, address=endpoint_text(host, port))))


_NONCE_PARAMETER = Parameter(
    name="nonce",
    type=Annotated[str, Meta(pattern=NONCE_PATTERN, examples=["00112233445566778899aabbccddeeff"])],
    description="32 to 128 random hexadecimal digits",
    is_required=True,
)

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path="/api/0/info", handler=get_info, tag="server", scope=None, audience="extensions",
        summary="Identify the server", answer=Answer(type=Info, description="host, version, mode and device"),
    ),
    Route(
        method="GET", path="/api/1/ready", handler=get_ready, tag="server", scope=None,
        summary="Check whether the server is ready", answer=Answer(type=Ready, description="the server is ready"),
        errors=(Unavailable,),
    ),
    Route(
        method="GET", path="/api/0/log", handler=get_log, tag="server", scope="full",
        audience="server", summary="Read the latest log records",
        answer=Answer(type=list[LogRecord], description="the records, the newest first"),
    ),
    Route(
        method="GET", path="/api/1/server", handler=get_own_server, tag="server", scope="full",
        audience="server", summary="Show how the server runs",
        answer=Answer(type=OwnServer, description="addresses, files and settings"),
    ),
    Route(
        method="GET", path="/api/1/server/proof", handler=prove_store, tag="server", scope=None,
        summary="Prove which database this server serves", parameters=(_NONCE_PARAMETER,),
        answer=Answer(type=StoreProof, description="the proof"),
    ),
)  # fmt: skip
