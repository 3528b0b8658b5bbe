# SPDX-License-Identifier: GPL-2.0-or-later
"""What must hold for every recording."""

import json
import os

from truthlib.exported import chrome_calls, folded_sum, pprof_sums, speedscope_calls
from truthlib.recording import TruthError

ALWAYS = []
# Maximum difference of CPU clocks, over all migrations of a task: time never goes backwards.
CLOCK_NS = 50000


def rule(needs):
    """Registers the function as a rule. A command may fail if the recording lacks what it @needs."""
    def register(holds):
        holds.needs = frozenset(needs.split())
        holds.name = holds.__name__.replace("_", "-")
        ALWAYS.append(holds)
        return holds
    return register

def _times(row):
    return {key: row[key] for key in row
            if key.endswith("_ns") and not key.endswith("_time_ns") and isinstance(row[key], int)}


@rule("syscalls")
def life_of_tasks(recording):
    """Each instant of a task counts once: its times add up to its lifetime."""
    for task in recording.json("summary")["tasks"]:
        total, life = sum(_times(task).values()), task["last_time_ns"] - task["first_time_ns"]
        if total != life:
            return f"the times of {task['pid']} are {total} in all, and its life {life}"
    return None


@rule("syscalls")
def sums_of_tasks(recording):
    """The times of all tasks add up to the totals."""
    summary = recording.json("summary")
    for key, value in _times(summary["time_by_state"]).items():
        total = sum(task[key] or 0 for task in summary["tasks"])
        if total != value:
            return f"{key} of all tasks is {value}, and the sum of theirs {total}"
    return None


@rule("syscalls")
def lost_events(recording):
    """All commands count the same lost events."""
    counts = {command: recording.json(command)["completeness"]["lost_event_count"] for command in ("summary", "stats")}
    return f"lost events differ: {counts}" if len(set(counts.values())) > 1 else None


def _split(recording, command, rows):
    """The sums of a command over the whole, and over two time ranges that cover it, by task or call."""
    stats = recording.json("stats")
    first, last = stats["first_time_ns"], stats["last_time_ns"]
    # A random time, but the same each time the same recording is checked.
    cut = first + (last - first) * (recording.pid % 7 + 1) // 8

    def sums(*options):
        found = {}
        try:
            answer = recording.json(command, *options)
        except TruthError as error:
            if not options or " in the time range of " not in str(error):
                raise
            return found
        for row in answer[rows]:
            name = row.get("pid", row.get("name") or row.get("number"))
            for key, value in _times(row).items():
                key = SPLIT_KEYS[command].get(key)
                if key:
                    found[name, key] = found.get((name, key), 0) + value
        return found

    def seconds(time):
        return f"{time // 10**9}.{time % 10**9:09}"

    early, late = sums("--to", seconds(cut)), sums("--from", seconds(cut + 1))
    return sums(), {key: early.get(key, 0) + late.get(key, 0) for key in {**early, **late}}


def _same(*keys):
    return {key: key for key in keys}


# By command: which times add up, and the members that identify a row both in the whole and in a
# time range.
SPLIT_KEYS = {
    "sched": _same("slice_ns", "delay_ns", "sleeping_ns", "blocked_ns", "idle_ns", "stopped_ns", "total_ns"),
    "offcpu": _same("slice_ns", "delay_ns", "sleeping_ns", "blocked_ns", "idle_ns", "stopped_ns", "total_ns"),
    "summary": _same("user_ns", "kernel_ns", "sleeping_ns", "runnable_ns", "interrupt_ns", "unknown_ns",
                     "user_or_other_ns", "kernel_or_sleeping_ns"),
    "syscalls": {"total_ns": "time", "incomplete_ns": "time", "not_returned_ns": "time",
                 **_same("sleeping_ns", "runnable_ns")},
}


@rule("sched")
def windows_add_up(recording):
    """The results for two consecutive time ranges add up to those of the whole."""
    if "sched" not in recording.way.sees:
        return None
    tasks = len(recording.json("stats", "--by", "task")["rows"])
    for command in ("sched", "offcpu", "summary", "syscalls"):
        if command in ("summary", "syscalls") and "syscalls" not in recording.way.sees:
            continue
        whole, parts = _split(recording, command, "syscalls" if command == "syscalls" else "tasks")
        for key in {**whole, **parts}:
            # There are a few events of other tasks. If these do not show that, they seem to belong
            # to the recorded ones.
            if (not recording.way.noted and command != "syscalls" and key[0] != recording.pid
                    and recording.json("sched")["followed"] is None):
                continue
            # A nanosecond is missing between them, for each task that is in such a call.
            if abs(whole.get(key, 0) - parts.get(key, 0)) > (2 * tasks if command == "syscalls" else 2):
                return (f"{command}: {key[1]} of {key[0]} is {whole.get(key)}, and in two parts "
                        f"{parts.get(key)}")
    return None


@rule("")
def counts_agree(recording):
    """All commands count the same events."""
    if not recording.way.follows:
        return None
    info = recording.json("info", "-c")
    if not info["event_count"]:
        return None
    counts = {"info": info["event_count"],
              "info, by kind": sum(row["count"] for row in info["counts"]),
              "stats": recording.json("stats")["event_count"],
              "report": sum(1 for line in recording.lines("report", "-q", "--json") if line) - 1}
    return f"events differ: {counts}" if len(set(counts.values())) > 1 else None


@rule("")
def copies_agree(recording):
    """Converted files have the same events. Takes a second, so not for each recording."""
    if recording.way.name not in ("syscalls", "lossy", "sample", "memory", "started"):
        return None
    info = recording.json("info", "-c")
    counts = {}
    for row in info["counts"]:
        counts[row["event"]] = counts.get(row["event"], 0) + row["count"]
    third = str(info["event_count"] // 3 + 1)
    for words in (["convert", "--file-version", "6"], ["convert", "--compression", "zlib"],
                  ["split", "-r", "-e", third]):
        found = recording.counts_of_copy(*words)
        differ = {name: (counts.get(name, 0), found.get(name, 0)) for name in {**counts, **found}
                  if counts.get(name, 0) != found.get(name, 0)}
        if differ:
            return f"{' '.join(words)}: events before and after: {dict(list(differ.items())[:5])}"
    return None


@rule("syscalls")
def nothing_differs(recording):
    """A recording does not differ from itself."""
    found = recording.json("diff", os.path.join(recording.directory, "trace.dat"))
    rows = found.get("syscalls", []) + found.get("calls", [])
    bad = [row.get("name", row.get("function")) for row in rows if row["verdict"] or row["change_ns"]]
    return f"diff with itself: {bad[:5]}" if bad else None


@rule("functions")
def exports_add_up(recording):
    """Exports have the calls and times of the call tree."""
    if "functions" not in recording.way.sees:
        return None
    tree = recording.json("tree", "--flat", "--min", "0")
    pprof = pprof_sums(recording.data("export", "-q", "-f", "pprof", "-o", "-"))
    sums = {"flame": folded_sum(recording.text("flame", "--folded", "-o", "-")),
            "folded": folded_sum(recording.text("export", "-q", "-f", "folded", "-o", "-")),
            "pprof": pprof["wall"]}
    wrong = {name: value for name, value in sums.items() if value != tree["total_ns"]}
    if wrong:
        return f"the tree has {tree['total_ns']} ns, and exports {wrong}"
    calls = sum(row["count"] for row in tree["calls"])
    return f"the tree has {calls} calls, and pprof {pprof['calls']}" if calls != pprof["calls"] else None


def _begins_before(recording, address):
    """Whether a call of the function began before the first event. The kernel stores its start, by a clock of
    its own."""
    first = recording.json("stats")["first_time_ns"]
    for line in recording.lines("report", "-q", "--json", "-F", "funcgraph_exit"):
        fields = json.loads(line).get("fields", {}) if line else {}
        # The kernel may report an address after the first instruction.
        if 0 <= int(fields.get("func", "0"), 16) - address < 16 and fields.get("calltime", first) < first:
            return True
    return False


@rule("functions")
def timelines_agree(recording):
    """Each function is called as often, and takes as long, over time as in the call tree."""
    if "functions" not in recording.way.sees:
        return None
    speedscope = speedscope_calls(recording.text("export", "-q", "-f", "speedscope", "-o", "-"))
    exported = recording.text("export", "-q", "-f", "chrome", "-o", "-")
    chrome, syscalls = chrome_calls(exported, "function"), chrome_calls(exported, "syscall")
    functions = {}
    for row in recording.json("tree", "--flat", "--min", "0")["calls"]:
        functions.setdefault(row["function"], []).append(row)
    for name, rows in functions.items():
        # In speedscope, a function with the name of a system call cannot be distinguished from it.
        if name in syscalls:
            continue
        calls = sum(row["count"] + row["incomplete_count"] for row in rows)
        claims = [speedscope.get(name, [0, 0])[0], chrome.get(name, 0)]
        if claims != [calls, calls]:
            return f"{name}: {calls} calls, but {claims}"
        # Several functions of one name may call each other.
        total = rows[0]["total_ns"]
        if len(rows) == 1 and not rows[0]["incomplete_count"] and \
                abs(speedscope[name][1] - total) > CLOCK_NS + total / 1000 and \
                not _begins_before(recording, int(rows[0]["address"], 16)):
            return f"{name}: {total} ns, but {speedscope[name][1]}"
    return None


@rule("sched")
def critical_is_whole(recording):
    """Each instant of the task is in its critical path once."""
    if "sched" not in recording.way.sees:
        return None
    found = recording.json("critical", str(recording.pid))
    at = found["from_time_ns"]
    for part in found["path"]:
        if part["start_time_ns"] != at:
            return f"critical: a part begins at {part['start']}, and the one before ends at {at}"
        at = part["end_time_ns"]
    causes = sum(cause["total_ns"] for cause in found["causes"])
    if at != found["to_time_ns"] or not found["to_time_ns"] - found["from_time_ns"] == found["total_ns"] == causes:
        return f"critical: to {found['to']}, the path to {at}; {found['total_ns']} ns, causes {causes}"
    return None


@rule("syscalls sched")
def screen_of_run(recording):
    """What was shown when it was recorded agrees with the file."""
    if recording.way.command[1] != "run":
        return None
    # The output of a command is on standard output, and no terminal.
    shown = recording.printed("stdout" if "-P" in recording.way.command else "stderr")
    said = recording.lines("summary", "-q")
    differ = [pair for pair in zip(shown, said) if pair[0] != pair[1]]
    if differ or len(shown) != len(said):
        return f"{len(shown)} and {len(said)} lines, the first that differ: {differ[:1]}"
    return None
