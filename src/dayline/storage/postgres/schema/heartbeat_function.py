"""The SQL function that merges heartbeats: locks their buckets, merges in order of arrival, writes the result."""

from typing import Final

# The part of the function `beats` that merges: one heartbeat after the other, as they arrived.
#
# last event of the bucket ──┬─ within reach and of the same data ── it lasts longer, perhaps
#                            └─ otherwise ────────────────────────── a new one, which is the last from now on


_LOOP: Final = """
    FOR i IN 1 .. cardinality(named) LOOP
        b := places[named[i]];
        CONTINUE WHEN b IS NULL OR ids[i] = 0;
"""

# The last event if it is not remembered: that of the last heartbeat, otherwise the newest.
_READ_LAST: Final = """
        IF are_known[b] IS NOT TRUE THEN
            began := last_start[b]; number := last_id[b];
            IF began IS NULL THEN
                SELECT start INTO began FROM event
                WHERE tenant = bucket_tenant[b] AND bucket = bucket_key[b] ORDER BY start DESC LIMIT 1;
                SELECT id INTO number FROM event
                WHERE tenant = bucket_tenant[b] AND bucket = bucket_key[b] AND start = began ORDER BY id LIMIT 1;
            END IF;
            SELECT duration, value INTO last FROM event
            WHERE tenant = bucket_tenant[b] AND bucket = bucket_key[b] AND start = began AND id = number;
            last_start[b] := began; last_id[b] := number;
            last_duration[b] := last.duration; last_value[b] := last.value;
            -- A sealed month has no bounds, so that a longer event unseals it.
            SELECT longest, reach INTO last FROM month
            WHERE tenant = bucket_tenant[b] AND bucket = bucket_key[b] AND month = month_of(began) AND NOT is_sealed;
            longest_known[b] := last.longest; reach_known[b] := last.reach;
            are_known[b] := true;
        END IF;
"""

_MERGE: Final = """
        began := last_start[b]; number := numbers[i]; is_merged := false;
        IF starts[i] BETWEEN began AND began + last_duration[b] + pulsetimes[i] THEN
            lasted := greatest(last_duration[b], starts[i] + durations[i] - began);
            is_merged := lasted >= 0 AND number = last_value[b];
            IF lasted >= 0 AND is_merged IS NOT TRUE THEN
                SELECT json INTO last_text FROM value
                WHERE tenant = bucket_tenant[b] AND bucket = bucket_key[b] AND key = last_value[b];
                is_merged := same_data(last_text, texts[i]);
                IF is_merged AND last_text <> texts[i] THEN
                    other_beats := other_beats || i; other_texts := other_texts || last_text;
                END IF;
            END IF;
        END IF;
"""

_EXTEND: Final = """
        IF is_merged THEN
            written := row_of[b];
            IF lasted > last_duration[b] THEN
                IF written = 0 THEN
                    rows_made := rows_made + 1; written := rows_made; row_of[b] := written;
                    row_bucket[written] := b; row_start[written] := began;
                    row_id[written] := last_id[b]; row_value[written] := last_value[b];
                END IF;
                row_duration[written] := lasted; last_duration[b] := lasted;
                is_unbound := (lasted <= longest_known[b] AND began + lasted <= reach_known[b]) IS NOT TRUE;
            ELSE
                is_unbound := false;
            END IF;
"""

_ADD: Final = """
        ELSE
            began := starts[i]; lasted := durations[i];
            IF number IS NULL THEN
                INSERT INTO value(tenant, bucket, hash, json)
                VALUES(bucket_tenant[b], bucket_key[b], hashes[i], texts[i])
                ON CONFLICT (tenant, hash, (bucket::float8), salt) DO NOTHING RETURNING key INTO number;
            END IF;
            IF number IS NULL THEN  -- it came with a heartbeat before this one,
                SELECT key INTO number FROM value WHERE tenant = bucket_tenant[b] AND hash = hashes[i]
                AND bucket::float8 = bucket_key[b] AND salt >= 0 AND json = texts[i] LIMIT 1;
            END IF;
            IF number IS NULL THEN  -- or another text has its hash
                INSERT INTO value(tenant, bucket, hash, json, salt)
                SELECT bucket_tenant[b], bucket_key[b], hashes[i], texts[i], max(salt) + 1 FROM value
                WHERE tenant = bucket_tenant[b] AND hash = hashes[i] AND bucket::float8 = bucket_key[b] AND salt >= 0
                RETURNING key INTO number;
            END IF;
            events_made := events_made + 1; rows_made := rows_made + 1; row_of[b] := rows_made;
            w := bucket_whose[b]; counted[w] := counted[w] + 1;
            row_bucket[rows_made] := b; row_start[rows_made] := began; row_id[rows_made] := -counted[w];
            row_duration[rows_made] := lasted; row_value[rows_made] := number;
            last_start[b] := began; last_id[b] := -counted[w]; last_duration[b] := lasted; last_value[b] := number;
            longest_known[b] := 0; reach_known[b] := 0;
            is_unbound := true;
        END IF;
"""

_NOTE: Final = """
        ids[i] := last_id[b]; begins[i] := began; lengths[i] := last_duration[b];
        CONTINUE WHEN row_of[b] = 0;
        bucket_first[b] := least(bucket_first[b], began); bucket_last[b] := greatest(bucket_last[b], began + lasted);
        IF is_unbound THEN
            longest_known[b] := greatest(longest_known[b], longest_bound(lasted));
            reach_known[b] := greatest(reach_known[b], began + lasted + 3600000000);
            month_bucket := month_bucket || b; month_start := month_start || began;
            month_events := month_events || (CASE WHEN is_merged THEN 0 ELSE 1 END);
            month_longest := month_longest || longest_known[b]; month_reach := month_reach || reach_known[b];
        END IF;
    END LOOP;
"""

MERGING: Final = _LOOP + _READ_LAST + _MERGE + _EXTEND + _ADD + _NOTE


# The function that merges heartbeats: it locks their buckets, merges in order of arrival, and writes the result. One
# call is one round trip, and no lock waits for a server. Inputs and results are indexed by heartbeat (`i`), the state
# of buckets by bucket (`b`). Its plans are made once per connection, possibly while the tables are empty: so every
# statement leaves the planner only one way, by key, and other plans are disabled.


_HEAD: Final = """
CREATE OR REPLACE FUNCTION beats(
    whose text[],                                       -- the tenants, in order
    server_id uuid, commit_number bigint, commit_part integer,
    names text[],                                       -- of buckets, or aliases
    owners integer[],                                   -- which tenant a name is of
    named integer[],                                    -- which of them a heartbeat is for
    starts bigint[], durations bigint[], pulsetimes bigint[], hashes bigint[], texts text[],
    tokens text[], token_beats integer[], token_owners integer[], untils bigint[], moment bigint,
    OUT ids bigint[],                                   -- NULL: there is no such bucket; 0: a token was used before
    OUT begins bigint[], OUT lengths bigint[],
    OUT other_beats integer[], OUT other_texts text[],  -- of events that have other texts than their heartbeats
    OUT grown_owners integer[], OUT grown bigint[], OUT versions bigint[], OUT firsts bigint[], OUT lasts bigint[]
) LANGUAGE plpgsql
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_hashjoin = off SET enable_mergejoin = off
SET enable_material = off SET plan_cache_mode = force_generic_plan
AS $$
DECLARE
    name_keys bigint[]; places integer[]; numbers bigint[]; are_known boolean[]; bucket_place text[];
    bucket_whose integer[]; bucket_tenant text[]; counted bigint[]; base bigint[]; w integer;
    bucket_key bigint[]; bucket_version bigint[]; bucket_first bigint[]; bucket_last bigint[];
    last_start bigint[]; last_id bigint[]; last_duration bigint[]; last_value bigint[];
    longest_known bigint[]; reach_known bigint[];
    row_of integer[];                                   -- the row that its last event is written from, 0 for none
    row_bucket integer[]; row_start bigint[]; row_id bigint[]; row_duration bigint[]; row_value bigint[];
    month_bucket integer[]; month_start bigint[]; month_events integer[]; month_longest bigint[]; month_reach bigint[];
    rows_made integer := 0;
    events_made bigint := 0;                            -- until their ids are taken, new events have -1, -2, …
    b integer; written integer; began bigint; lasted bigint; number bigint; last record; last_text text;
    is_merged boolean; is_unbound boolean;
BEGIN
    PERFORM set_config('dayline.tenant', '=' || whose[1], true);
    IF cardinality(whose) > 1 THEN
        PERFORM set_config('dayline.tenants', array_to_string(whose, ','), true);
    END IF;
    counted := array_fill(0::bigint, ARRAY[cardinality(whose)]); base := counted;
    ids := array_fill(NULL::bigint, ARRAY[cardinality(named)]);
    begins := ids;
    lengths := ids;
"""

_TOKENS: Final = """
    FOR t IN 1 .. cardinality(tokens) LOOP
        CONTINUE WHEN ids[token_beats[t]] = 0;
        INSERT INTO once(tenant, token, until) VALUES(whose[token_owners[t]], tokens[t], untils[t])
        ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            ids[token_beats[t]] := 0;
        END IF;
    END LOOP;
    FOR t IN 1 .. cardinality(tokens) LOOP  -- more than come, so that those whose time is over do not gather
        CONTINUE WHEN token_owners[t] = token_owners[t - 1];
        DELETE FROM once WHERE ctid = ANY(ARRAY(
            SELECT ctid FROM once WHERE tenant = whose[token_owners[t]] AND until < moment
            ORDER BY until LIMIT 4 * cardinality(tokens) FOR UPDATE SKIP LOCKED
        ));
    END LOOP;
"""

_LOCK: Final = """
    SELECT array_agg(coalesce(
        (SELECT key FROM bucket WHERE tenant = whose[given.owner] AND id = given.name AND deleted IS NULL),
        (SELECT bucket FROM alias WHERE tenant = whose[given.owner] AND id = given.name)
    )) INTO name_keys FROM unnest(names, owners) AS given(name, owner);
    SELECT array_agg(owner), array_agg(tenant), array_agg(owner || ' ' || key), array_agg(key),
        array_agg(version), array_agg(first_start), array_agg(last_end),
        array_agg(tail_start), array_agg(tail_id), array_agg(tail_duration), array_agg(tail_value),
        array_agg(tail_longest), array_agg(tail_reach), array_agg(tail_version = version), array_agg(0)
    INTO bucket_whose, bucket_tenant, bucket_place, bucket_key, bucket_version, bucket_first, bucket_last,
        last_start, last_id, last_duration, last_value,
        longest_known, reach_known, are_known, row_of
    FROM (
        SELECT DISTINCT owner, key FROM unnest(owners, name_keys) AS given(owner, key) ORDER BY owner, key
    ) AS wanted(owner, place)
    CROSS JOIN LATERAL (
        -- Not `IS NULL`: with that the index of names would do, all of it.
        SELECT * FROM bucket
        WHERE tenant = whose[wanted.owner] AND key = wanted.place AND coalesce(deleted, 0) = 0 FOR UPDATE
    ) AS locked;
    FOR n IN 1 .. cardinality(names) LOOP
        places[n] := array_position(bucket_place, owners[n] || ' ' || name_keys[n]);
    END LOOP;
    SELECT array_agg((
        SELECT key FROM value WHERE tenant = bucket_tenant[places[given.name]] AND hash = given.hash
        AND bucket::float8 = bucket_key[places[given.name]] AND salt >= 0 AND json = given.text LIMIT 1
    )) INTO numbers FROM unnest(named, hashes, texts) AS given(name, hash, text);
"""

_WRITE: Final = """
    IF events_made > 0 THEN
        FOR w IN 1 .. cardinality(whose) LOOP
            CONTINUE WHEN counted[w] = 0;
            UPDATE tenant SET next_event_id = next_event_id + counted[w] WHERE id = whose[w]
            RETURNING next_event_id - counted[w] - 1 INTO number;
            base[w] := number;
        END LOOP;
        FOR i IN 1 .. cardinality(named) LOOP
            IF ids[i] < 0 THEN
                ids[i] := base[bucket_whose[places[named[i]]]] - ids[i];
            END IF;
        END LOOP;
        INSERT INTO event(tenant, bucket, start, id, duration, value)
        SELECT bucket_tenant[place], bucket_key[place], start, base[bucket_whose[place]] - id, duration, value
        FROM unnest(row_bucket, row_start, row_id, row_duration, row_value) AS made(place, start, id, duration, value)
        WHERE id < 0;
    END IF;
    IF rows_made > events_made THEN
        INSERT INTO event(tenant, bucket, start, id, duration, value)
        SELECT bucket_tenant[place], bucket_key[place], start, id, duration, value
        FROM unnest(row_bucket, row_start, row_id, row_duration, row_value) AS made(place, start, id, duration, value)
        WHERE id > 0
        ON CONFLICT (tenant, bucket, start, id) DO UPDATE SET duration = excluded.duration;
    END IF;
    IF month_bucket IS NOT NULL THEN
        INSERT INTO month AS kept (tenant, bucket, month, events, longest, reach)
        SELECT bucket_tenant[place], bucket_key[place], month_of(start), sum(events), max(longest), max(reach)
        FROM unnest(month_bucket, month_start, month_events, month_longest, month_reach)
            AS new(place, start, events, longest, reach)
        GROUP BY place, month_of(start)
        ON CONFLICT (tenant, bucket, month) DO UPDATE SET
            events = kept.events + excluded.events,
            longest = greatest(kept.longest, excluded.longest), reach = greatest(kept.reach, excluded.reach),
            changes = kept.changes + kept.is_sealed::integer, is_sealed = false;
    END IF;
"""

# Buckets are also written by key, as an upsert of existing, locked rows. A bucket in which every heartbeat was inside
# its last event is not changed.
_CLOSE: Final = """
    FOR b IN 1 .. coalesce(cardinality(bucket_key), 0) LOOP
        CONTINUE WHEN row_of[b] = 0;
        IF last_id[b] < 0 THEN
            last_id[b] := base[bucket_whose[b]] - last_id[b];
        END IF;
        grown_owners := grown_owners || bucket_whose[b];
        grown := grown || bucket_key[b]; versions := versions || bucket_version[b] + 1;
        firsts := firsts || bucket_first[b]; lasts := lasts || bucket_last[b];
    END LOOP;
    INSERT INTO bucket(tenant, key, id, type, client, hostname, created, data, version, first_start, last_end,
        tail_start, tail_id, tail_duration, tail_value, tail_longest, tail_reach, tail_version)
    SELECT tenant, key, '', '', '', '', 0, '', version + 1, begin_at, end_at, start, event, duration, value, longest,
        reach, version + 1
    FROM unnest(bucket_tenant, bucket_key, row_of, bucket_version, bucket_first, bucket_last, last_start, last_id,
        last_duration, last_value, longest_known, reach_known)
        AS new(tenant, key, made_row, version, begin_at, end_at, start, event, duration, value, longest, reach)
    WHERE made_row > 0
    ON CONFLICT (tenant, key) DO UPDATE SET version = excluded.version,
        first_start = excluded.first_start, last_end = excluded.last_end,
        tail_start = excluded.tail_start, tail_id = excluded.tail_id, tail_duration = excluded.tail_duration,
        tail_value = excluded.tail_value, tail_longest = excluded.tail_longest, tail_reach = excluded.tail_reach,
        tail_version = excluded.tail_version;
    FOR t IN 1 .. cardinality(tokens) LOOP  -- what was not found may come again when the reason is gone
        DELETE FROM once WHERE tenant = whose[token_owners[t]] AND token = tokens[t] AND ids[token_beats[t]] IS NULL;
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

# Servers of version 5 of the schema send one statement per tenant.
_OF_ONE_TENANT: Final = """
CREATE OR REPLACE FUNCTION beat(
    whose text, server_id uuid, commit_number bigint, commit_part integer, names text[], named integer[],
    starts bigint[], durations bigint[], pulsetimes bigint[], hashes bigint[], texts text[],
    tokens text[], token_beats integer[], untils bigint[], moment bigint,
    OUT ids bigint[], OUT begins bigint[], OUT lengths bigint[], OUT other_beats integer[], OUT other_texts text[],
    OUT grown bigint[], OUT versions bigint[], OUT firsts bigint[], OUT lasts bigint[]
) LANGUAGE sql AS $$
    SELECT ids, begins, lengths, other_beats, other_texts, grown, versions, firsts, lasts FROM beats(
        ARRAY[whose], server_id, commit_number, commit_part, names, array_fill(1, ARRAY[cardinality(names)]), named,
        starts, durations, pulsetimes, hashes, texts,
        tokens, token_beats, array_fill(1, ARRAY[cardinality(tokens)]), untils, moment
    )
$$;
"""

MERGING_FUNCTIONS: Final = _HEAD + _TOKENS + _LOCK + MERGING + _WRITE + _CLOSE + _OF_ONE_TENANT

# Equal by value, as in `same_data` of model/data.py. The texts are canonical, so only numbers can be equal and look
# different; then one of them ends in `.0` or has an exponent. jsonb cannot hold a NUL character. One difference
# remains: integers from 1e17 on that no double can represent are compared as text.
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

# The rules are those of `transform/heartbeat.py`, repeated next to the rows; docs/design/postgres.md explains why.
HEARTBEAT_FUNCTIONS: Final = _SAME_DATA + _FIGURES + MERGING_FUNCTIONS
