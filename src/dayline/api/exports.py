"""`/api/1/export`: one bucket or all as a document, as a table, or as a line for every event, written as it is read."""

import csv
import io
from collections.abc import AsyncIterator, Sequence
from typing import Final, Literal, TypeAlias

import msgspec

from dayline.api.call import Call, in_thread, pages_in_thread
from dayline.api.common_parameters import choice
from dayline.api.transfer import answer_export, name_file
from dayline.model.bucket import Bucket
from dayline.model.errors import BucketNotFound
from dayline.model.event_table import COLUMNS, cell
from dayline.storage.store import LineForm

ExportFormat: TypeAlias = Literal["json", "csv", "ndjson"]

_FORMATS: Final[tuple[ExportFormat, ...]] = ("json", "csv", "ndjson")
_MEDIA: Final[dict[LineForm, str]] = {"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}
_ENDS: Final[dict[LineForm, bytes]] = {"csv": b"\r\n", "ndjson": b"\n"}


async def export_events(call: Call) -> None:
    """Newest first, without ids; of any size. As a document it is what import takes.

    A table has the columns bucket, host, type, start, end, duration in seconds, app, title, url, and all data as JSON;
    a text that a spreadsheet would take for a formula begins with an apostrophe. A line of JSON has the bucket, the
    timestamp, the duration and the data of an event. An event that begins after the export does is not in it.
    """
    form: ExportFormat = choice(call, "format", _FORMATS, "json")
    name = call.request.get_param("bucket")
    buckets = list(call.store.buckets().values()) if name is None else [call.store.bucket(name)]
    title = "aw-buckets-export" if name is None else f"aw-bucket-export_{buckets[0].id}"
    if form == "json":
        answer_export(call, buckets, f"{title}.json")
        return
    name_file(call, f"{title}.{form}")
    call.response.content_type = _MEDIA[form]
    call.response.stream = _lines(call, buckets, form)


async def _lines(call: Call, buckets: Sequence[Bucket], form: LineForm) -> AsyncIterator[bytes]:
    if form == "csv":
        yield ",".join(COLUMNS).encode() + _ENDS[form]
    for bucket in buckets:
        try:
            pages = await in_thread(call.store.exported_lines, bucket.id, form, _head(bucket, form))
        except BucketNotFound:
            continue  # deleted since the export began
        async for page in pages_in_thread(call, pages):
            yield page + _ENDS[form]


def _head(bucket: Bucket, form: LineForm) -> str:
    """What every line of a bucket begins with."""
    if form == "ndjson":
        return f'{{"bucket":{msgspec.json.encode(bucket.id).decode()},'
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(map(cell, (bucket.id, bucket.hostname, bucket.type)))
    return text.getvalue()
