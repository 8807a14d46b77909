"""Bringing a deleted bucket back where its id was given to a new one meanwhile: both become one."""

from dayline.model.timestamps import Microseconds
from dayline.storage.sqlite.history import merging, undoing
from dayline.storage.sqlite.rows import acts
from dayline.storage.sqlite.writing.bucket_changes import bring_back
from dayline.storage.sqlite.writing.changes import Changes


def restore(changes: Changes, *, deletion: int, now: Microseconds) -> int | None:
    """Bring the bucket back; the act that merges the new one into it, None where there is none."""
    act = acts.find(changes.db, deletion)
    if not changes.catalogue.has(act.bucket):
        undoing.undo_deletion(changes, act)
        return None
    key = act.bucket_key or 0
    new = changes.catalogue.find(act.bucket)
    merge = merging.begin(changes, new, key, act.bucket, now=now, is_restoring=True)
    bring_back(changes, key)
    undoing.end(changes, act)
    return merge
