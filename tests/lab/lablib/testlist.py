# SPDX-License-Identifier: GPL-2.0-or-later
"""The lab tests as files: what each declares about itself, and where it is to run.

A test declares in comments near its top, each optional:
    needs: FEATURE...    features that it cannot do without (rows of truth.tsv)
    cpus: N...           CPU counts to run with; default 2
    clock: instructions  the guest's clock counts instructions, one a nanosecond, so that times do
                         not depend on what else the host does; with one CPU
    timeout: SECONDS     time limit; default 300
    kernels: K...        kernels on which the gate runs it; default all. The nightly run
                         (--every-kernel) runs every test on every kernel
    only: K...           kernels on which it can run at all; the nightly run respects this
    kernel-warns: TEXT   a kernel warning that does not fail the test (read by guest/driver)
"""

import fnmatch
import os
import re

from . import kernels
from .errors import LabError

HEADER_LINES = 40
HEADER = re.compile(r"^\s*(?:#|//|\*|/\*)\s*(needs|cpus|clock|timeout|kernels|only):"
                    r"\s*(.*?)\s*(?:\*/)?$")


class Test:
    """One test file and its declarations."""

    def __init__(self, name, path, source):
        self.name = name
        self.path = path
        self.needs = []
        self.cpus = [2]
        self.steady = False
        self.timeout = 300
        self.kernels = list(kernels.KERNELS)
        self.only = list(kernels.KERNELS)
        with open(source, encoding="utf-8", errors="replace") as text:
            for _, line in zip(range(HEADER_LINES), text):
                match = HEADER.match(line)
                if match:
                    self._declare(source, match.group(1), match.group(2).split())
        if self.steady:
            self.cpus = [1]
        self.kernels = [name for name in self.kernels if name in self.only]

    def _declare(self, source, key, words):
        try:
            if key == "needs":
                self.needs += words
            elif key == "cpus":
                self.cpus = [int(word) for word in words]
            elif key == "clock":
                self.steady = {"instructions": True}[words[0]]
            elif key == "timeout":
                (self.timeout,) = (int(word) for word in words)
            elif words != ["all"]:
                setattr(self, key, words)
        except (ValueError, KeyError, IndexError):
            raise LabError(f"{source}: cannot read \"{key}: {' '.join(words)}\"") from None
        for name in self.kernels + self.only:
            if name not in kernels.KERNELS:
                raise LabError(f"{source}: no kernel \"{name}\"")

    def choose_kernels(self, options):
        """Apply --every-kernel and --slowest-kernel to the test's declarations."""
        if options.every_kernel:
            self.kernels = self.only
        elif options.slowest_kernel:
            self.kernels = [min(self.kernels, key=kernels.SLOWEST_FIRST.index)]


def load(directories, build, patterns):
    """The tests of the directories, by name, that match one of the patterns (all, if none)."""
    sources = {}
    for source in sorted((entry.path for directory in directories
                          for entry in os.scandir(directory) if entry.is_file()),
                         key=os.path.basename):
        name = os.path.basename(source)
        if name.endswith(".c"):
            name = name.removesuffix(".c")
            sources[name] = (os.path.join(build, "tests", "lab", name), source)
        elif os.access(source, os.X_OK):
            sources[name] = (source, source)
    return [Test(name, *sources[name]) for name in _matching(sources, patterns)]


def _matching(names, patterns):
    """The names selected by the patterns, in the patterns' order; an exact name selects no other."""
    if not patterns:
        return list(names)
    found = []
    for pattern in patterns:
        found += [pattern] if pattern in names else [n for n in names if matches(n, pattern)]
    return list(dict.fromkeys(found))


def portion(tests, text):
    """Part I of M of the tests, for the text "I/M"."""
    try:
        number, count = (int(word) for word in text.split("/"))
        if not 1 <= number <= count:
            raise ValueError
    except ValueError:
        raise LabError(f"--portion \"{text}\": expected I/M with I from 1 to M") from None
    return tests[number - 1::count]


def matches(name, pattern):
    return fnmatch.fnmatch(name, pattern) or pattern in name
