"""Where the data are by default, and what is made for them."""

from dayline.cli.options.settings import Settings, default_database


def make_data_home(settings: Settings) -> None:
    """Make the folders around the data folder, if it is the default one: of a new user they may be missing.

    Around a place that somebody has named nothing is made: there, a missing folder may be a missing disk.
    """
    usual = default_database(is_testing=settings.is_testing).absolute()
    if settings.postgres is not None:
        usual.parent.mkdir(parents=True, exist_ok=True)  # for the log, and what lets our own commands in
    elif settings.database == usual:
        settings.database.parent.parent.mkdir(parents=True, exist_ok=True)
