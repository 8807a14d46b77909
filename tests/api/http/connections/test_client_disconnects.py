"""A client that closes its connection before it has the response."""

import socket
from pathlib import Path

from dayline.api.http.errors import status_of
from dayline.model.errors import ClientGone
from tests.support.server import RunningServer
from tests.support.waiting import eventually


class ServerThatNeverAnswersQueries(RunningServer):
    """Queries wait until they are cancelled, which leaves a file."""

    @property
    def given_up(self) -> Path:
        return self.database.with_suffix(".given-up")

    @property
    def change(self) -> str:  # type: ignore[override]
        return (
            "import asyncio, pathlib\n"
            "from dayline.query.processes.workers import Queries\n"
            "async def run(self, work, **options):\n"
            "    try:\n"
            "        await asyncio.Event().wait()\n"
            "    finally:\n"
            f"        pathlib.Path({str(self.given_up)!r}).touch()\n"
            "Queries.run = run\n"
        )


def test_a_request_that_was_given_up_is_no_error_and_not_in_the_audit_log(tmp_path: Path) -> None:
    # It was counted as an error of the server, 503: pages give up requests if you leave before they have loaded.
    with ServerThatNeverAnswersQueries(tmp_path / "days.db") as server:
        with socket.create_connection(("127.0.0.1", server.port)) as client:
            client.sendall(b"GET /api/1/summary HTTP/1.1\r\nHost: localhost\r\n\r\n")
        eventually(server.given_up.exists)

        def calls() -> set[str]:
            return {line["call"] for line in server.get("/api/1/audit").json["lines"]}

        eventually(lambda: "get_audit" in calls())
        assert "get_summary" not in calls()


def test_its_status_is_that_of_a_cancelled_request() -> None:
    status = status_of(ClientGone("the client has disconnected"))

    assert (status.value, status.phrase) == (499, "Client Closed Request")
