"""`/api/0/info` and `/api/0/log`: what this server is, and what it has to say."""

from msgspec import Struct

from dayline.api.call import Call


class Info(Struct, frozen=True, kw_only=True):
    """What clients ask first, to see whether the server is there."""

    hostname: str
    version: str
    testing: bool
    device_id: str


async def get_info(call: Call) -> None:
    """Clients ask this first, to see whether a server is there."""
    services = call.services
    call.answer_value(
        Info(
            hostname=services.hostname,
            # The web UI reads what stands before the first blank as a version number.
            version=f"v{services.version} (dayline)",
            testing=services.is_testing,
            device_id=services.device_id,
        )
    )


async def get_log(call: Call) -> None:
    """The records since the start, at most the latest thousand."""
    call.answer_value(call.services.log_records.newest_first())
