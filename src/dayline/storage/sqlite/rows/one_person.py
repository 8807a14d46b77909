"""A file is one person's: whoever asks for the data of somebody else is told so."""

from dayline.storage.sqlite.file.refusals import refuse_tenant
from dayline.storage.sqlite.rows.access import SqliteAccess
from dayline.storage.sqlite.store import SqliteStore
from dayline.storage.sqlite.upkeep.upkeep import SqliteUpkeep


class OnePerson:
    """The parts of a Database that are chosen by tenant."""

    _store: SqliteStore
    access: SqliteAccess
    upkeep: SqliteUpkeep

    def store(self, tenant: str = "") -> SqliteStore:
        refuse_tenant(tenant)
        return self._store

    async def open(self, tenant: str) -> SqliteStore:
        return self.store(tenant)

    def access_of(self, tenant: str) -> SqliteAccess:
        refuse_tenant(tenant)
        return self.access

    def upkeep_of(self, tenant: str) -> SqliteUpkeep:
        refuse_tenant(tenant)
        return self.upkeep
