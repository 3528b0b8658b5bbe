# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands claim in text tables, in other words than in JSON."""

import re

from truthlib.claims import asleep_fits, near
from truthlib.question import number, question

UNITS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}
CELL = r"\s*(\.|\S+(?: [num]?s)?)"


def _ns(text):
    """A duration in a table, in nanoseconds; a dot means none."""
    if text == ".":
        return 0
    value, unit = text.split()
    return float(value) * UNITS[unit]


@question("calls", "syscalls", number)
def calls_of_stats_text(recording, fact):
    """The line of the entry event."""
    row = recording.row(rf"^\s*(\d+)\s.*\ssyscalls:sys_enter_{fact['name']}$", "stats")
    return int(row.group(1)) if row else 0


@question("calls", "syscalls", number)
def calls_of_histogram_text(recording, fact):
    """The line above the histogram."""
    if not fact.get("count", fact.get("at_least")):
        return 0
    row = recording.row(rf"^system call {fact['name']}: (\d+) calls?,", "stats", "--hist", fact["name"])
    return int(row.group(1)) if row else None


def _wait_fits(claim, fact):
    """A table has three digits: the value may have been rounded up or down."""
    return claim[0] == fact["count"] and any(asleep_fits(claim[1] * part, fact) for part in (0.995, 1.005))


@question("wait", "syscalls sched", _wait_fits)
def wait_of_offcpu_text(recording, fact):
    """Below the line of the task, that of the waits in a call ended by this waker."""
    task = None
    for line in recording.lines("offcpu"):
        task = re.search(r"\d  \S.*-(\d+)$", line) or task
        row = re.search(rf"^{CELL}\s+(\d+)\s.*\d    (?:sleeping|blocked) in {fact['name']}, woken by "
                        rf"{fact['waker']}-{fact['waker_pid']}$", line)
        if row and task and int(task.group(1)) == fact["pid"]:
            return [int(row.group(2)), _ns(row.group(1))]
    return [0, 0]


@question("competition", "sched", lambda claim, fact: near(claim[0], fact["cpu_ns"]) and
          near(claim[1], fact["runnable_ns"]))
def competition_of_sched_text(recording, fact):
    """The line of the task: how long it ran, and waited for a CPU."""
    row = recording.row(rf"^{CELL}\s+\d+{CELL}\s.*-{fact['pid']}$", "sched")
    return [_ns(row.group(1)), _ns(row.group(2))] if row else None


@question("probe", "probes", number, only=True)
def hits_of_info_text(recording, fact):
    """The line of the event, which belongs to a session."""
    row = recording.row(rf"^\s+(\d+) \S+:{fact['event']}$", "info", "-c")
    return int(row.group(1)) if row else 0
