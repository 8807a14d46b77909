"""The function that merges heartbeats: it locks their buckets, merges in order of arrival, and writes what came of it.

One call is one round trip, and nothing waits for a server while a bucket is locked. What is given and returned stands
at the place of its heartbeat (`i`), what is known of a bucket at that of the bucket (`b`).

Its plans are made once for a connection, perhaps while the tables are empty: so every statement leaves the planner one
way, by a key, and what is no key is turned off.
"""

from typing import Final

from dayline.storage.postgres.schema.beat_merging import MERGING

_HEAD: Final = """
CREATE FUNCTION beat(
    whose text, server_id uuid, commit_number bigint, commit_part integer,
    names text[],                                       -- of buckets, or aliases
    named integer[],                                    -- which of them a heartbeat is for
    starts bigint[], durations bigint[], pulsetimes bigint[], hashes bigint[], texts text[],
    tokens text[], token_beats integer[], untils bigint[], moment bigint,
    OUT ids bigint[],                                   -- NULL: there is no such bucket; 0: a token was used before
    OUT begins bigint[], OUT lengths bigint[],
    OUT other_beats integer[], OUT other_texts text[],  -- of events that have other texts than their heartbeats
    OUT grown bigint[], OUT versions bigint[], OUT firsts bigint[], OUT lasts bigint[]
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_material = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    name_keys bigint[]; places integer[]; numbers bigint[]; are_known boolean[];
    bucket_key bigint[]; bucket_version bigint[]; bucket_first bigint[]; bucket_last bigint[];
    last_start bigint[]; last_id bigint[]; last_duration bigint[]; last_value bigint[];
    longest_known bigint[]; reach_known bigint[];
    row_of integer[];                                   -- the row that its last event is written from, 0 for none
    row_bucket integer[]; row_start bigint[]; row_id bigint[]; row_duration bigint[]; row_value bigint[];
    month_bucket integer[]; month_start bigint[]; month_events integer[]; month_longest bigint[]; month_reach bigint[];
    rows_made integer := 0;
    events_made bigint := 0;                            -- until their ids are taken, new events have -1, -2, …
    base bigint := 0;
    b integer; written integer; began bigint; lasted bigint; number bigint; last record; last_text text;
    is_merged boolean; is_unbound boolean;
BEGIN
    PERFORM set_config('dayline.tenant', '=' || whose, true);
    ids := array_fill(NULL::bigint, ARRAY[cardinality(named)]);
    begins := ids;
    lengths := ids;
"""

_TOKENS: Final = """
    FOR t IN 1 .. cardinality(tokens) LOOP
        CONTINUE WHEN ids[token_beats[t]] = 0;
        INSERT INTO once(tenant, token, until) VALUES(whose, tokens[t], untils[t]) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            ids[token_beats[t]] := 0;
        END IF;
    END LOOP;
    IF cardinality(tokens) > 0 THEN  -- more than come, so that those whose time is over do not gather
        DELETE FROM once WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM once WHERE tenant = whose AND until < moment
            ORDER BY until LIMIT 4 * cardinality(tokens) FOR UPDATE SKIP LOCKED
        ));
    END IF;
"""

_LOCK: Final = """
    SELECT array_agg(coalesce(
        (SELECT key FROM bucket WHERE tenant = whose AND id = given.name AND deleted IS NULL),
        (SELECT bucket FROM alias WHERE tenant = whose AND id = given.name)
    )) INTO name_keys FROM unnest(names) AS given(name);
    SELECT array_agg(key), array_agg(version), array_agg(first_start), array_agg(last_end),
        array_agg(tail_start), array_agg(tail_id), array_agg(tail_duration), array_agg(tail_value),
        array_agg(tail_longest), array_agg(tail_reach), array_agg(tail_version = version), array_agg(0)
    INTO bucket_key, bucket_version, bucket_first, bucket_last, last_start, last_id, last_duration, last_value,
        longest_known, reach_known, are_known, row_of
    FROM (SELECT DISTINCT key FROM unnest(name_keys) AS given(key) ORDER BY key) AS wanted(place)
    CROSS JOIN LATERAL (
        -- Not `IS NULL`: with that the index of names would do, all of it.
        SELECT * FROM bucket WHERE tenant = whose AND key = wanted.place AND coalesce(deleted, 0) = 0 FOR UPDATE
    ) AS locked;
    FOR n IN 1 .. cardinality(names) LOOP
        places[n] := array_position(bucket_key, name_keys[n]);
    END LOOP;
    SELECT array_agg((
        SELECT key FROM value WHERE tenant = whose AND hash = given.hash
        AND bucket::float8 = bucket_key[places[given.name]] AND salt >= 0 AND json = given.text LIMIT 1
    )) INTO numbers FROM unnest(named, hashes, texts) AS given(name, hash, text);
"""

_WRITE: Final = """
    IF events_made > 0 THEN
        UPDATE tenant SET next_event_id = next_event_id + events_made WHERE id = whose
        RETURNING next_event_id - events_made - 1 INTO base;
        FOR i IN 1 .. cardinality(named) LOOP
            IF ids[i] < 0 THEN
                ids[i] := base - ids[i];
            END IF;
        END LOOP;
        INSERT INTO event(tenant, bucket, start, id, duration, value)
        SELECT whose, bucket_key[place], start, base - id, duration, value
        FROM unnest(row_bucket, row_start, row_id, row_duration, row_value) AS made(place, start, id, duration, value)
        WHERE id < 0;
    END IF;
    IF rows_made > events_made THEN
        INSERT INTO event(tenant, bucket, start, id, duration, value)
        SELECT whose, bucket_key[place], start, id, duration, value
        FROM unnest(row_bucket, row_start, row_id, row_duration, row_value) AS made(place, start, id, duration, value)
        WHERE id > 0
        ON CONFLICT (tenant, bucket, start, id) DO UPDATE SET duration = excluded.duration;
    END IF;
    IF month_bucket IS NOT NULL THEN
        INSERT INTO month AS kept (tenant, bucket, month, events, longest, reach)
        SELECT whose, bucket_key[place], month_of(start), sum(events), max(longest), max(reach)
        FROM unnest(month_bucket, month_start, month_events, month_longest, month_reach)
            AS new(place, start, events, longest, reach)
        GROUP BY place, month_of(start)
        ON CONFLICT (tenant, bucket, month) DO UPDATE SET
            events = kept.events + excluded.events,
            longest = greatest(kept.longest, excluded.longest), reach = greatest(kept.reach, excluded.reach),
            changes = kept.changes + kept.is_sealed::integer, is_sealed = false;
    END IF;
"""

# Buckets too are written by their key, as rows to insert that are all there already, and locked. A bucket in which
# every heartbeat lay inside its last event stays as it was.
_CLOSE: Final = """
    FOR b IN 1 .. coalesce(cardinality(bucket_key), 0) LOOP
        CONTINUE WHEN row_of[b] = 0;
        IF last_id[b] < 0 THEN
            last_id[b] := base - last_id[b];
        END IF;
        grown := grown || bucket_key[b]; versions := versions || bucket_version[b] + 1;
        firsts := firsts || bucket_first[b]; lasts := lasts || bucket_last[b];
    END LOOP;
    INSERT INTO bucket(tenant, key, id, type, client, hostname, created, data, version, first_start, last_end,
        tail_start, tail_id, tail_duration, tail_value, tail_longest, tail_reach, tail_version)
    SELECT whose, key, '', '', '', '', 0, '', version + 1, begin_at, end_at, start, event, duration, value, longest,
        reach, version + 1
    FROM unnest(bucket_key, row_of, bucket_version, bucket_first, bucket_last, last_start, last_id, last_duration,
        last_value, longest_known, reach_known)
        AS new(key, made, version, begin_at, end_at, start, event, duration, value, longest, reach)
    WHERE made > 0
    ON CONFLICT (tenant, key) DO UPDATE SET version = excluded.version,
        first_start = excluded.first_start, last_end = excluded.last_end,
        tail_start = excluded.tail_start, tail_id = excluded.tail_id, tail_duration = excluded.tail_duration,
        tail_value = excluded.tail_value, tail_longest = excluded.tail_longest, tail_reach = excluded.tail_reach,
        tail_version = excluded.tail_version;
    FOR t IN 1 .. cardinality(tokens) LOOP  -- what was not found may come again when the reason is gone
        DELETE FROM once WHERE tenant = whose AND token = tokens[t] AND ids[token_beats[t]] IS NULL;
    END LOOP;
    INSERT INTO commit_mark AS kept VALUES(server_id, commit_part, commit_number, 0, now(), ids, begins, lengths)
    ON CONFLICT (server, part) DO UPDATE SET number = excluded.number, try = excluded.try, made = excluded.made,
        ids = excluded.ids, starts = excluded.starts, durations = excluded.durations
    WHERE kept.number < excluded.number;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'commit % was made before', commit_number USING ERRCODE = 'DLCMT';
    END IF;
END
$$;
"""

BEAT: Final = _HEAD + _TOKENS + _LOCK + MERGING + _WRITE + _CLOSE
