"""Undoes one act in one transaction, whatever its kind. Of large merges, and their undoing, it is the beginning."""

from typing import Final

from dayline.model.trash import Undone
from dayline.storage.history.act import Act
from dayline.storage.postgres.history import moves, undoing
from dayline.storage.postgres.history.aliases import is_taken
from dayline.storage.postgres.rows import acts
from dayline.storage.postgres.rows.slices import check_done
from dayline.storage.postgres.writing.turn import Turn

_LOCK: Final = """
SELECT id FROM bucket WHERE tenant = %(tenant)s AND (key = ANY(%(keys)s) OR (id = %(id)s AND deleted IS NULL))
ORDER BY key FOR UPDATE
"""


def undo_act(turn: Turn, act: Act, *, is_merging: bool) -> Undone:
    """Restore what an act has changed; raises Gone or Conflict, with nothing changed."""
    # The bucket, the one that it was merged into, and the one that was made again in its place.
    parts = [part.bucket_key for part in acts.parts_of(turn.db, turn.tenant, act.key)]
    keys = [key for key in (act.bucket_key, act.detail.get("target"), *parts) if key is not None]
    turn.db.execute(_LOCK, {"tenant": turn.tenant, "keys": keys, "id": act.bucket})
    found = acts.lock(turn, act.key)  # as it is now: two may undo the same at once
    check_done(turn, found)
    match found.kind:
        case "rename_bucket":
            return moves.undo_rename(turn, found)
        case "rehost_bucket":
            return moves.undo_rehost(turn, found)
        case "merge_buckets":
            return moves.undo_merge(turn, found)
        case "remove_alias":
            return moves.undo_remove_alias(turn, found)
        case "delete_bucket":
            return _bring_back(turn, found, is_merging=is_merging)
        case "delete_buckets":
            undoing.undo_deletions(turn, found)
        case "update_bucket":
            undoing.undo_update(turn, found)
        case "split_event":
            undoing.undo_split(turn, found)
        case _:
            undoing.undo_events(turn, found)
    return _undone(found)


def _bring_back(turn: Turn, act: Act, *, is_merging: bool) -> Undone:
    """Bring a deleted bucket back; where its id was given to a new one meanwhile, both become one."""
    if not (is_merging and is_taken(turn.db, turn.tenant, act.bucket)):
        undoing.undo_deletion(turn, act)
        return _undone(act)
    moves.merge_restored(turn, act)
    acts.end_undoing(turn, act.key)
    return _undone(act, is_merged=True)


def _undone(act: Act, *, is_merged: bool = False) -> Undone:
    return Undone(id=act.key, kind=act.kind, bucket=act.bucket, events=act.events, merged=is_merged)
