"""`/api/0/export`, `/api/1/export` and `/api/0/import`, as streams."""

import csv
import io
import re
import shutil
from collections.abc import AsyncIterable, AsyncIterator, Sequence
from pathlib import Path
from typing import Final, Literal, TypeAlias
from urllib.parse import quote

import falcon
import msgspec
from falcon.asgi.reader import BufferedReader
from falcon.media.multipart import MultipartFormHandler

from dayline.api.http.call import Call, pages_in_thread
from dayline.api.http.parameters import choice
from dayline.api.http.route import BUCKET, BUCKET_ID, EVENT, NEW_BUCKET, Answer, Body, Parameter, Route
from dayline.api.v0.documents import Export, Import
from dayline.model.bucket import Bucket, view_of
from dayline.model.errors import BucketNotFound, Conflict, Invalid, NotFound
from dayline.runtime.spool import create_spool
from dayline.runtime.text import EVENT_COLUMNS, cell
from dayline.runtime.threads import in_thread
from dayline.storage.disk_faults import file_error
from dayline.storage.history.contract import LineForm
from dayline.storage.transfer.report import ImportReport

SPOOL_BYTES: Final = 1 << 20  # bytes per write to disk
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]")
_NO_EVENTS: Final = b'"events":null}'


async def export_bucket(call: Call) -> None:
    """The whole bucket as a file for `POST /api/0/import`."""
    bucket = call.store.bucket(call.params["bucket_id"])
    answer_export(call, [bucket], f"aw-bucket-export_{bucket.id}.json")


async def export_all(call: Call) -> None:
    """All buckets as a file for `POST /api/0/import`, streamed at any size."""
    answer_export(call, list(call.store.buckets().values()), "aw-buckets-export.json")


async def import_documents(call: Call) -> None:
    """Send JSON, or a form with one or more files.

    Events are merged into existing buckets: an event with the same time, duration and data is skipped, so sending a
    document twice changes nothing. Event ids are ignored. Invalid events are left out and counted; an invalid document
    changes nothing. Privacy rules apply, and the events that they drop are counted.
    """
    folder = await in_thread(call.server.database.scratch)
    try:
        documents = await spool_documents(call, folder)
        report = await call.store.import_files(
            documents, rules=call.tenant.privacy.rules, max_data_bytes=call.server.limits.event_bytes
        )
    finally:
        await in_thread(shutil.rmtree, folder, ignore_errors=True)
    call.answer_value(report)


def answer_export(call: Call, buckets: Sequence[Bucket], filename: str) -> None:
    """Respond with an export document as a file with that name."""
    name_file(call, filename)
    call.response.content_type = falcon.MEDIA_JSON
    call.response.stream = _export(call, buckets)


def name_file(call: Call, filename: str) -> None:
    """Set the header that makes a browser save the response under that name."""
    # The bucket id is user input, so the header must be safe whatever it contains.
    header = f"attachment; filename={_UNSAFE.sub('_', filename)}"
    if _UNSAFE.search(filename):
        header += f"; filename*=UTF-8''{quote(filename, safe='')}"
    call.response.set_header("Content-Disposition", header)


async def _export(call: Call, buckets: Sequence[Bucket]) -> AsyncIterator[bytes]:
    comma = b""
    yield b'{"buckets":{'
    for bucket in buckets:
        try:
            pages = await in_thread(call.store.exported_events, bucket.id)
        except BucketNotFound:
            continue  # deleted since the export started
        head = msgspec.json.encode(view_of(bucket)).removesuffix(_NO_EVENTS)
        yield b'%s%s:%s"events":[' % (comma, msgspec.json.encode(bucket.id), head)
        comma, between = b",", b""
        async for page in pages_in_thread(call, pages):
            yield between + page
            between = b","
        yield b"]}"
    yield b"}}"


async def spool_documents(call: Call, folder: Path) -> list[Path]:
    """Store the documents of a request as files in the folder."""
    if call.content_kind == falcon.MEDIA_MULTIPART:
        return await _spool_parts(call, folder)
    call.check_json_type()
    document = folder / "0.json"
    await _spool(call.body_chunks(call.server.limits.import_mib << 20), document)
    return [document]


async def _spool_parts(call: Call, folder: Path) -> list[Path]:
    """All files of the form, whatever their names."""
    body = BufferedReader(call.body_chunks(call.server.limits.import_mib << 20))
    # Falcon's own parser of forms is case-sensitive in the media type.
    form = await MultipartFormHandler().deserialize_async(body, call.request.content_type, None)
    documents: list[Path] = []
    async for part in form:
        if part.filename is not None:
            document = folder / f"{len(documents)}.json"
            await _spool(part.stream, document)
            documents.append(document)
    if not documents:
        raise Invalid("the form has no file to import", hint="send an export document as a file part")
    return documents


async def _spool(chunks: AsyncIterable[bytes], path: Path) -> None:
    try:
        await _write(chunks, path)
    except OSError as error:
        raise file_error("cannot store the document temporarily; nothing was imported", error, path.parent) from error


async def _write(chunks: AsyncIterable[bytes], path: Path) -> None:
    with create_spool(path) as file:
        gathered: list[bytes] = []
        size = 0
        async for chunk in chunks:
            gathered.append(chunk)
            size += len(chunk)
            if size >= SPOOL_BYTES:
                await in_thread(file.write, b"".join(gathered))
                gathered, size = [], 0
        await in_thread(file.write, b"".join(gathered))


# `/api/1/export`: one bucket or all, as a document, CSV or lines of JSON.


ExportFormat: TypeAlias = Literal["json", "csv", "ndjson"]

_FORMATS: Final[tuple[ExportFormat, ...]] = ("json", "csv", "ndjson")
_MEDIA: Final[dict[LineForm, str]] = {"csv": "text/csv; charset=utf-8", "ndjson": "application/x-ndjson"}
_ENDS: Final[dict[LineForm, bytes]] = {"csv": b"\r\n", "ndjson": b"\n"}


async def export_events(call: Call) -> None:
    """Newest first, without ids, at any size. `json` is a document for `POST /api/0/import`.

    CSV has the columns bucket, host, type, start, end, duration in seconds, app, title, url, and all data as JSON; a
    text that a spreadsheet would treat as a formula starts with an apostrophe. NDJSON has the bucket, timestamp,
    duration and data of an event on each line. Events that begin after the export started are left out.
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
        yield ",".join(EVENT_COLUMNS).encode() + _ENDS[form]
    for bucket in buckets:
        try:
            pages = await in_thread(call.store.exported_lines, bucket.id, form, _head(bucket, form))
        except BucketNotFound:
            continue  # deleted since the export started
        async for page in pages_in_thread(call, pages):
            yield page + _ENDS[form]


def _head(bucket: Bucket, form: LineForm) -> str:
    """The first columns of every line of a bucket."""
    if form == "ndjson":
        return f'{{"bucket":{msgspec.json.encode(bucket.id).decode()},'
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="").writerow(map(cell, (bucket.id, bucket.hostname, bucket.type)))
    return text.getvalue()


DOCUMENT = {"buckets": {BUCKET_ID: {**NEW_BUCKET, "events": [EVENT]}}}

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path=f"{BUCKET}/export", handler=export_bucket, tag="transfer", scope="read",
        summary="Export a bucket", answer=Answer(type=Export, description="an export document"), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/0/export", handler=export_all, tag="transfer", scope="read",
        summary="Export everything", answer=Answer(type=Export, description="an export document"),
    ),
    Route(
        method="GET", path="/api/1/export", handler=export_events, tag="transfer", scope="read",
        summary="Export a bucket or everything as JSON, CSV or NDJSON",
        parameters=(
            Parameter(name="bucket", type=str, description="only this bucket; default: all"),
            Parameter(name="format", type=ExportFormat, description="default: `json`"),
        ),
        answer=Answer(
            type=Export, description="an export document", renderings=("text/csv", "application/x-ndjson")
        ),
        errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/0/import", handler=import_documents, tag="transfer",
        scope="full", audience="all buckets", is_destructive=True,
        summary="Import an export document", body=Body(type=Import, example=DOCUMENT, is_document=True),
        answer=Answer(type=ImportReport, description="what was imported"), errors=(Conflict,),
    ),
)  # fmt: skip
