"""The segments and indexed texts of a tenant, as the scheduler sees them. Every server looks; one of them builds."""

from collections.abc import Sequence
from functools import partial

from dayline.storage.columns.scheduler import MissingMonths
from dayline.storage.columns.segment_plan import BuildReport, SegmentKey, SegmentPace
from dayline.storage.operations.children import ChildFunction
from dayline.storage.postgres.connection import Readers
from dayline.storage.postgres.derived.sealing import missing_months, seal
from dayline.storage.postgres.derived.words import has_words_to_index
from dayline.storage.postgres.writing.writer import PostgresTenantWriter

run_builder = ChildFunction("dayline.storage.postgres.derived.builder:build", BuildReport, niceness=19)
run_indexer = ChildFunction("dayline.storage.postgres.derived.word_indexer:index_words", type(None), niceness=19)


class PostgresSegmentEngine:
    """See SegmentEngine."""

    def __init__(
        self, address: str, tenant_writer: PostgresTenantWriter, readers: Readers, *, pace: SegmentPace
    ) -> None:
        self._address = address
        self._tenant_writer = tenant_writer
        self._tenant = tenant_writer.tenant
        self._readers = readers
        self._pace = pace

    def survey(self, *, before: int) -> MissingMonths:
        with self._readers.transaction(self._tenant) as db:
            return MissingMonths(
                months=missing_months(db, self._tenant, before=before, min_events=self._pace.min_events),
                has_texts=has_words_to_index(db, self._tenant, min_values=self._pace.min_values),
            )

    async def seal(self, bucket_id: str, bucket: int, months: Sequence[int]) -> list[SegmentKey]:
        """Months with few events are sealed too, and need no segment."""
        sealing = partial(seal, bucket=bucket, months=months, min_events=self._pace.min_events)
        return await self._tenant_writer.change(sealing)

    async def build(self, places: Sequence[SegmentKey], survey: MissingMonths, *, follows: bool = False) -> BuildReport:
        # Months first: after an import the next query reads all of them, and fewer search.
        report = BuildReport()
        if places:
            min_events = self._pace.min_events if follows else None
            report = await run_builder(self._address, self._tenant, list(places), min_events=min_events)
        if survey.has_texts:
            await run_indexer(self._address, self._tenant)
        return report
