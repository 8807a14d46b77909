"""What the demo does with a server: looks whether there is room for it, gives it categories, takes all away again."""

from collections.abc import Collection
from typing import Any, Protocol

from dayline.demo import mark
from dayline.demo.categories import demo_classes
from dayline.model.errors import Conflict

_CLASSES = "/api/0/settings/classes"


class Calls(Protocol):
    """Whoever answers calls."""

    def call(self, method: str, path: str, body: object = None, **query: object) -> Any: ...


def check_room(server: Calls, ids: Collection[str], *, where: str, is_forced: bool) -> None:
    """Raises Conflict where invented activity would be mixed with what was recorded."""
    buckets: dict[str, dict[str, Any]] = server.call("GET", "/api/0/buckets/")
    recorded = [bucket_id for bucket_id, bucket in buckets.items() if not is_demo(bucket)]
    taken = [bucket_id for bucket_id in recorded if bucket_id in ids]
    apart = "dayline demo --serve shows it apart from your data"
    if taken:
        # Not even when forced: nobody could take the invented events out of it again.
        raise Conflict(f"{where} has a bucket {taken[0]!r} already that is not of the demo", hint=apart)
    if recorded and not is_forced:
        raise Conflict(
            f"{where} has recorded something already: {len(recorded)} buckets",
            hint=f"{apart}, dayline demo --database demo.db puts it into a file of its own, --force beside your data",
        )


def set_categories(server: Calls) -> bool:
    """Set the demo's categories where there are none; whether that was so."""
    if server.call("GET", _CLASSES) is not None:
        return False
    server.call("POST", _CLASSES, demo_classes())
    return True


def is_demo(bucket: dict[str, Any]) -> bool:
    """Whether a bucket is the demo's."""
    return mark.is_demo(bucket.get("data"))
