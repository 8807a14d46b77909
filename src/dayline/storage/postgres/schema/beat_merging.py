"""The part of the function `beat` that merges: one heartbeat after the other, as they arrived.

last event of the bucket ──┬─ within reach and of the same data ── it lasts longer, perhaps
                           └─ otherwise ────────────────────────── a new one, which is the last from now on
"""

from typing import Final

_LOOP: Final = """
    FOR i IN 1 .. cardinality(named) LOOP
        b := places[named[i]];
        CONTINUE WHEN b IS NULL OR ids[i] = 0;
"""

# The last event where it is not remembered: that of the last heartbeat, or else the newest.
_READ_LAST: Final = """
        IF are_known[b] IS NOT TRUE THEN
            began := last_start[b]; number := last_id[b];
            IF began IS NULL THEN
                SELECT start INTO began FROM event
                WHERE tenant = whose AND bucket = bucket_key[b] ORDER BY start DESC LIMIT 1;
                SELECT id INTO number FROM event
                WHERE tenant = whose AND bucket = bucket_key[b] AND start = began ORDER BY id LIMIT 1;
            END IF;
            SELECT duration, value INTO last FROM event
            WHERE tenant = whose AND bucket = bucket_key[b] AND start = began AND id = number;
            last_start[b] := began; last_id[b] := number;
            last_duration[b] := last.duration; last_value[b] := last.value;
            -- A sealed month has no bounds, so that a longer event unseals it.
            SELECT longest, reach INTO last FROM month
            WHERE tenant = whose AND bucket = bucket_key[b] AND month = month_of(began) AND NOT is_sealed;
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
                WHERE tenant = whose AND bucket = bucket_key[b] AND key = last_value[b];
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
                INSERT INTO value(tenant, bucket, hash, json) VALUES(whose, bucket_key[b], hashes[i], texts[i])
                ON CONFLICT (tenant, hash, (bucket::float8), salt) DO NOTHING RETURNING key INTO number;
            END IF;
            IF number IS NULL THEN  -- it came with a heartbeat before this one,
                SELECT key INTO number FROM value WHERE tenant = whose AND hash = hashes[i]
                AND bucket::float8 = bucket_key[b] AND salt >= 0 AND json = texts[i] LIMIT 1;
            END IF;
            IF number IS NULL THEN  -- or another text has its hash
                INSERT INTO value(tenant, bucket, hash, json, salt)
                SELECT whose, bucket_key[b], hashes[i], texts[i], max(salt) + 1 FROM value
                WHERE tenant = whose AND hash = hashes[i] AND bucket::float8 = bucket_key[b] AND salt >= 0
                RETURNING key INTO number;
            END IF;
            events_made := events_made + 1; rows_made := rows_made + 1; row_of[b] := rows_made;
            row_bucket[rows_made] := b; row_start[rows_made] := began; row_id[rows_made] := -events_made;
            row_duration[rows_made] := lasted; row_value[rows_made] := number;
            last_start[b] := began; last_id[b] := -events_made; last_duration[b] := lasted; last_value[b] := number;
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
