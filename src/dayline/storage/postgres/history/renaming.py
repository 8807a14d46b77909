"""Renaming a bucket, and moving it to another host, in one transaction. Both take no time at all."""

from typing import Any

import msgspec
import psycopg

from dayline.model.bucket import check_bucket_id
from dayline.model.errors import Conflict
from dayline.model.time import Microseconds
from dayline.storage.history.undo_log import Act
from dayline.storage.postgres.history import aliases
from dayline.storage.postgres.history.aliases import Before
from dayline.storage.postgres.history.undoing import bucket_of
from dayline.storage.postgres.rows import undo_log
from dayline.storage.postgres.writing.changes import check_idle, set_fields
from dayline.storage.postgres.writing.transaction import Found, Turn


def rename_bucket(turn: Turn, state: Found, new_id: str, *, keeps_alias: bool, now: Microseconds) -> int:
    """Give a locked bucket another id; what undoes it. Raises Conflict where that is taken."""
    former = state.bucket.id
    before = _rename(turn, state, new_id, keeps_alias=keeps_alias, now=now)
    return undo_log.begin(
        turn,
        "rename_bucket",
        now=now,
        bucket=former,
        bucket_key=state.key,
        detail={"aliases": before, "other": new_id, "before": {}, "after": {}},
    )


def rehost_bucket(turn: Turn, state: Found, hostname: str, *, new_id: str, now: Microseconds) -> int:
    """Give a locked bucket another host name, and another id where that differs; what undoes both."""
    former, before_fields = state.bucket.id, {"hostname": state.bucket.hostname}
    before = _rename(turn, state, new_id, keeps_alias=True, now=now) if new_id != former else {}
    set_fields(turn, state, {"hostname": hostname})
    return undo_log.begin(
        turn,
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


def undo_renaming(turn: Turn, act: Act) -> None:
    """Give a bucket its former id back, and with it its former fields and aliases."""
    state = bucket_of(turn, act)
    new_id: str = act.detail["other"]
    if state.bucket.id != new_id:
        raise _changed_again(new_id)
    after: dict[str, Any] = act.detail["after"]
    if any(getattr(state.bucket, field) != value for field, value in after.items()):
        raise _changed_again(new_id)
    if act.bucket != new_id:
        aliases.check_free(turn, act.bucket, act=act, but_for=state.key)
        check_idle(turn, state.key)
        _set_id(turn, state, act.bucket)
    aliases.put_back(turn, aliases.before_of(act))
    if act.detail["before"]:
        set_fields(turn, state, act.detail["before"])
    undo_log.end_undoing(turn, act.key)


def _rename(turn: Turn, state: Found, new_id: str, *, keeps_alias: bool, now: Microseconds) -> Before:
    """Change the id; where the aliases led to before that changed with it."""
    check_bucket_id(new_id)
    _check_new_id(turn, state, new_id)
    check_idle(turn, state.key)  # the end of undoing a merge needs the id of the source
    former = state.bucket.id
    before = aliases.set_aliases(turn, [new_id], None, now=now)
    before |= aliases.set_aliases(turn, [former], state.key if keeps_alias else None, now=now)
    _set_id(turn, state, new_id)
    return before


def _check_new_id(turn: Turn, state: Found, new_id: str) -> None:
    """Raise Conflict where another bucket has this id, or is found under it."""
    if aliases.is_taken(turn.db, turn.tenant, new_id):
        raise _is_there_already(state, new_id)
    other = aliases.holder_of(turn, new_id)
    if other is not None and other.key != state.key:
        raise Conflict(
            f"{new_id!r} is an alias of bucket {other.id!r}",
            hint=f"remove it first: DELETE /api/1/aliases/{new_id}",
            field="id",
        )


def _set_id(turn: Turn, state: Found, bucket_id: str) -> None:
    try:
        turn.db.execute("UPDATE bucket SET id = %s WHERE tenant = %s AND key = %s", (bucket_id, turn.tenant, state.key))
    except psycopg.errors.UniqueViolation as error:  # another server was quicker
        raise _is_there_already(state, bucket_id) from error
    turn.tell(state.bucket.id, "renamed")  # under both ids: a key may be for one of them
    state.bucket = msgspec.structs.replace(state.bucket, id=bucket_id)
    turn.touch(state.key)
    turn.tell(bucket_id, "renamed")


def _is_there_already(state: Found, new_id: str) -> Conflict:
    return Conflict(
        f"there is a bucket {new_id!r} already",
        hint=f"merge into it: POST /api/1/buckets/{state.bucket.id}/merge",
        field="id",
    )


def _changed_again(bucket_id: str) -> Conflict:
    return Conflict(
        f"bucket {bucket_id!r} was changed again since",
        hint="undo the later change first: GET /api/1/trash lists them",
    )
