"""Whose data are remembered, and in which state of their texts."""

from msgspec import Struct


class Owner(Struct, frozen=True):
    """Whose data: those of a bucket of one database, after so many changes of the texts of its values.

    As they were read over one connection, see ReadState.
    """

    epoch: str
    connection: int
    bucket: int
    dictionary: int
