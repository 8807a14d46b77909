"""The default data folder."""

from dayline.cli.options.settings import Settings, default_database


def make_data_home(settings: Settings) -> None:
    """Create the default data folder and its parents, which may be missing for a new user.

    No folders are created for another path: a missing folder may be a disk that is not mounted.
    """
    usual = default_database(is_testing=settings.is_testing).absolute()
    if settings.postgres is not None:
        usual.parent.mkdir(parents=True, exist_ok=True)  # for the log and the token file
    elif settings.database == usual:
        settings.database.parent.parent.mkdir(parents=True, exist_ok=True)
