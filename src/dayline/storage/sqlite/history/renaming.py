"""Renaming a bucket, and moving it to another host, inside the writer's transaction. Both take no time at all."""

from typing import Any

from dayline.model.bucket import check_bucket_id
from dayline.model.errors import Conflict
from dayline.model.time import Microseconds
from dayline.storage.history.undo_log import Act
from dayline.storage.sqlite.history import aliases
from dayline.storage.sqlite.history.aliases import Before
from dayline.storage.sqlite.history.undoing import bucket_of
from dayline.storage.sqlite.rows import undo_log
from dayline.storage.sqlite.writing.catalogue import BucketState
from dayline.storage.sqlite.writing.changes import check_idle, set_fields
from dayline.storage.sqlite.writing.transaction import Changes


def rename_bucket(changes: Changes, state: BucketState, new_id: str, *, keeps_alias: bool, now: Microseconds) -> int:
    """Give a bucket another id; what undoes it. Raises Conflict where that is taken."""
    former = state.bucket.id
    before = _rename(changes, state, new_id, keeps_alias=keeps_alias, now=now)
    return undo_log.begin(
        changes.db,
        "rename_bucket",
        now=now,
        bucket=former,
        bucket_key=state.key,
        detail={"aliases": before, "other": new_id, "before": {}, "after": {}},
    )


def rehost_bucket(changes: Changes, state: BucketState, hostname: str, *, new_id: str, now: Microseconds) -> int:
    """Give a bucket another host name, and another id where that differs; what undoes both."""
    former, before_fields = state.bucket.id, {"hostname": state.bucket.hostname}
    before = _rename(changes, state, new_id, keeps_alias=True, now=now) if new_id != former else {}
    set_fields(changes, state, {"hostname": hostname})
    return undo_log.begin(
        changes.db,
        "rehost_bucket",
        now=now,
        bucket=former,
        bucket_key=state.key,
        detail={"aliases": before, "other": new_id, "before": before_fields, "after": {"hostname": hostname}},
    )


def rehosted_id(bucket_id: str, hostname: str, new_hostname: str) -> str:
    """The id of a bucket at its new host: watchers end it with the name of the host."""
    ending = f"_{hostname}"
    if not hostname or not bucket_id.endswith(ending):
        return bucket_id
    return f"{bucket_id.removesuffix(ending)}_{new_hostname}"


def undo_renaming(changes: Changes, act: Act) -> None:
    """Give a bucket its former id back, and with it its former fields and aliases."""
    state = bucket_of(changes, act)
    new_id: str = act.detail["other"]
    if state.bucket.id != new_id:
        raise _changed_again(new_id)
    after: dict[str, Any] = act.detail["after"]
    if any(getattr(state.bucket, field) != value for field, value in after.items()):
        raise _changed_again(new_id)
    if act.bucket != new_id:
        aliases.check_free(changes, act.bucket, act=act, but_for=state)
        check_idle(changes, state.key)
        _set_id(changes, state, act.bucket)
    aliases.put_back(changes, aliases.before_of(act))
    if act.detail["before"]:
        set_fields(changes, state, act.detail["before"])
    undo_log.set_state(changes.db, act.key, "undone")


def check_new_id(changes: Changes, state: BucketState, new_id: str) -> None:
    """Raise Conflict where another bucket has this id, or is found under it."""
    if changes.catalogue.has(new_id):
        raise Conflict(
            f"there is a bucket {new_id!r} already",
            hint=f"merge into it: POST /api/1/buckets/{state.bucket.id}/merge",
            field="id",
        )
    other = changes.catalogue.by_alias(new_id)
    if other is not None and other is not state:
        raise Conflict(
            f"{new_id!r} is an alias of bucket {other.bucket.id!r}",
            hint=f"remove it first: DELETE /api/1/aliases/{new_id}",
            field="id",
        )


def _rename(changes: Changes, state: BucketState, new_id: str, *, keeps_alias: bool, now: Microseconds) -> Before:
    """Change the id; where the aliases led to before that changed with it."""
    check_bucket_id(new_id)
    check_new_id(changes, state, new_id)
    check_idle(changes, state.key)  # the end of undoing a merge needs the id of the source
    former = state.bucket.id
    before = aliases.set_aliases(changes, [new_id], None, now=now)
    before |= aliases.set_aliases(changes, [former], state.key if keeps_alias else None, now=now)
    _set_id(changes, state, new_id)
    return before


def _set_id(changes: Changes, state: BucketState, bucket_id: str) -> None:
    changes.db.execute("UPDATE bucket SET id = ? WHERE key = ?", (bucket_id, state.key))
    changes.tell(state.bucket.id, "renamed")  # under both ids: a key may be for one of them
    changes.catalogue.rename(state, bucket_id)
    changes.touched.add(state)
    changes.tell(bucket_id, "renamed")


def _changed_again(bucket_id: str) -> Conflict:
    return Conflict(
        f"bucket {bucket_id!r} was changed again since",
        hint="undo the later change first: GET /api/1/trash lists them",
    )
