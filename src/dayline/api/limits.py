"""How much a client may send: apart from the rest, because commands read settings that need none of it."""

from typing import Annotated

from msgspec import Meta

from dayline.access.key_limits import KeyLimits


class Limits(KeyLimits, frozen=True, kw_only=True):
    """How much a client may send at once, and how much one key may do."""

    body_mib: Annotated[int, Meta(ge=1, description="MiB that a body may have, other than an import")] = 32
    connections_per_address: Annotated[
        int,
        Meta(
            ge=1, description="connections that an address may have open without a key; four times as many on loopback"
        ),
    ] = 256
    import_mib: Annotated[int, Meta(ge=1, description="MiB that an import may have")] = 1000
