# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab tests as files: what each declares about itself, and where it is to run.

A test says in comments near its top, each optional:
    needs: FEATURE...    features that it cannot do without (rows of truth.tsv)
    cpus: N...           CPU counts to run with; default 2
    timeout: SECONDS     time limit; default 60
    kernels: all         on every kernel (the default)
             full        only on the kernels that get the full list
             K...        only on these
    kernel-warns: TEXT   a warning of the kernel that is no failure (read by guest/driver)
"""

import fnmatch
import os
import re

from . import kernels
from .errors import LabError

FULL_LIST_KERNELS = ("6.1", "newest")
HEADER_LINES = 40
HEADER = re.compile(r"^\s*(?:#|//|\*|/\*)\s*(needs|cpus|timeout|kernels):\s*(.*?)\s*(?:\*/)?$")


class Test:
    """One test file and its declarations."""

    def __init__(self, name, path, source):
        self.name = name
        self.path = path
        self.needs = []
        self.cpus = [2]
        self.timeout = 60
        self.kernels = list(kernels.KERNELS)
        with open(source, encoding="utf-8", errors="replace") as text:
            for _, line in zip(range(HEADER_LINES), text):
                match = HEADER.match(line)
                if match:
                    self._declare(source, match.group(1), match.group(2).split())

    def _declare(self, source, key, words):
        try:
            if key == "needs":
                self.needs += words
            elif key == "cpus":
                self.cpus = [int(word) for word in words]
            elif key == "timeout":
                (self.timeout,) = (int(word) for word in words)
            elif words == ["full"]:
                self.kernels = list(FULL_LIST_KERNELS)
            elif words != ["all"]:
                self.kernels = words
        except ValueError:
            raise LabError(f"{source}: cannot read \"{key}: {' '.join(words)}\"") from None
        for name in self.kernels:
            if name not in kernels.KERNELS:
                raise LabError(f"{source}: no kernel \"{name}\"")


def load(directory, build, patterns):
    """The tests of a directory, by name, that match one of the patterns (all, if none)."""
    tests = []
    for entry in sorted(os.listdir(directory)):
        source = os.path.join(directory, entry)
        if entry.endswith(".c"):
            name = entry.removesuffix(".c")
            path = os.path.join(build, "tests", "lab", name)
        elif os.access(source, os.X_OK) and os.path.isfile(source):
            name, path = entry, source
        else:
            continue
        if matches(name, patterns):
            tests.append(Test(name, path, source))
    return tests


def matches(name, patterns):
    return not patterns or any(fnmatch.fnmatch(name, p) or p in name for p in patterns)
