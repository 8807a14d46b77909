"""The calls about export and import."""

from dayline.api import exports, transfer
from dayline.api.documents import (
    Export,
    Import,
)
from dayline.api.route import BUCKET_ID, Answer, Body, Parameter, Route
from dayline.api.tables.parts import BUCKET, EVENT, NEW_BUCKET
from dayline.model.errors import NotFound
from dayline.storage.store import ImportReport

DOCUMENT = {"buckets": {BUCKET_ID: {**NEW_BUCKET, "events": [EVENT]}}}

CALLS: tuple[Route, ...] = (
    Route(
        method="GET", path=f"{BUCKET}/export", handler=transfer.export_bucket, tag="transfer", scope="read",
        summary="Export a bucket", answer=Answer(type=Export, description="an export document"), errors=(NotFound,),
    ),
    Route(
        method="GET", path="/api/0/export", handler=transfer.export_all, tag="transfer", scope="read",
        summary="Export everything", answer=Answer(type=Export, description="an export document"),
    ),
    Route(
        method="GET", path="/api/1/export", handler=exports.export_events, tag="transfer", scope="read",
        summary="Export a bucket or everything, as a document, a table or lines of JSON",
        parameters=(
            Parameter(name="bucket", type=str, description="the bucket's id; without it, all"),
            Parameter(name="format", type=exports.ExportFormat, description="`json` without it"),
        ),
        answer=Answer(
            type=Export, description="an export document", renderings=("text/csv", "application/x-ndjson")
        ),
        errors=(NotFound,),
    ),
    Route(
        method="POST", path="/api/0/import", handler=transfer.import_documents, tag="transfer",
        scope="full", is_server_wide=True, is_destructive=True,
        summary="Import an export document", body=Body(type=Import, example=DOCUMENT, is_document=True),
        answer=Answer(type=ImportReport, description="what was imported"),
    ),
)  # fmt: skip
