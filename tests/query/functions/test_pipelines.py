"""Functions one after the other agree with the slow ones, and none changes what it is given."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dayline.query.columns.json import event_pages
from dayline.query.columns.table import Table
from tests.query.functions.steps import Events, Step, steps
from tests.query.functions.strategies import event_parts
from tests.query.reference.events import Event, without_negative_durations
from tests.support.profile import examples
from tests.support.query.tables import plain, table_of_parts

Parts = list[list[Event]]
# A step, and which of the lists that there are it works on.
MatchedRows = tuple[Step, int, int]


def frozen(table: Table) -> Table:
    """The same table; to change it in place is an error from now on."""
    for column in (table.start, table.end, table.id, table.value):
        column.flags.writeable = False
    return table


@given(
    st.lists(event_parts(max_size=8), min_size=2, max_size=2),
    st.lists(st.tuples(steps, st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=6),
)
@settings(max_examples=examples(1000))
def test_pipelines_agree_with_the_reference(inputs: list[Parts], chosen: list[MatchedRows]) -> None:
    slow: list[Events] = [without_negative_durations(event for part in parts for event in part) for parts in inputs]
    fast = [frozen(table_of_parts(parts)) for parts in inputs]

    for step, one, other in chosen:
        # Mostly the newest list, now and then any.
        first, second = max(len(slow) - 1 - one % 4, 0), other % len(slow)
        slow.append(step.slow(slow[first], slow[second]))
        fast.append(frozen(step.fast(fast[first], fast[second])))

    # Only now: what was made first must still be the same after all the others have been made from it.
    assert [plain(table) for table in fast] == [plain(events) for events in slow]


def test_freezing_a_table_rejects_changes() -> None:
    table = frozen(table_of_parts([[Event(1, 1, {}, 1)]]))

    assert not table.start.flags.writeable
    assert b"".join(event_pages(table)) == (
        b'{"id":1,"timestamp":"1970-01-01T00:00:00.000001Z","duration":1e-06,"data":{}}'
    )
    assert np.array_equal(table.end, [2])
