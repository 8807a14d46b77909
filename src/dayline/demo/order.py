"""A part of the demo that somebody wants as a document: python -m dayline.demo.writing FILE, with this as its input."""

from datetime import datetime
from typing import Final

from msgspec import Struct

SEED: Final = 7
DEVICES: Final = 3


class DemoOrder(Struct, frozen=True, kw_only=True):
    """So many days in a time zone, up to a moment; `skipped` days before it are left out."""

    until: datetime
    days: int
    skipped: int = 0
    zone: str
    seed: int = SEED
    devices: int = DEVICES
