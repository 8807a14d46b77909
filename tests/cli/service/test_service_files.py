"""The files that service managers read: exact, whatever is in a path."""

import plistlib
import re
import shlex
import shutil
import sys
import xml.etree.ElementTree as XML
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dayline.cli.service.launchd import Launchd
from dayline.cli.service.platform import Job
from dayline.cli.service.systemd import Systemd, split_command
from dayline.cli.service.task_scheduler import NAMESPACE, TaskScheduler, split_arguments
from dayline.model.errors import Invalid
from tests.cli.service.asking_systemd import verdict_of

UNIT = Systemd(name="dayline", path=Path("dayline.service"))
AGENT = Launchd(name="dayline", path=Path("dayline.plist"), domain="gui/501")
TASK = TaskScheduler(name="dayline", path=Path("dayline-task.xml"), user="HOME\\robin")
AWKWARD = '/home/ro bin/50% of "it\'s" & <more>/$HOME/a\\b.db'
WORDS = st.lists(
    st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=0, max_size=12)
    | st.sampled_from(["", " ", '"', "\\", '\\"', "%h", "%%", "$HOME", "$$", "'", ";", "a b\\", "ü&<>"]),
    min_size=1,
    max_size=6,
)  # fmt: skip
# What an XML document can hold at all.
XML_WORDS = WORDS.map(lambda words: [re.sub("[\\ufffe\\uffff\\r\\n\\t\x85\u2028\u2029]", "", word) for word in words])


def job(*words: str, **variables: str) -> Job:
    return Job(command=("/usr/bin/dayline", *words), environment=variables)


def read_by_systemd(line: str) -> list[str]:
    """The words of an ExecStart line by the rules of systemd's manual: C escapes in quotes, then %% and $$."""
    words: list[str] = []
    for match in re.finditer(r'"((?:\\.|[^"\\])*)"|([^\s"]+)', line):
        word = match[2]
        if word is None:
            word = re.sub(r"\\(.)", lambda found: found[1], match[1])
        else:
            assert not set(word) & set("\\';")
        assert not re.search(r"(?<!%)(%%)*%(?!%)", word), "a single % would be a specifier"
        words.append(word.replace("%%", "%").replace("$$", "$"))
    return words


@given(WORDS)
def test_systemd_reads_the_words_that_were_given(words: list[str]) -> None:
    [line] = re.findall(r"^ExecStart=(.*)$", UNIT.text(UNIT.content(job(*words))), re.MULTILINE)

    assert read_by_systemd(line) == ["/usr/bin/dayline", *words]
    assert split_command(line) == ("/usr/bin/dayline", *words)


@given(WORDS)
def test_launchd_reads_the_words_that_were_given(words: list[str]) -> None:
    allowed = [re.sub("[\\ufffe\\uffff]", "", word) for word in words]
    content = AGENT.content(job(*allowed))

    assert plistlib.loads(content)["ProgramArguments"] == ["/usr/bin/dayline", *allowed]
    assert AGENT.command(content) == ("/usr/bin/dayline", *allowed)


@given(XML_WORDS)
def test_windows_reads_the_words_that_were_given(words: list[str]) -> None:
    assert TASK.command(TASK.content(job(*words))) == ("/usr/bin/dayline", *words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('"abc" d e', ("abc", "d", "e")),
        (r'a\\b d"e f"g h', (r"a\\b", "de fg", "h")),
        (r"a\\\"b c d", (r"a\"b", "c", "d")),
        (r'a\\\\"b c" d e', (r"a\\b c", "d", "e")),
    ],
)
def test_command_lines_of_windows_are_read_as_its_manual_says(line: str, words: tuple[str, ...]) -> None:
    assert split_arguments(line) == words


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd here to ask")
@pytest.mark.parametrize("name", ["50% of it ünder", 'with "it\'s"', "$HOME", "a\\b"])
def test_systemd_accepts_a_unit_with_awkward_values(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    program = folder / "dayline"
    program.symlink_to(sys.executable)
    path = tmp_path / "dayline.service"
    unit = Systemd(name="dayline", path=path)
    path.write_bytes(
        unit.content(Job(command=(str(program), "serve", AWKWARD), environment={"XDG_DATA_HOME": AWKWARD}))
    )

    verdict = verdict_of(path, home=tmp_path)

    assert path.name not in verdict.stderr
    assert verdict.returncode == 0, verdict.stderr


def test_the_unit_writes_no_core_dumps_and_no_files_for_others() -> None:
    lines = UNIT.text(UNIT.content(job("serve"))).splitlines()

    assert {"LimitCORE=0", "UMask=0077"} <= set(lines)


def test_variables_are_part_of_the_unit_and_of_the_agent() -> None:
    given_job = job("serve", XDG_DATA_HOME=AWKWARD)
    [line] = re.findall(r"^Environment=(.*)$", UNIT.text(UNIT.content(given_job)), re.MULTILINE)

    # In a variable a $ is literal.
    assert shlex.split(line.replace("%%", "%")) == [f"XDG_DATA_HOME={AWKWARD}"]
    assert plistlib.loads(AGENT.content(given_job))["EnvironmentVariables"] == {"XDG_DATA_HOME": AWKWARD}
    with pytest.raises(Invalid, match="XDG_DATA_HOME"):
        TASK.content(given_job)


def test_the_task_has_what_the_schema_asks_for() -> None:
    task = XML.fromstring(TASK.content(job("serve", "--database", AWKWARD)))

    def text(path: str) -> str | None:
        return task.findtext("/".join(f"{{{NAMESPACE}}}{part}" for part in path.split("/")))

    assert (task.tag, task.get("version")) == (f"{{{NAMESPACE}}}Task", "1.2")
    assert text("Triggers/LogonTrigger/UserId") == "HOME\\robin"
    assert text("Principals/Principal/LogonType") == "InteractiveToken"
    assert text("Principals/Principal/RunLevel") == "LeastPrivilege"
    assert text("Settings/ExecutionTimeLimit") == "PT0S"
    assert text("Settings/RestartOnFailure/Interval") == "PT1M"
    assert text("Settings/RestartOnFailure/Count") == "10"
    assert text("Actions/Exec/Command") == "/usr/bin/dayline"
    principal, actions = (task.find(f"{{{NAMESPACE}}}{path}") for path in ("Principals", "Actions"))
    assert principal is not None
    assert actions is not None
    assert actions.get("Context") == principal[0].get("id")
