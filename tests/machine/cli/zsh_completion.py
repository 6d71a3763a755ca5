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
    "kernbench schema t": "kernbench schema topology",
}


def read_until(terminal, text, seconds=20):
    seen = ""
    end = time.time() + seconds
    while text not in seen and time.time() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            seen += os.read(terminal, 65536).decode(errors="replace")
    return seen


def main():
    child, terminal = pty.fork()
    if child == 0:
        os.environ["PATH"] = PROGRAMS + ":" + os.environ["PATH"]
        os.environ["TERM"] = "dumb"
        os.execvp("zsh", ["zsh", "-f", "-i"])
    setup = f"PS1=; unsetopt zle_bracketed_paste; fpath=({COMPLETIONS} $fpath); autoload -Uz compinit && compinit -u -D; print re''ady\n"
    os.write(terminal, setup.encode())
    failed = [] if "ready" in read_until(terminal, "ready\r\n") else ["zsh does not start"]
    for typed, expected in CASES.items():
        os.write(terminal, typed.encode() + b"\t")
        seen = read_until(terminal, expected, 10)
        if expected not in seen:
            failed.append(f"'{typed}' becomes {seen!r}, not '{expected}'")
        os.write(terminal, b"\x03")
        read_until(terminal, "\0", 0.5)
    os.write(terminal, b"exit\n")
    os.close(terminal)
    os.waitpid(child, 0)
    for text in failed:
        print(text)
    return 1 if failed else 0


sys.exit(main())
