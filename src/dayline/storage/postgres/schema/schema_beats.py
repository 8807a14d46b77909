"""The step that has heartbeats merged in the database: what a bucket remembers of its last event, and the function.

The rules are those of `transform/heartbeat.py`, said again where the rows are: ARCHITECTURE.md has why.
"""

from typing import Final

from dayline.storage.postgres.schema.beat_function import BEAT
from dayline.storage.postgres.schema.schema_step import ROLE, SCHEMA, Step

_TABLES: Final = """
-- The rest of the event at tail_start and tail_id, and bounds of its month, so that neither has to be read. They are of
-- one version of the bucket: any other change of it makes them void.
ALTER TABLE bucket
    ADD COLUMN tail_version bigint, ADD COLUMN tail_duration bigint, ADD COLUMN tail_value bigint,
    ADD COLUMN tail_longest bigint, ADD COLUMN tail_reach bigint;

-- The last commit of a server, and what its heartbeats came to. A server that lost the connection while it committed
-- tries again with the same number: that is refused where the first try had succeeded after all, however much later
-- one of them gets there. A commit of several tenants has a part for each.
DROP TABLE commit_mark;
CREATE TABLE commit_mark(
    server uuid NOT NULL,
    part integer NOT NULL,
    number bigint NOT NULL,
    try integer NOT NULL,
    made timestamptz NOT NULL,
    ids bigint[], starts bigint[], durations bigint[],
    PRIMARY KEY(server, part)
) WITH (fillfactor = 50, toast_tuple_target = 8160);  -- not compressed: it is written by every commit and hardly read
"""

# Equal by value, as `same_data` of model/data.py has it. The texts are canonical, so that only numbers can be equal and
# look different, and then one of them ends in `.0` or has an exponent. A null character is one that jsonb cannot hold.
# One difference is left: whole numbers from 1e17 on that no double has are compared as they are written.
_SAME_DATA: Final = r"""
CREATE FUNCTION same_data(one text, other text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN one = other THEN true
        WHEN one !~ '[:,[]-?[0-9.]+(\.0|e[0-9]+)[],}]' AND other !~ '[:,[]-?[0-9.]+(\.0|e[0-9]+)[],}]' THEN false
        ELSE replace(one, '\u0000', '\u001a0')::jsonb = replace(other, '\u0000', '\u001a0')::jsonb END
$$;
"""

_FIGURES: Final = """
CREATE FUNCTION month_of(moment bigint) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
    SELECT ((extract(year FROM date '1970-01-01' + (moment / 86400000000)::integer) - 1970) * 12
        + extract(month FROM date '1970-01-01' + (moment / 86400000000)::integer) - 1)::integer
$$;
CREATE FUNCTION longest_bound(duration bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN duration <= 0 THEN 0
        ELSE greatest(64000000, 1::bigint << length(ltrim((duration - 1)::bit(64)::text, '0'))) END
$$;
"""

_RIGHTS: Final = f"GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA {SCHEMA} TO {ROLE};\n"  # where they are not everybody's

BEATS: Final = Step(tables=_TABLES + _SAME_DATA + _FIGURES + BEAT + _RIGHTS, of_all=("commit_mark",), is_additive=False)
