"""A copy from one database to another, whichever kinds they are."""

from contextlib import ExitStack
from pathlib import Path

from dayline.care.database_copy import CopyProof, copy_database, prove
from dayline.cli.postgres_library import postgres_library
from dayline.cli.progress import progress_of
from dayline.storage.sqlite.transfer.copying import copied_file, new_file
from dayline.storage.transfer.copying import Copied, CopyTarget


def copied(source: Path | str, target: Path | str, *, tenant: str = "") -> CopyProof:
    """Copy everything of one person from one database into another; it is kept if both sides are the same."""
    with ExitStack() as stack:
        theirs = _source(stack, source, tenant)
        ours = _target(stack, target, tenant)
        total = theirs.count_events()
        with progress_of("copying", total) as advance:
            copy_database(theirs, ours, on_events=advance)
        with progress_of("comparing", total) as advance:
            proof = prove(theirs, ours, on_events=advance)
        if proof.is_proven:
            ours.keep()
    return proof


def _source(stack: ExitStack, place: Path | str, tenant: str) -> Copied:
    if isinstance(place, Path):
        return stack.enter_context(copied_file(place.absolute()))
    with postgres_library():
        from dayline.storage.postgres.transfer.copying import copied_tenant  # an extra
    return stack.enter_context(copied_tenant(place, tenant))


def _target(stack: ExitStack, place: Path | str, tenant: str) -> CopyTarget:
    if isinstance(place, Path):
        return stack.enter_context(new_file(place.absolute()))
    with postgres_library():
        from dayline.storage.postgres.transfer.copying import new_tenant  # an extra
    return stack.enter_context(new_tenant(place, tenant))
