"""SQL that converts redactions of schema 2: events that were moved to other values get values of their own back."""

from typing import Final

# The owner changes rows of all tenants while row security is not forced on these.
_TABLES: Final = (
    "bucket", "value", "event", "month", "operation", "operation_event", "redaction", "redaction_change",
    "redacted_value", "redacted_event", "replaced_event", "pack", "segment",
)  # fmt: skip

_LATER: Final = """
    -- Events that were given a value after the redaction, now or in the undo log.
    CREATE TEMP TABLE later ON COMMIT DROP AS
    SELECT event.value, event.id, NULL::bigint AS operation FROM event
    JOIN kept ON kept.value = event.value AND kept.bucket = event.bucket
    WHERE event.tenant = whose AND CASE WHEN kept.is_moved THEN NOT is_applying
        ELSE event.id >= kept.next_id OR EXISTS (
            SELECT 1 FROM replaced_event AS other
            WHERE other.tenant = whose AND other.id = event.id AND other.redaction >= number
        ) END
    UNION ALL
    SELECT kept.value, logged.id, logged.operation FROM operation_event AS logged
    JOIN operation ON operation.tenant = whose AND operation.key = logged.operation AND operation.made > made_at
    JOIN kept ON kept.value IN (logged.value, logged.new_value) AND kept.bucket = logged.bucket
    WHERE logged.tenant = whose AND (kept.is_moved OR logged.id >= kept.next_id OR EXISTS (
        SELECT 1 FROM replaced_event AS other
        WHERE other.tenant = whose AND other.id = logged.id AND other.redaction >= number
    ));
"""

_CONVERT: Final = f"""
    CREATE TEMP TABLE kept ON COMMIT DROP AS
    SELECT old.value, old.bucket, old.next_id, old.json IS NULL AS is_moved, value.hash, value.json
    FROM redacted_value AS old
    JOIN value ON value.tenant = whose AND value.bucket = old.bucket AND value.key = old.value
    WHERE old.tenant = whose AND old.redaction = number AND (old.json IS NOT NULL OR old.hash <> 0);
{_LATER}
    -- They get a value of their own, with what newer redactions have changed.
    CREATE TEMP TABLE split ON COMMIT DROP AS
    SELECT kept.*, nextval(pg_get_serial_sequence('value', 'key')) AS fresh FROM kept
    WHERE value IN (SELECT value FROM later);
    UPDATE value SET hash = value.key, salt = 0 FROM kept
    WHERE value.tenant = whose AND value.bucket = kept.bucket AND value.key = kept.value;
    INSERT INTO value(tenant, bucket, key, hash, json)
    SELECT whose, bucket, fresh, CASE WHEN hash = value THEN fresh ELSE hash END, json FROM split
    ON CONFLICT (tenant, hash, (bucket::float8), salt) DO NOTHING;
    INSERT INTO value(tenant, bucket, key, hash, json)
    SELECT whose, bucket, fresh, fresh, json FROM split WHERE NOT EXISTS (
        SELECT 1 FROM value WHERE value.tenant = whose AND value.bucket = split.bucket AND value.key = split.fresh
    );
    INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
    SELECT whose, old.bucket, old.redaction, split.fresh,
        CASE WHEN old.hash = old.value THEN split.fresh ELSE old.hash END, old.json, 0
    FROM redacted_value AS old JOIN split ON split.value = old.value AND split.bucket = old.bucket
    WHERE old.tenant = whose AND old.redaction > number AND old.json IS NOT NULL;
    UPDATE event SET value = split.fresh FROM later JOIN split ON split.value = later.value
    WHERE later.operation IS NULL AND event.tenant = whose AND event.bucket = split.bucket AND event.id = later.id
    AND event.value = split.value;
    UPDATE operation_event AS logged SET value = split.fresh FROM later JOIN split ON split.value = later.value
    WHERE logged.tenant = whose AND logged.operation = later.operation AND logged.id = later.id
    AND logged.value = split.value;
    UPDATE operation_event AS logged SET new_value = split.fresh FROM later JOIN split ON split.value = later.value
    WHERE logged.tenant = whose AND logged.operation = later.operation AND logged.id = later.id
    AND logged.new_value = split.value;

    -- A value whose events were moved gets the text of the value that they were moved to, and its newer changes.
    CREATE TEMP TABLE moved ON COMMIT DROP AS
    SELECT kept.value, kept.bucket, events.target,
        coalesce(newer.hash, kept.hash) AS hash, coalesce(newer.json, kept.json) AS json
    FROM kept LEFT JOIN (
        SELECT bucket, value, max(target) AS target FROM redacted_event
        WHERE tenant = whose AND redaction = number GROUP BY bucket, value
    ) AS events ON events.value = kept.value AND events.bucket = kept.bucket
    LEFT JOIN LATERAL (
        SELECT hash, json FROM redacted_value AS old
        WHERE old.tenant = whose AND old.bucket = kept.bucket AND old.value = kept.value AND old.redaction > number
        AND old.json IS NOT NULL ORDER BY old.redaction LIMIT 1
    ) AS newer ON true
    WHERE kept.is_moved;
    DELETE FROM redacted_value AS old USING moved
    WHERE old.tenant = whose AND old.redaction > number AND old.bucket = moved.bucket AND old.value = moved.value;
    INSERT INTO redacted_value(tenant, bucket, redaction, value, hash, json, next_id)
    SELECT whose, newer.bucket, newer.redaction, moved.value, moved.value, newer.json, 0
    FROM redacted_value AS newer JOIN moved ON moved.target = newer.value AND moved.bucket = newer.bucket
    WHERE newer.tenant = whose AND newer.redaction > number AND newer.json IS NOT NULL;
    UPDATE redacted_value AS old SET hash = moved.hash, json = moved.json FROM moved
    WHERE old.tenant = whose AND old.redaction = number AND old.bucket = moved.bucket AND old.value = moved.value;
    UPDATE value SET json = coalesce((
        SELECT target.json FROM value AS target
        WHERE target.tenant = whose AND target.bucket = moved.bucket AND target.key = moved.target
    ), '{{}}') FROM moved WHERE value.tenant = whose AND value.bucket = moved.bucket AND value.key = moved.value;

    -- Moved events get their values back.
    UPDATE event SET value = old.value FROM redacted_event AS old
    WHERE old.tenant = whose AND old.redaction = number
    AND event.tenant = whose AND event.bucket = old.bucket AND event.id = old.id AND event.value = old.target;
    UPDATE operation_event AS logged SET
        value = CASE WHEN logged.value = old.target THEN old.value ELSE logged.value END,
        new_value = CASE WHEN logged.new_value = old.target THEN old.value ELSE logged.new_value END
    FROM redacted_event AS old, operation
    WHERE old.tenant = whose AND old.redaction = number AND old.target IS NOT NULL
    AND logged.tenant = whose AND logged.id = old.id
    AND operation.tenant = whose AND operation.key = logged.operation AND operation.made > made_at;
    DELETE FROM redacted_event WHERE tenant = whose AND redaction = number AND target IS NOT NULL;
    DELETE FROM redacted_value WHERE tenant = whose AND redaction = number AND json IS NULL;
    DROP TABLE kept, later, split, moved;
"""


def _forced(word: str) -> str:
    return "".join(f"    ALTER TABLE {table} {word} ROW LEVEL SECURITY;\n" for table in _TABLES)


REDACTED_IN_PLACE: Final = f"""
DO $$
DECLARE
    whose text; number bigint; made_at bigint; is_applying boolean;
BEGIN
    IF to_regclass('replaced_event') IS NULL THEN
        RETURN;
    END IF;
{_forced("NO FORCE")}
    UPDATE value SET hash = key, salt = 0 WHERE salt < 0;
    FOR whose, number, made_at, is_applying IN
        SELECT tenant, key, made, state = 'applying' FROM redaction
        WHERE state IN ('applying', 'applied', 'undoing') OR has_rest ORDER BY tenant, key DESC
    LOOP
{_CONVERT}
    END LOOP;
    UPDATE bucket SET dictionary = dictionary + 1, version = version + 1 WHERE EXISTS (
        SELECT 1 FROM redacted_value AS old WHERE old.tenant = bucket.tenant AND old.bucket = bucket.key
    );
    UPDATE month SET is_sealed = false, changes = changes + 1 WHERE is_sealed AND EXISTS (
        SELECT 1 FROM redacted_value AS old WHERE old.tenant = month.tenant AND old.bucket = month.bucket
    );
    DELETE FROM redacted_value WHERE json IS NULL;
    DELETE FROM redacted_event WHERE target IS NOT NULL;
{_forced("FORCE")}
    DROP TABLE replaced_event;
    ALTER TABLE redacted_event DROP COLUMN target;
    ALTER TABLE redacted_value DROP COLUMN next_id, ALTER COLUMN json SET NOT NULL;
    ALTER TABLE redaction_plan DROP COLUMN next_id;
    ALTER TABLE redaction_change DROP COLUMN is_moved, DROP COLUMN hash;
    ALTER TABLE redaction_change ADD PRIMARY KEY (tenant, bucket, plan, value);
END
$$;
"""
