#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""stats-reference.py DIR...: counts the lines of DIR/report, and compares the result with the output of stats."""
import bisect
import collections
import csv
import json
import os
import sys

# A directory, its events, and the number of lost ones.
where, events, lost = None, [], 0
CALLS = {("ftrace", name) for name in ("funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_exit")}


def load(name):
    text = open(where + "/" + name).read()
    return json.loads(text) if text else {"rows": []}


def same(what, got, expected):
    if got != expected:
        wrong = sorted(set(map(str, got.items())) ^ set(map(str, expected.items())))[:6]
        raise AssertionError(f"{what}: {len(got)} rows, should be {len(expected)}: {wrong}")


def count(key):
    times = collections.defaultdict(list)
    for event in events:
        times[key(event)].append(event["time_ns"])
    return {k: (len(t), min(t), max(t)) for k, t in times.items()}


def numbers(row):
    return row["count"], row["first_time_ns"], row["last_time_ns"]


def event_name(event):
    return event["system"], event["event"]


def compare_counts():
    got = load("event")
    same("by event", {(row["system"], row["name"]): numbers(row) for row in got["rows"]},
         count(event_name))
    assert got["event_count"] == len(events) and got["completeness"]["lost_event_count"] == lost, got
    seconds = (got["last_time_ns"] - got["first_time_ns"]) / 1e9
    for row in got["rows"]:
        if row["rate"] is not None:
            assert abs(row["rate"] - row["count"] / seconds) < 0.001 + row["rate"] * 1e-6, row
    same("by task", {row["pid"]: numbers(row) for row in load("task")["rows"]},
         count(lambda event: event["pid"]))
    rows = load("cpu")["rows"]
    same("by CPU", {row["cpu"]: numbers(row) for row in rows}, count(lambda event: event["cpu"]))
    assert sum(row["lost_event_count"] for row in rows) == lost
    same("CSV", {(row["system"], row["name"]): int(row["count"])
                 for row in csv.DictReader(open(where + "/csv"))},
         {key: value[0] for key, value in count(event_name).items()})


class Sums:
    def __init__(self):
        self.calls = []
        self.total = 0

    def add(self, start, duration, counts=True):
        self.calls.append((duration, start))
        self.total += duration if counts else 0

    def values(self):
        durations = sorted(duration for duration, _ in self.calls)
        starts = [start for _, start in self.calls]
        return (len(durations), self.total, durations[0], durations[-1], min(starts), max(starts),
                durations[(len(durations) + 1) // 2 - 1])


def values(row):
    return (row["count"], row["total_ns"], row["min_ns"], row["max_ns"], row["first_time_ns"],
            row["last_time_ns"], row["median_ns"])


def compare_timed(what, rows, sums):
    """If events were lost, counts may be lower, but never higher."""
    got = {key: values(row) for key, row in rows.items() if row["count"]}
    expected = {key: value.values() for key, value in sums.items()}
    if lost:
        for key, value in got.items():
            assert value[0] <= expected[key][0] and value[1] <= expected[key][1], (key, value)
        return
    same(what, {key: value[:6] for key, value in got.items()},
         {key: value[:6] for key, value in expected.items()})
    for key, value in got.items():
        # Medians are accurate to 7 %.
        assert abs(value[6] - expected[key][6]) <= expected[key][6] * 0.07 + 1, (what, key, value)
        assert (rows[key]["max_ns"], rows[key]["slowest_time_ns"]) in sums[key].calls, (what, key)


def count_probed_calls():
    """Kernel functions with probes on entry and return, once both are known."""
    returning, stacks, n = set(), collections.defaultdict(list), 0
    for event in events:
        fields = event["fields"]
        func = int(fields.get("__probe_func", fields.get("__probe_ip", "0")), 16)
        stack = stacks[event["pid"]]
        if func < 1 << 63:
            continue
        if "__probe_ip" in fields:
            if func in returning:
                stack.append(func)
            continue
        returning.add(func)
        if func in stack:
            while stack.pop() != func:
                pass
            n += 1
    return n


def compare_functions():
    """Per task: the list of open functions, by depth."""
    rows = load("function")["rows"]
    calls = [event for event in events if event_name(event) in CALLS]
    if rows and not calls:
        hits = [event for event in events if event_name(event) == ("ftrace", "function")]
        if not hits:
            assert sum(row["count"] for row in rows) == count_probed_calls()
            return
        assert sum(row["count"] for row in rows) == len(hits)
        assert len(rows) <= len({event["fields"]["ip"] for event in hits})
        return
    addresses = sorted(int(row["address"], 16) for row in rows)
    stacks = collections.defaultdict(list)
    sums = collections.defaultdict(Sums)
    for event in calls:
        if event["buffer"] != calls[0]["buffer"]:
            continue
        fields = event["fields"]
        address = int(fields["func"], 16)
        func = addresses[bisect.bisect(addresses, address) - 1]
        assert func <= address
        stack = stacks[event["pid"] or -1 - event["cpu"]]
        depth = fields["depth"]
        if event["event"] != "funcgraph_exit":
            del stack[depth:]
            stack += [(None, 0)] * (depth - len(stack)) + [(func, event["time_ns"])]
            continue
        del stack[depth + 1:]
        if len(stack) == depth + 1:
            entry = stack.pop()
            if entry[0] == func:
                sums[func].add(entry[1], max(0, fields["rettime"] - fields["calltime"]),
                               func not in [other[0] for other in stack])
    compare_timed("by function", {int(row["address"], 16): row for row in rows}, sums)


def compare_syscalls():
    """The current call of each task. Some calls are reported twice."""
    open_calls = {}
    sums = collections.defaultdict(Sums)
    for event in events:
        if event["system"] not in ("syscalls", "raw_syscalls"):
            continue
        pid, fields = event["pid"], event["fields"]
        number = fields.get("__syscall_nr", fields.get("id"))
        if event["event"].startswith("sys_enter"):
            if open_calls.get(pid, (None,))[0] != number:
                open_calls[pid] = number, event["time_ns"]
            continue
        call = open_calls.pop(pid, None)
        if call and call[0] == number:
            sums[number].add(call[1], event["time_ns"] - call[1])
    compare_timed("by system call", {row["number"]: row for row in load("syscall")["rows"]}, sums)


bad = False
for where in sys.argv[1:]:
    events = [event for event in map(json.loads, open(where + "/report")) if "completeness" not in event]
    lost = sum(event.get("lost_before_count") or 0 for event in events)
    try:
        compare_counts()
        compare_functions()
        compare_syscalls()
    except AssertionError as error:
        print(f"FAIL: {os.path.basename(where)}: {error.args} at line {error.__traceback__.tb_next.tb_lineno}")
        bad = True
sys.exit(bad)
