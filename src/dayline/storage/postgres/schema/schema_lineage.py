"""The step that adds the line which a primary leaves in its data, so that a standby shows whom it follows."""

from typing import Final

from dayline.storage.postgres.schema.schema_step import Step

_TABLES: Final = """
-- Which cluster wrote this last, on which timeline. A standby that has stayed behind on another timeline never gets the
-- line of this one, however far its log goes.
CREATE TABLE lineage(one boolean PRIMARY KEY DEFAULT true CHECK (one), line text NOT NULL);
"""

LINEAGE: Final = Step(tables=_TABLES, of_all=("lineage",))
