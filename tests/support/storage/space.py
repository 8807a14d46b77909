"""Buckets of a given size, and the sum of the parts of a space report."""

from dayline.model.upkeep.space import FileSpace
from dayline.storage.store import Store
from tests.support.storage.opened import beat, bucket


async def fill_bucket(store: Store, bucket_id: str, events: int) -> None:
    await store.create_bucket(bucket(bucket_id))
    for first in range(0, events, 500):
        some = [beat(60 * number, app=f"{bucket_id} {number % 997}") for number in range(first, first + 500)]
        await store.insert(bucket_id, some[: events - first])


def together(space: FileSpace) -> int:
    parts = space.parts
    return (
        parts.events + parts.values + parts.trash + parts.redactions
        + parts.audit + parts.unused + parts.free + parts.other
    )  # fmt: skip
