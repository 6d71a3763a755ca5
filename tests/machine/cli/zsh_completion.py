#!/usr/bin/env python3
"""A zsh in a terminal that completes words after kernbench: zsh_completion.py FOLDER_OF_COMPLETIONS FOLDER_OF_PROGRAM

The folder takes the place of /usr/share/zsh/vendor-completions, which zsh searches by itself.
"""

import os
import pty
import select
import sys
import time

COMPLETIONS, PROGRAMS = sys.argv[1:3]
CASES = {
    "kernbench swe": "kernbench sweep",
    "kernbench run --bench flash": "kernbench run --bench flash-attention",
    "kernbench run --verify": "kernbench run --verify-data",
    "kernbench schema top": "kernbench schema topology",
}


def read_until(terminal, text, seconds=20):
    seen = ""
    end = time.time() + seconds
    while text not in seen and time.time() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")
    return seen


def completed(typed, expected):
    """What the terminal shows; an own zsh each time, because what is typed before a prompt is there counts, too."""
    child, terminal = pty.fork()
    if child == 0:
        os.environ["PATH"] = PROGRAMS + ":" + os.environ["PATH"]
        os.environ["TERM"] = "dumb"
        os.execvp("zsh", ["zsh", "-f", "-i"])
    setup = f"fpath=('{COMPLETIONS}' $fpath); autoload -Uz compinit && compinit -u -D; PS1='K''B> '\n"  # not in its own echo
    os.write(terminal, setup.encode())
    seen = read_until(terminal, "KB> ")
    if "KB> " in seen:
        os.write(terminal, typed.encode() + b"\t")
        seen = read_until(terminal, expected, 20)
    os.close(terminal)  # ends the shell
    os.waitpid(child, 0)
    return seen


def main():
    failed = 0
    for typed, expected in CASES.items():
        seen = completed(typed, expected)
        if expected not in seen:
            failed += 1
            print(f"'{typed}' becomes {seen!r}, not '{expected}'")
    return 1 if failed else 0


sys.exit(main())
