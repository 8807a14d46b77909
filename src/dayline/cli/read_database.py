"""`--read-database`: a standby of the PostgreSQL database, from which queries are read."""

from dayline.cli.settings import Settings
from dayline.model.errors import Invalid
from dayline.storage.postgres.address import is_postgres

_FIELD = "server.read_database"


def check_read_database(settings: Settings) -> None:
    """Raise Invalid where it names none, or there is nothing of which it could be a standby."""
    if settings.read_database is None:
        return
    if not is_postgres(settings.read_database):
        raise Invalid("--read-database takes the address of a PostgreSQL server, postgresql://…", field=_FIELD)
    if settings.postgres is None:
        raise Invalid(
            "--read-database is for a standby of a PostgreSQL database, and the data are in a file",
            hint="name the PostgreSQL database with --database, or leave out --read-database",
            field=_FIELD,
        )
