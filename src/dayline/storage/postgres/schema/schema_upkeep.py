"""The step that has acts counted for each tenant, and notes of buckets until when they are thinned."""

from typing import Final

from dayline.storage.postgres.schema.schema_step import Step

_TABLES: Final = """
-- Gaps in a common count would tell how much the others do. Who is there already goes on behind it.
DO $$
BEGIN
    EXECUTE format(
        'ALTER TABLE tenant ADD COLUMN next_act bigint NOT NULL DEFAULT %s',
        (SELECT last_value + is_called::integer FROM act_key_seq)
    );
END
$$;
ALTER TABLE tenant ALTER COLUMN next_act SET DEFAULT 1;
ALTER TABLE act ALTER COLUMN key DROP IDENTITY;

-- Before this moment the events of an hour lie where they lie by chance.
ALTER TABLE bucket ADD COLUMN thinned bigint NOT NULL DEFAULT 0;
"""

UPKEEP: Final = Step(tables=_TABLES, is_additive=False)
