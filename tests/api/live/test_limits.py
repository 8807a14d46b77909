"""Slow readers, too many of them, those who are gone, and a server that stops."""

import select
import socket
import struct
from pathlib import Path

from dayline.api.live.listener import StreamTuning
from tests.api.live.conftest import streaming
from tests.support.calls.listening import STREAM, OpenStream, beat
from tests.support.server import RunningServer
from tests.support.waiting import PATIENCE_S, eventually

SMALL = 4096


def test_a_slow_reader_is_dropped_and_heartbeats_are_answered(tmp_path: Path) -> None:
    with streaming(tmp_path, StreamTuning(queued_bytes=16 << 10), max_listeners=1) as server:
        server.create("recorded")
        with _unread(server):
            for number in range(20_000):
                server.create(f"{number:0512}")
                beat(server, "recorded", str(number))
                if number % 50 == 0 and server.get(f"{STREAM}?follow=0").status == 200:
                    break  # there is space for another
            else:
                raise AssertionError("it was not dropped")


def test_one_stream_too_many_is_rejected_until_another_ends(tmp_path: Path) -> None:
    with streaming(tmp_path, max_listeners=2) as server:
        streams = [OpenStream(server), OpenStream(server)]

        answer = server.get(STREAM)
        assert answer.status == 503
        assert "max_listeners" in answer.json["hint"]
        assert "retry-after" in answer.headers

        streams[0].close()
        eventually(lambda: server.get(f"{STREAM}?follow=0").status == 200)
        OpenStream(server).close()
        streams[1].close()


def test_head_request_takes_no_place_among_the_streams(tmp_path: Path) -> None:
    with streaming(tmp_path, max_listeners=1) as server:
        for _ in range(3):
            answer = server.call("HEAD", STREAM)
            assert (answer.status, answer.body) == (200, b"")
            assert server.get(f"{STREAM}?follow=0").status == 200
        OpenStream(server).close()


def test_a_server_that_stops_does_not_wait_for_streams(tmp_path: Path) -> None:
    server = streaming(tmp_path)
    server.constants = {"dayline.api.http.server:DRAIN_S": 2 * PATIENCE_S}
    with server:
        streams = [OpenStream(server) for _ in range(5)]
        for stream in streams:
            stream.next("hello")
        with _unread(server):
            assert server.stop() == 0
        for stream in streams:
            assert stream.is_over.wait(PATIENCE_S)
            stream.close()


def test_a_client_that_leaves_before_a_stream_begins_is_no_server_error(tmp_path: Path) -> None:
    with streaming(tmp_path) as server:
        for _ in range(300):
            hasty = socket.create_connection(("127.0.0.1", server.port))
            hasty.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # gone at once
            hasty.sendall(f"GET {STREAM} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            hasty.close()
        eventually(lambda: server.get(f"{STREAM}?follow=0").status == 200)


def _unread(server: RunningServer) -> socket.socket:
    """A stream that no one reads."""
    unread = socket.socket()
    unread.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
    unread.connect(("127.0.0.1", server.port))
    unread.sendall(f"GET {STREAM} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    assert select.select([unread], [], [], PATIENCE_S)[0]  # it has begun
    return unread
