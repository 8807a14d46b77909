"""Lists of events one after the other."""

from collections.abc import Sequence

import numpy as np

from dayline.query.dictionaries import join
from dayline.query.table import Table, no_events


def concatenate(tables: Sequence[Table]) -> Table:
    """The events of all lists, in the order given."""
    tables = [table for table in tables if len(table)]
    if len(tables) < 2:
        return tables[0] if tables else no_events()
    data, new_codes = join([table.data for table in tables])
    return Table(
        np.concatenate([table.start for table in tables]),
        np.concatenate([table.end for table in tables]),
        np.concatenate([table.id for table in tables]),
        np.concatenate([codes[table.value] for table, codes in zip(tables, new_codes, strict=True)]),
        data,
    )
