"""`dayline watch`: records the active window, and when you are away."""

import os
import re
import socket
import sys
from pathlib import Path

import click
import msgspec
import platformdirs

from dayline.client.watch.process import COMMAND, VARIABLES, WatchConfig
from dayline.config.sections import PORT, TESTING_PORT, WatchSettings
from dayline.model.errors import Invalid

EXAMPLES = """\b
Examples:
  dayline watch
  dayline watch --no-titles
  dayline watch --server https://days.example:5600 --key-file ~/.config/dayline/laptop.key
"""


@click.command(epilog=EXAMPLES)
@click.option(
    "--server", "url", metavar="URL", envvar="DAYLINE_URL",
    help="Server to record at. [default: this computer's]",
)  # fmt: skip
@click.option(
    "--key-file", type=click.Path(path_type=Path, dir_okay=False),
    help="File with a key for that server, if it requires one.",
)  # fmt: skip
@click.option(
    "--ca-file", type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="Certificate of the server's authority, if the system does not trust it.",
)  # fmt: skip
@click.option("--fingerprint", metavar="SHA256", help="Fingerprint of the server's certificate, instead of --ca-file.")
@click.option("--titles/--no-titles", default=True, help="Record window titles, or only the names of programs.")
@click.option(
    "--away-after", "away_after_s", type=click.FloatRange(10), default=WatchSettings().away_after_s, show_default=True,
    help="Seconds without input after which you count as away.",
)  # fmt: skip
@click.option("--testing", is_flag=True, help="Record at the server of testing mode.")
def watch(
    url: str | None,
    key_file: Path | None,
    ca_file: Path | None,
    fingerprint: str | None,
    titles: bool,
    away_after_s: float,
    testing: bool,
) -> None:
    """Record the active window, and when you are away.

    Works on Linux with X11, and on Wayland with KDE Plasma, GNOME (with an extension), sway and other compositors. It
    records into the buckets of ActivityWatch's watchers, and does nothing while one of them records there. To record
    whenever the server runs, click "Record this computer" on its first page, or run: dayline settings set watch.enabled
    true
    """
    if sys.platform != "linux":
        raise Invalid("dayline watch works on Linux", hint="use the watchers of ActivityWatch on this system")
    from dayline.client.address import parse_address  # here, because --help needs none of it
    from dayline.client.key_file import read_key_file

    address = parse_address(url or f"http://localhost:{TESTING_PORT if testing else PORT}")
    name = re.sub(r"[^a-z0-9.-]", "-", f"watch-{address.host.lower()}-{address.port}")
    config = WatchConfig(
        url=str(address),
        key=None if key_file is None else read_key_file(key_file.expanduser()),
        ca_file=None if ca_file is None else str(ca_file),
        fingerprint=fingerprint,
        hostname=socket.gethostname(),
        folder=str(Path(platformdirs.user_data_dir("dayline", appauthor=False)) / name),
        away_after_s=away_after_s,
        records_titles=titles,
    )
    # Another program in this process, which takes half the memory: it runs as long as the session does.
    reading, writing = os.pipe()
    os.write(writing, msgspec.json.encode(config) + b"\n")
    os.close(writing)
    os.dup2(reading, sys.stdin.fileno())
    os.execve(COMMAND[0], COMMAND, {**os.environ, **VARIABLES})
