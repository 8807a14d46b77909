"""What was of the whole database and is of each tenant now: Dayline's own settings, the audit trail, used tokens.

Keys and sessions stay of the whole: they are what tells whose data somebody may see, so that nobody is known before.
"""

from typing import Final

from dayline.storage.postgres.schema.schema_step import Step

_TABLES: Final = """
ALTER TABLE own_setting ADD COLUMN tenant text NOT NULL DEFAULT '';
ALTER TABLE own_setting DROP CONSTRAINT own_setting_pkey, ADD PRIMARY KEY(tenant, key);
ALTER TABLE own_setting ALTER COLUMN tenant DROP DEFAULT;

ALTER TABLE own_setting_history ADD COLUMN tenant text NOT NULL DEFAULT '';
ALTER TABLE own_setting_history DROP CONSTRAINT own_setting_history_pkey, ADD PRIMARY KEY(tenant, number);
ALTER TABLE own_setting_history ALTER COLUMN tenant DROP DEFAULT;
DROP INDEX own_setting_history_key;
CREATE INDEX own_setting_history_key ON own_setting_history(tenant, key, number);

ALTER TABLE once ADD COLUMN tenant text NOT NULL DEFAULT '';
ALTER TABLE once DROP CONSTRAINT once_pkey, ADD PRIMARY KEY(tenant, token);
ALTER TABLE once ALTER COLUMN tenant DROP DEFAULT;
DROP INDEX once_until;
CREATE INDEX once_until ON once(tenant, until);

-- Numbered for each tenant: gaps in a common count would tell how much the others do.
ALTER TABLE audit ADD COLUMN tenant text NOT NULL DEFAULT '';
ALTER TABLE audit DROP CONSTRAINT audit_pkey, ADD PRIMARY KEY(tenant, number);
ALTER TABLE audit ALTER COLUMN tenant DROP DEFAULT, ALTER COLUMN number DROP IDENTITY;
DROP INDEX audit_slot;
CREATE UNIQUE INDEX audit_slot ON audit(tenant, slot, who, address, call, bucket, status);

ALTER TABLE access_key ALTER COLUMN tenant DROP DEFAULT;
"""

TENANTS: Final = Step(
    tables=_TABLES, of_tenants=("own_setting", "own_setting_history", "audit", "once"), is_additive=False
)
