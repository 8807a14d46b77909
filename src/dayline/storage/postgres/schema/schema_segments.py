"""The tables of derived data: months that are over as packed columns, and the distinct data that they have.

All of it can be dropped at any time, and is built again. A step that changes what is packed clears both tables.
"""

from typing import Final

from dayline.storage.postgres.schema.schema_step import SCHEMA, Step

_TABLES: Final = f"""
-- Values are numbered within their bucket in the order of packing; where that begins anew, it is another generation.
CREATE TABLE pack(
    tenant text NOT NULL,
    bucket bigint NOT NULL,
    generation bigint NOT NULL,
    first integer NOT NULL,         -- the number of its first value in the bucket
    count integer NOT NULL,
    packed bytea NOT NULL,
    PRIMARY KEY(tenant, bucket, generation, first, count)
);
CREATE TABLE segment(
    tenant text NOT NULL,
    bucket bigint NOT NULL,
    month integer NOT NULL,
    version bigint NOT NULL,        -- the month's count of changes
    generation bigint NOT NULL,     -- of the packs that its values are in
    packed bytea NOT NULL,
    PRIMARY KEY(tenant, bucket, month, version, generation)
);
-- They are compressed already.
ALTER TABLE pack ALTER COLUMN packed SET STORAGE EXTERNAL;
ALTER TABLE segment ALTER COLUMN packed SET STORAGE EXTERNAL;

-- Packs hold texts. Where some of a bucket are changed or removed, nothing of them is to be left here.
CREATE FUNCTION forget_packs() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    place record;
BEGIN
    FOR place IN SELECT DISTINCT tenant, bucket FROM changed ORDER BY bucket LOOP
        PERFORM 1 FROM {SCHEMA}.bucket WHERE tenant = place.tenant AND key = place.bucket FOR UPDATE;
        DELETE FROM {SCHEMA}.segment WHERE tenant = place.tenant AND bucket = place.bucket;
        DELETE FROM {SCHEMA}.pack WHERE tenant = place.tenant AND bucket = place.bucket;
    END LOOP;
    RETURN NULL;
END
$$;
CREATE TRIGGER forget_changed AFTER UPDATE ON value REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION forget_packs();
CREATE TRIGGER forget_removed AFTER DELETE ON value REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION forget_packs();
"""

# A server that knows nothing of segments would extend the last event of a sealed month without unsealing that.
SEGMENTS: Final = Step(tables=_TABLES, of_tenants=("pack", "segment"), is_additive=False)
