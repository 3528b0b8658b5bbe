# SPDX-License-Identifier: GPL-2.0-or-later
"""Processes that keep the machine busy while tests run, to find tests that depend on its speed."""

import contextlib
import subprocess
import sys

LOOP = "while True: pass"


@contextlib.contextmanager
def busy_loops(count):
    """`count` processes that compute until the block ends, or this program does."""
    loops = []
    try:
        for _ in range(count):
            loops.append(subprocess.Popen(["setpriv", "--pdeathsig", "KILL",
                                           sys.executable, "-c", LOOP]))
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
