"""`/api/1/server`: what its owner wants to know of the server itself."""

import re
from typing import Annotated, Final

from msgspec import Meta, Struct

from dayline.api.call import Call
from dayline.api.server_facts import ServerSetting
from dayline.model.errors import Malformed
from dayline.model.timestamps import SECOND, Timestamp, format_timestamp

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
    services, facts = call.services, call.services.facts
    call.answer_value(
        OwnServer(
            version=services.version,
            hostname=services.hostname,
            started=format_timestamp(facts.started),
            uptime=max(0, services.clock() - facts.started) / SECOND,
            address=facts.address,
            hosts=services.hosts.names,
            origins=services.origins.trusted,
            needs_keys=services.gate.needs_keys,
            is_testing=services.is_testing,
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
    call.answer_value(StoreProof(proof=call.services.gate.proof(nonce)))
