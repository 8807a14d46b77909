"""Damage to a database, as it is marked beside it and told to people."""

from msgspec import Struct

from dayline.model.timestamps import Microseconds


class Damage(Struct, frozen=True, kw_only=True):
    """What was found, and when. The id tells whether a file was repaired since."""

    id: str
    found: Microseconds
    message: str
