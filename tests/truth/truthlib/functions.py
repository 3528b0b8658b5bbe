# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands claim about kernel functions, and about single calls over time."""

import re

from truthlib.exported import chrome_calls
from truthlib.question import named, number, question


def _names(call):
    """The kernel functions that implement this system call: one of these names."""
    return [f"{prefix}_sys_{call}" for prefix in ("__x64", "__do", "__se")]


@question("calls", "functions", number, only=True)
def calls_of_tree(recording, fact):
    """The function of the system call."""
    rows = recording.json("tree", "--flat", "--min", "0")["calls"]
    return sum(row["count"] + row["incomplete_count"] for row in rows if row["function"] in _names(fact["name"]))


@question("calls", "functions", number, only=True)
def calls_of_tree_text(recording, fact):
    """The same in text form: calls, median, max, name."""
    cell = r"(?:\.|\S+ \S?s)\s+"
    pattern = re.compile(rf"\s(\d+)\s+{cell}{cell}(?:{'|'.join(_names(fact['name']))})(?:\s|$)")
    found = map(pattern.search, recording.lines("tree", "--flat", "--min", "0"))
    return sum(int(match.group(1)) for match in found if match)


@question("calls", "functions", number, only=True)
def calls_of_function_stats(recording, fact):
    """The same in the statistics."""
    rows = recording.json("stats", "--by", "function")["rows"]
    return sum(row["count"] + row["incomplete_count"] for row in rows if row["name"] in _names(fact["name"]))


@question("calls", "syscalls", number)
def calls_of_histogram(recording, fact):
    """The sum of all rows of the histogram. If there are none, it reports that there is no such name."""
    if not fact.get("count", fact.get("at_least")):
        return 0
    return sum(row["count"] for row in recording.json("stats", "--hist", fact["name"])["rows"])


@question("calls", "syscalls", number)
def calls_of_replay(recording, fact):
    """One after the other."""
    return sum(row["count"] for row in recording.json("replay", "-a")["entries"]
               if row["kind"] == "system call" and row["what"].startswith(fact["name"] + "("))


@question("calls", "syscalls", number)
def calls_of_chrome(recording, fact):
    """What another viewer receives."""
    exported = recording.text("export", "-q", "-f", "chrome", "-o", "-")
    return chrome_calls(exported, "syscall").get(fact["name"], 0)


@question("calls", "stream", number, only=True)
def calls_of_stream(recording, fact):
    """Lines that were printed while it ran."""
    return sum(1 for line in recording.printed() if f": sys_enter_{fact['name']}:" in line)


@question("user_calls", "user-functions", number)
def calls_of_user_tree(recording, fact):
    """A user function, in the call tree."""
    rows = recording.json("tree", "--flat", "--min", "0")["calls"]
    return sum(row["count"] for row in rows if row["function"] == fact["function"])


def _share_fits(claim, fact):
    """A CPU that was not scheduled has fewer samples, one of which represents all of that time."""
    return abs(claim - fact["ns"] / fact["of_ns"]) < 0.18


@question("share", "samples", _share_fits)
def share_of_tree(recording, fact):
    """The function's share of the time of both."""
    rows = recording.json("tree", "--flat", "--min", "0")["calls"]
    both = [row for row in rows if row["function"].startswith("touching_")]
    row = named(both, fact["function"], "function")
    return row["total_ns"] / sum(row["total_ns"] for row in both) if row else 0


@question("share", "samples", _share_fits)
def share_of_flame(recording, fact):
    """The same in the picture."""
    sums = {}
    for line in recording.lines("flame", "--folded", "-o", "-"):
        path, value = line.rsplit(" ", 1)
        for name in set(re.findall(r"touching_\w+", path)):
            sums[name] = sums.get(name, 0) + int(value)
    return sums.get(fact["function"], 0) / sum(sums.values()) if sums else 0


@question("share", "samples", lambda claim, fact: fact["of_ns"] * 0.7 <= claim <= fact["of_ns"] * 1.15)
def time_of_samples(recording, fact):
    """A sample represents the time since the previous one: their sum is the CPU time."""
    rows = recording.json("tree", "--flat", "--min", "0")["calls"]
    return sum(row["total_ns"] for row in rows if row["function"].startswith("touching_"))
