"""Which backups are kept: days, weeks, months, a size, and the newest good one in any case."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from dayline.config.sections import BackupSettings
from dayline.maintenance.backups.folder import Backup, expired_backups
from dayline.model.time import SECOND
from tests.support.maintenance.backups import DAY

MIB = 1 << 20
BEGIN = datetime(2024, 1, 1, 3, tzinfo=UTC)


def at(day: float, *, mib: int = 1, problem: str | None = None) -> Backup:
    """A backup this many days after the beginning, which is a Monday and the first of a month."""
    moment = BEGIN + timedelta(days=day)
    made = int(moment.timestamp()) * SECOND
    return Backup(name=f"{moment:%Y-%m-%d %H:%M:%S} {problem}", made=made, bytes=mib * MIB, problem=problem)


def kept(backups: list[Backup], settings: BackupSettings) -> list[Backup]:
    gone = expired_backups(backups, settings)
    return [backup for backup in backups if backup not in gone]


backups_ = st.lists(
    st.builds(
        at,
        st.floats(0, 900).map(lambda day: round(day, 2)),
        mib=st.integers(0, 50),
        problem=st.sampled_from((None, None, None, "damaged")),
    ),
    unique_by=lambda backup: backup.name,
    max_size=60,
)
settings_ = st.builds(
    BackupSettings,
    keep_daily=st.integers(0, 8),
    keep_weekly=st.integers(0, 5),
    keep_monthly=st.integers(0, 13),
    max_mib=st.sampled_from((0, 1, 40, 200)),
)


def test_a_year_of_daily_backups_leaves_seven_days_four_weeks_and_twelve_months() -> None:
    days = [at(day) for day in range(365)]  # up to Monday, the 30th of December

    left = [f"{datetime.fromtimestamp(backup.made // SECOND, UTC):%m-%d}" for backup in kept(days, BackupSettings())]

    months = ["01-31", "02-29", "03-31", "04-30", "05-31", "06-30", "07-31", "08-31", "09-30", "10-31", "11-30"]
    assert left == [*months, "12-15", "12-22", "12-24", "12-25", "12-26", "12-27", "12-28", "12-29", "12-30"]


def test_all_of_the_last_day_are_kept_however_few_may_stay() -> None:
    today = [at(10), at(10.2), at(10.4)]

    assert kept([at(9), *today], BackupSettings(keep_daily=1, keep_weekly=0, keep_monthly=0)) == today


def test_the_oldest_give_way_to_the_size_that_is_allowed() -> None:
    backups = [at(day, mib=10) for day in range(5)]

    assert kept(backups, BackupSettings(max_mib=30)) == backups[2:]


def test_one_that_failed_goes_when_there_is_a_newer_good_one_and_not_before() -> None:
    failed = at(3, problem="damaged")

    assert kept([at(2), failed], BackupSettings()) == [at(2), failed]
    assert kept([at(2), failed, at(4)], BackupSettings()) == [at(2), at(4)]


@given(backups_, settings_)
def test_the_newest_good_backup_is_never_deleted(backups: list[Backup], settings: BackupSettings) -> None:
    good = [backup for backup in backups if backup.is_verified]

    gone = expired_backups(backups, settings)

    if good:
        assert max(good, key=lambda backup: backup.made) not in gone
    else:
        assert gone == []


@given(backups_, settings_)
def test_no_more_are_kept_than_the_settings_say(backups: list[Backup], settings: BackupSettings) -> None:
    good = [backup for backup in kept(backups, settings) if backup.is_verified]

    newest = max((backup.made for backup in good), default=0)
    older = [backup for backup in good if newest - backup.made >= DAY]
    assert len(older) <= settings.keep_daily + settings.keep_weekly + settings.keep_monthly
    if settings.max_mib and len(good) > 1:
        assert sum(backup.bytes for backup in good) <= settings.max_mib * MIB


@given(backups_, settings_)
def test_a_second_deletion_deletes_nothing_more(backups: list[Backup], settings: BackupSettings) -> None:
    left = kept(backups, settings)

    assert expired_backups(left, settings) == []


@given(backups_)
def test_each_of_the_latest_days_that_has_one_keeps_its_last(backups: list[Backup]) -> None:
    good = [backup for backup in backups if backup.is_verified]
    last: dict[object, Backup] = {}
    for backup in sorted(good, key=lambda backup: backup.made):
        last[datetime.fromtimestamp(backup.made // SECOND, UTC).date()] = backup

    left = kept(backups, BackupSettings(keep_daily=5))

    assert all(backup in left for backup in list(last.values())[-5:])
