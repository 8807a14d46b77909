"""Completion in bash, zsh and fish: what click's scripts do not do.

- bash splits words at colons, and inserts a name with a space as two words.
- zsh runs the file of a completion as a function. From the second time on, click's only registers itself again and
  offers nothing.
- fish cuts a name at its first comma.
"""

import os
import shlex
from typing import Any, ClassVar, Final

from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    split_arg_string,
)

VARIABLE: Final = "_DAYLINE_COMPLETE"  # the script sets it to call this program

_BASH: Final = """\
%(complete_func)s() {
    local IFS=$'\\n' answer line=${COMP_LINE:0:COMP_POINT}
    COMPREPLY=()
    # Readline replaces only what follows the last colon, unless colons do not end a word.
    local splits=${COMP_WORDBREAKS//[^:]/}

    for answer in $(env COMP_LINE="$line" COMP_SPLITS="$splits" %(complete_var)s=bash_complete "$1"); do
        case $answer in
            dir,*) COMPREPLY=(); compopt -o dirnames ;;
            file,*) COMPREPLY=(); compopt -o default ;;
            plain,*) COMPREPLY+=("${answer#plain,}") ;;
        esac
    done
    [[ ${COMPREPLY[0]-} == *: ]] && compopt -o nospace  # the word continues
    return 0
}

complete -o nosort -F %(complete_func)s %(prog_name)s
"""


class Bash(BashComplete):
    """Words as they are typed, and names as they must be inserted."""

    source_template: ClassVar[str] = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the cursor, and the one that is completed."""
        line = os.environ["COMP_LINE"]
        words = split_arg_string(line)[1:]
        return (words, "") if _is_between_words(line) else (words[:-1], words[-1])

    def format_completion(self, item: CompletionItem[Any]) -> str:
        """The type and the rest of the word from where readline replaces it."""
        line = os.environ["COMP_LINE"]
        typed = "" if _is_between_words(line) else _last_word(line)
        is_quoted = typed[:1] in ("'", '"') and typed[:1] != ""
        value = str(item.value) if is_quoted else _escaped(str(item.value))
        if os.environ["COMP_SPLITS"] and not is_quoted:
            before = typed.rpartition(":")[0]
            value = value[len(before) + 1 :] if before and value.startswith(f"{before}:") else value
        return f"{item.type},{value}"


class Zsh(ZshComplete):
    """The file works each time that zsh calls it, and a word that ends in a colon continues."""

    source_template: ClassVar[str] = ZshComplete.source_template.replace(
        "[[ $zsh_eval_context[-1] == loadautofunc ]]",
        '[[ $zsh_eval_context[-1] == loadautofunc || "$funcstack[1]" == _%(prog_name)s ]]',
    ).replace(
        "compadd -U -V unsorted -a completions",
        'local -a suffix; [[ "$completions[1]" == *: ]] && suffix=(-S "")\n'
        '        compadd "${suffix[@]}" -U -V unsorted -a completions',
    )


class Fish(FishComplete):
    """Names with commas."""

    source_template: ClassVar[str] = FishComplete.source_template.replace(
        'string split "," $completion', 'string split --max 1 "," $completion'
    )


SHELLS: Final[dict[str, type[ShellComplete]]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def _is_between_words(line: str) -> bool:
    try:
        shlex.split(line)
    except ValueError:
        return False  # inside of quotes, or after a backslash
    return line[-1:].isspace() and not line.endswith("\\ ")


def _last_word(line: str) -> str:
    """The word at the end of a line as it is typed, with its quotes."""
    for start in range(len(line) - 1, -1, -1):
        if line[start].isspace() and _is_between_words(line[: start + 1]):
            return line[start + 1 :]
    return line


def _escaped(value: str) -> str:
    """A value as bash reads it outside of quotes."""
    return "".join(letter if letter.isalnum() or letter in "_-+=:,./@%^" else f"\\{letter}" for letter in value)
