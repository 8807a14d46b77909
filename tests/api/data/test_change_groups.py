"""Changes that were made together: their group, who made them, and one undo."""

from tests.support.server import RunningServer

DELETE = "/api/1/events/delete"


def fill(server: RunningServer, *names: str) -> None:
    for name in names:
        server.create(name)
        events = [
            {"timestamp": f"2026-03-05T12:{minute:02}:00Z", "duration": 60, "data": {"title": str(minute)}}
            for minute in range(0, 50, 10)
        ]
        assert server.post(f"/api/0/buckets/{name}/events", events).status == 200


def count(server: RunningServer, name: str) -> int:
    return len(server.get(f"/api/0/buckets/{name}/events").json)


def test_one_undo_restores_what_was_deleted_in_several_buckets(server: RunningServer) -> None:
    # Each bucket was an entry of its own, without a time.
    fill(server, "one", "two")
    span = {"start": "2026-03-05T12:05:00Z", "end": "2026-03-05T12:35:00Z"}
    for name in ("one", "two"):
        answer = server.call("POST", DELETE, {"bucket": name, **span}, headers={"Undo-Group": "a1"})
        assert answer.status == 200, answer.body
    assert (count(server, "one"), count(server, "two")) == (2, 2)

    listed = [item for item in server.get("/api/1/trash").json if item["group"] == "a1"]
    assert [(item["start"], item["end"]) for item in listed] == 2 * [
        ("2026-03-05T12:10:00Z", "2026-03-05T12:31:00Z"),
    ]
    assert all(item["by"] for item in listed)

    undone = server.post("/api/1/undo/groups/a1", {})
    assert [each["bucket"] for each in undone.json] == ["two", "one"]
    assert (count(server, "one"), count(server, "two")) == (5, 5)
    assert server.post("/api/1/undo/groups/a1", {}).status == 404


def test_a_group_is_a_short_text(server: RunningServer) -> None:
    fill(server, "three")
    answer = server.call("POST", DELETE, {"bucket": "three"}, headers={"Undo-Group": 65 * "x"})
    assert answer.status == 400
    assert count(server, "three") == 5
