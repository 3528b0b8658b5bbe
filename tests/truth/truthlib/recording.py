# SPDX-License-Identifier: GPL-2.0-or-later
"""Ways of recording a workload, the recording itself, and what commands say about it."""

import json
import os
import re
import subprocess
import tempfile
import threading
import time

TRUTH_SIZE = 65536
TIMEOUT = 240
SECOND_BYTE = 0.5  # seconds after the first one

EVENTS = ["syscalls", "sched", "signal", "task", "exceptions"]


class TruthError(Exception):
    """Something failed, so nothing was checked."""


class Way:
    """How to record, and what such a recording must contain."""

    def __init__(self, name, sees, command, follows=True, middle=False, ends=True, lossy=False,
                 records=True, noted=True):
        self.name = name
        self.sees = frozenset(sees.split())
        self.command = command  # before the workload, with {fathom}, {file} and {program}
        self.follows = follows  # records only the workload, not the whole system
        self.middle = middle    # begins while the workload runs; {pid} is its pid
        self.ends = ends        # and ends after what the workload does has ended
        self.lossy = lossy      # events are lost: counts are too small, and that is said
        self.noted = noted      # the file says which tasks were followed
        self.records = records  # leaves a trace file; else what it printed is all


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
        ["trace-cmd", "record", "-q", "-o", "{file}", "-F", "-c", *_events(*EVENTS)], noted=False),
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
    Way("stream", "stream",
        ["{fathom}", "stream", "-q", "-b", "4096", "-F", "-c", *_events("syscalls")], records=False),
    Way("started", "syscalls",
        ["sh", "-c", '"$0" start -q -b 4096 -F -c -e syscalls "$@"; "$0" stop; '
         '"$0" extract -q -o {file}', "{fathom}"]),
    Way("user-functions", "user-functions",
        ["{fathom}", "record", "-q", "-o", "{file}", "-F", "--user-functions", "{program}:touching_*"]),
    Way("probes", "probes",
        ["{fathom}", "record", "-q", "-o", "{file}", "-F",
         "-e", "u:{program}:touching_add(a=arg1:s32, b=arg2:s64)",
         "-e", "ur:{program}:touching_add => ret:s64"]),
    Way("kernel-probes", "probes",
        ["{fathom}", "record", "-q", "-o", "{file}", "-F",
         "-e", "k:mem_lseek(offset=arg2:s64, orig=arg3:s32)",
         "-e", "kr:mem_lseek => ret:s64"]),
    Way("memory", "memory",
        ["{fathom}", "record", "-q", "-o", "{file}", "-e", "mem:{program}:touching_word"]),
    Way("watch", "watch", ["{fathom}", "watch", "touching_word"], records=False),
    Way("watch-json", "watch-json", ["{fathom}", "watch", "--json", "touching_word"], records=False),
    Way("sample", "samples", ["{fathom}", "sample", "-q", "-F", "250", "-o", "{file}"]),
    Way("devices", "block irqs",
        ["{fathom}", "record", "-q", "-o", "{file}", "-b", "8192",
         *_events("block", "irq", "irq_vectors", "sched", "syscalls")], follows=False),
    Way("why", "failures",
        ["{fathom}", "why", "-q", "--rerun", "-o", "{file}"]),
    Way("changed", "syscalls changes",
        ["{fathom}", "record", "-q", "-o", "{file}", "-F", "-c", *_events("syscalls", "sched")]),
    Way("changed-functions", "syscalls changes",
        ["{fathom}", "run", "-q", "-o", "{file}"]),
]}


FILES = ["trace.dat", "before.dat", "truth", "stdout", "stderr"]


def make(fathom, way, command, directory):
    """Records the workload, in a guest; leaves FILES in the directory."""
    file = os.path.join(directory, "trace.dat")
    truth = os.path.join(directory, "truth")
    with open(truth, "wb") as page:
        page.truncate(TRUTH_SIZE)
    env = dict(os.environ, TRUTH=truth)

    def record(more, pid=None):
        words = [word.format(fathom=fathom, file=file, pid=pid, program=command[0])
                 for word in way.command] + more
        made = subprocess.run(words, cwd=directory, env=env, text=True, capture_output=True,
                              timeout=TIMEOUT, check=False)
        for name, text in (("stdout", made.stdout), ("stderr", made.stderr)):
            with open(os.path.join(directory, name), "w", encoding="utf-8") as printed:
                printed.write(text)
        if not (os.path.exists(file) if way.records else made.stdout):
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
    """Ends a lasting workload."""
    with open(truth, "r+b") as page:
        page.seek(TRUTH_SIZE - 1)
        page.write(b"e")
    try:
        workload.stdin.write(b"e")
        workload.stdin.flush()
        time.sleep(SECOND_BYTE)
        workload.stdin.write(b"e")
        workload.stdin.close()
    except BrokenPipeError:
        pass  # one that looks at the page has ended by now


def is_traced(pid):
    """Whether a buffer of the kernel that is limited to this process is enabled."""
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
    """The same after recording for a while."""
    deadline = time.monotonic() + TIMEOUT
    for _ in range(5):
        while not is_traced(workload.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(0.2)
    end(workload, truth)


# Commands that are asked about the whole system, even if only one task is of interest.
OF_ALL = {"critical", "diff", "info", "io", "irqs", "why"}


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
        # A program that ran twice has stated some facts twice.
        for fact in map(json.loads, dict.fromkeys(lines)):
            if fact["fact"] == "root":
                self.pid = self.pid or fact["pid"]
            else:
                self.facts.append(fact)
        if not self.facts or self.pid is None:
            raise TruthError("the workload said nothing")

    def _ask(self, command, *options):
        words = [self.fathom, command, *options]
        if not self.way.follows and command not in OF_ALL:
            words += ["--pid", str(self.pid)]
        words += ["-i", "trace.dat"] if command == "why" else ["trace.dat"]
        if tuple(words) not in self._answers:
            self._answers[tuple(words)] = subprocess.run(
                words, cwd=self.directory, capture_output=True, timeout=TIMEOUT, check=False)
        answer = self._answers[tuple(words)]
        if answer.returncode != 0 or not answer.stdout:
            raise TruthError(f"fathom {' '.join(words[1:])}: ended with {answer.returncode}: "
                             f"{answer.stderr[-500:].decode(errors='replace').strip()}")
        return answer.stdout

    def data(self, command, *options):
        """The output of the command, as bytes."""
        return self._ask(command, *options)

    def text(self, command, *options):
        """The output of the command."""
        return self._ask(command, *options).decode()

    def printed(self, stream="stdout"):
        """The output of the command that made the recording, as lines."""
        with open(os.path.join(self.directory, stream), encoding="utf-8") as text:
            return text.read().splitlines()

    def counts_of_copy(self, command, *options):
        """The number of events of each kind in the files that the command makes of the recording."""
        counts = {}
        with tempfile.TemporaryDirectory(prefix="truth-") as directory:
            words = [self.fathom, command, *options, "-i", "trace.dat",
                     "-o", os.path.join(directory, "copy.dat")]
            made = subprocess.run(words, cwd=self.directory, capture_output=True, text=True,
                                  timeout=TIMEOUT, check=False)
            if made.returncode:
                raise TruthError(f"fathom {' '.join(words[1:])}: ended with {made.returncode}: "
                                 f"{made.stderr[-500:].strip()}")
            for name in os.listdir(directory):
                info = subprocess.run([self.fathom, "info", "-c", "--json", name], cwd=directory,
                                      capture_output=True, timeout=TIMEOUT, check=True)
                for row in json.loads(info.stdout)["counts"]:
                    counts[row["event"]] = counts.get(row["event"], 0) + row["count"]
        return counts

    def json(self, command, *options):
        """The output of the command, as JSON."""
        return json.loads(self.text(command, *options, "--json"))

    def lines(self, command, *options):
        """The output of the command, as lines of text."""
        return self.text(command, *options).splitlines()

    def row(self, pattern, command, *options):
        """The first line of the command's output that matches the pattern, or None."""
        for line in self.lines(command, *options):
            match = re.search(pattern, line)
            if match:
                return match
        return None
