"""The tables of the index of words: which values of a bucket have a word. All of it can be made again from the texts.

Not a `tsvector` with a GIN index. Whether a text has a word is asked by `@@`, which PostgreSQL does not take for
leakproof; so row security has every row of a tenant looked at before, and no index is used. Comparing texts is
leakproof, and a key that begins with the tenant and the bucket keeps everybody to their own part of the index.
"""

from typing import Final

from dayline.storage.postgres.schema.schema_step import Step

_TABLES: Final = """
-- How far a bucket is indexed. Numbers of values ascend within a bucket, and a text that changes counts up its
-- `dictionary`: so the index is right for all values up to a number, or not at all. Who changes the index locks this.
CREATE TABLE word_mark(
    tenant text NOT NULL,
    bucket bigint NOT NULL,
    dictionary integer NOT NULL,            -- the bucket's count of changed texts; -1: the index is being removed
    upto bigint NOT NULL DEFAULT 0,         -- every value of the bucket up to this number is indexed
    part integer NOT NULL DEFAULT 0,        -- the one that is being filled,
    part_places bigint NOT NULL DEFAULT 0,  -- and how many places are in it
    PRIMARY KEY(tenant, bucket)
) WITH (fillfactor = 50);

-- In parts of some ten thousand values: to the rows of the last one is added what comes.
CREATE TABLE word_places(
    tenant text NOT NULL,
    bucket bigint NOT NULL,
    word text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    in_values integer NOT NULL,
    places bytea NOT NULL,                  -- ascending, eight bytes each: see postings.py
    PRIMARY KEY(tenant, bucket, word, part)
);
"""

WORDS: Final = Step(tables=_TABLES, of_tenants=("word_mark", "word_places"))
