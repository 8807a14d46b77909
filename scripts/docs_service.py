"""The files of contrib/ for service managers, as `dayline service install` writes them."""

from pathlib import Path

from dayline.cli.service.launchd import Launchd
from dayline.cli.service.platform import Job
from dayline.cli.service.systemd import unit_text


def sample_unit() -> str:
    """The unit, with the command where `pip install --user` and `pipx install` put it."""
    return unit_text("dayline", "%h/.local/bin/dayline serve", {})


def sample_agent() -> str:
    """The agent. launchd knows neither ~ nor anybody's PATH: whoever copies it has to name the place."""
    agent = Launchd(name="dayline", path=Path("dayline.plist"), domain="gui/501")
    return agent.text(agent.content(Job(command=("/usr/local/bin/dayline", "serve"))))
