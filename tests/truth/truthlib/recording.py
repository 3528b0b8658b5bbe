# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways of recording a workload, the recording itself, and what commands say about it."""

import json
import os
import re
import subprocess
import threading
import time

TRUTH_SIZE = 65536
TIMEOUT = 240

EVENTS = ["syscalls", "sched", "signal", "task", "exceptions"]


class TruthError(Exception):
    """Something could not be done, so nothing was checked."""


class Way:
    """How to record, and what such a recording has to know."""

    def __init__(self, name, sees, command, follows=True, middle=False, ends=True, lossy=False):
        self.name = name
        self.sees = frozenset(sees.split())
        self.command = command  # before the workload, with {fathom} and {file}
        self.follows = follows  # records only the workload, not the whole system
        self.middle = middle    # begins while the workload runs; {pid} is its pid
        self.ends = ends        # and ends after what the workload does has ended
        self.lossy = lossy      # events are lost: counts are too small, and that is said


def _events(*systems):
    return [word for system in systems for word in ("-e", system)]


WAYS = {way.name: way for way in [
    Way("run", "syscalls sched signals tasks faults functions files ends",
        ["{fathom}", "run", "-q", "-o", "{file}"]),
    Way("run-events", "syscalls sched signals tasks faults files ends",
        ["{fathom}", "run", "-q", "--no-functions", "-o", "{file}"]),
    Way("events", "syscalls sched signals tasks faults",
        ["{fathom}", "record", "-q", "-o", "{file}", "-F", "-c", *_events(*EVENTS)]),
    Way("system", "syscalls sched signals tasks faults",
        ["{fathom}", "record", "-q", "-o", "{file}", "-b", "8192", *_events(*EVENTS)],
        follows=False),
    Way("syscalls", "syscalls",
        ["{fathom}", "record", "-q", "-o", "{file}", "-F", "-c", *_events("syscalls")]),
    Way("trace-cmd", "syscalls sched signals tasks faults",
        ["trace-cmd", "record", "-q", "-o", "{file}", "-F", "-c", *_events(*EVENTS)]),
    Way("lossy", "syscalls",
        ["{fathom}", "record", "-q", "-o", "{file}", "-F", "-c", "-b", "8",
         *_events("syscalls")], lossy=True),
    Way("middle", "syscalls sched signals tasks faults files",
        ["{fathom}", "run", "-q", "--no-functions", "-o", "{file}", "-P", "{pid}", "--for", "3s"],
        middle=True),
    Way("middle-functions", "syscalls sched signals tasks faults functions files",
        ["{fathom}", "run", "-q", "-o", "{file}", "-P", "{pid}", "--for", "3s"], middle=True),
    Way("within", "",
        ["{fathom}", "run", "-q", "--no-functions", "-o", "{file}", "-P", "{pid}", "--for", "500ms"],
        middle=True, ends=False),
]}


def make(fathom, way, command, directory):
    """Records the workload, in a guest; leaves trace.dat and the page of truth in the directory."""
    file = os.path.join(directory, "trace.dat")
    truth = os.path.join(directory, "truth")
    with open(truth, "wb") as page:
        page.truncate(TRUTH_SIZE)
    env = dict(os.environ, TRUTH=truth)

    def record(more, pid=None):
        words = [word.format(fathom=fathom, file=file, pid=pid) for word in way.command] + more
        made = subprocess.run(words, cwd=directory, env=env, text=True, capture_output=True,
                              timeout=TIMEOUT, check=False)
        if not os.path.exists(file):
            raise TruthError(f"{' '.join(words)}: ended with {made.returncode}, and nothing was "
                             f"recorded: {made.stderr[-500:]}")

    if not way.middle:
        record(command)
        return
    with subprocess.Popen(command, cwd=directory, env=env, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as workload:
        workload.stdout.readline()
        if way.ends:
            threading.Thread(target=end_later, args=(workload, truth)).start()
        record([], workload.pid)
        if not way.ends:
            end(workload, truth)
        workload.wait(TIMEOUT)


def end(workload, truth):
    """Lets a workload that lasts end."""
    with open(truth, "r+b") as page:
        page.seek(TRUTH_SIZE - 1)
        page.write(b"e")
    workload.stdin.write(b"e")
    workload.stdin.close()


def is_traced(pid):
    """Is a buffer of the kernel on that is limited to this process?"""
    top = "/sys/kernel/tracing"
    instances = os.path.join(top, "instances")
    for place in [top, *(os.path.join(instances, name) for name in os.listdir(instances))]:
        try:
            with open(os.path.join(place, "set_event_pid"), encoding="ascii") as pids, \
                    open(os.path.join(place, "tracing_on"), encoding="ascii") as on:
                if str(pid) in pids.read().split() and on.read().strip() == "1":
                    return True
        except OSError:
            pass
    return False


def end_later(workload, truth):
    """The same when it has been recorded for a while."""
    deadline = time.monotonic() + TIMEOUT
    for _ in range(5):
        while not is_traced(workload.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
    end(workload, truth)


class Recording:
    """A workload that was recorded in one way: its facts, and the answers of commands."""

    def __init__(self, fathom, way, directory):
        self.fathom = fathom
        self.way = way
        self.directory = directory
        self.facts = []
        self.pid = None  # of the workload's first process
        self._answers = {}
        with open(os.path.join(directory, "truth"), "rb") as page:
            length = int.from_bytes(page.read(4), "little")
            lines = page.read(length).decode().splitlines()
        for fact in map(json.loads, lines):
            if fact["fact"] == "root":
                self.pid = self.pid or fact["pid"]
            else:
                self.facts.append(fact)
        if not self.facts or self.pid is None:
            raise TruthError("the workload said nothing")

    def _ask(self, command, *options):
        words = [self.fathom, command, *options]
        if not self.way.follows:
            words += ["--pid", str(self.pid)]
        words.append("trace.dat")
        if tuple(words) not in self._answers:
            self._answers[tuple(words)] = subprocess.run(
                words, cwd=self.directory, text=True, capture_output=True, timeout=TIMEOUT,
                check=False)
        answer = self._answers[tuple(words)]
        if answer.returncode != 0 or not answer.stdout:
            raise TruthError(f"fathom {' '.join(words[1:])}: ended with {answer.returncode}: "
                             f"{answer.stderr[-500:].strip()}")
        return answer.stdout

    def json(self, command, *options):
        """What the command says, as JSON."""
        return json.loads(self._ask(command, *options, "--json"))

    def lines(self, command, *options):
        """What the command says, as lines of text."""
        return self._ask(command, *options).splitlines()

    def row(self, pattern, command, *options):
        """The first line of what the command says that matches the pattern, or None."""
        for line in self.lines(command, *options):
            match = re.search(pattern, line)
            if match:
                return match
        return None
