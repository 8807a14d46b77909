"""Generate the service files in contrib/, as `dayline service install` writes them."""

from pathlib import Path

from dayline.cli.service.launchd import Launchd
from dayline.cli.service.platform import Job
from dayline.cli.service.systemd import unit_text


def sample_unit() -> str:
    """The unit, with the command path of `pip install --user` and `pipx install`."""
    return unit_text("dayline", "%h/.local/bin/dayline serve", {})


def sample_agent() -> str:
    """The agent. launchd expands neither ~ nor PATH, so users have to set the path themselves."""
    agent = Launchd(name="dayline", path=Path("dayline.plist"), domain="gui/501")
    return agent.text(agent.content(Job(command=("/usr/local/bin/dayline", "serve"))))
