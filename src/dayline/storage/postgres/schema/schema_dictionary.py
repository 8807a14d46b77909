"""The step that has a text of the dictionary found by its hash, whatever PostgreSQL knows of the table.

The key of the table begins with the bucket too. Of a bucket that came after the table was looked at last, the planner
believes that it has hardly any rows, and then goes through all of them for each text. So the index has the bucket in a
form that the key does not have: who looks for a text says `bucket::float8`, and there is one way to find it. Row
security lets an index be used for what is leakproof alone: this conversion is, and exact for every key that there is.
"""

from typing import Final

from dayline.storage.postgres.schema.schema_step import Step

_TABLES: Final = """
DROP INDEX value_hash;
CREATE UNIQUE INDEX value_hash ON value(tenant, hash, (bucket::float8), salt);
"""

# The servers of the version before name the columns of the former index.
DICTIONARY: Final = Step(tables=_TABLES, is_additive=False)
