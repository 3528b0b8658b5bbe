#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""export-check.py REPORT PERFETTO [CHROME CTF]: checks that exported files contain the events of a report,
given as CSV; of CTF, the output of babeltrace2 is read."""
import csv
import json
import re
import sys

# A record has a task; a row for lost events has none.
rows = [row for row in csv.reader(open(sys.argv[1], errors="surrogateescape")) if row[2]][1:]


class Perfetto:
    """Counts single events, and rows of the two tables."""

    def __init__(self, data):
        self.data = data

    def varint(self, p):
        value = self.data[p]
        p += 1
        if value < 0x80:
            return value, p
        value &= 0x7F
        shift = 7
        while True:
            byte = self.data[p]
            p += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, p
            shift += 7

    def fields(self, p, end):
        while p < end:
            tag, p = self.varint(p)
            value, p = self.varint(p)
            if tag & 7 == 0:
                yield tag >> 3, value, p
                continue
            assert tag & 7 == 2, tag
            assert p + value <= end
            yield tag >> 3, p, p + value
            p += value

    def count(self):
        """
        A CPU's events are in chronological order, and symbols come before they are used. Calls of
        functions are not counted: they have times of their own; see export-sums.py.
        """
        events, last, symbols = 0, {}, set()
        for number, begin, end in self.fields(0, len(self.data)):
            assert number == 1
            for part, at, stop in self.fields(begin, end):
                if part == 12:
                    for _, p, q in self.fields(at, stop):
                        symbols.add(next(self.fields(p, q))[1])
                if part != 1:
                    continue
                cpu = None
                for what, p, q in self.fields(at, stop):
                    if what == 1:
                        cpu = p
                    elif what == 2:
                        inside = list(self.fields(p, q))
                        assert [f[0] for f in inside[:2]] == [1, 2]
                        if inside[2][0] in (437, 438):
                            function = next(self.fields(inside[2][1], inside[2][2]))[1]
                            assert function in symbols or function >= 1 << 32, function
                            continue
                        assert inside[0][1] >= last.get(cpu, 0)
                        last[cpu] = inside[0][1]
                        events += 1
                    elif what == 4:
                        for column, c, d in self.fields(p, q):
                            while column in (1, 7) and c < d:
                                _, c = self.varint(c)
                                events += 1
        return events


def count_chrome(path):
    """On each track, slices end in the right order."""
    open_calls, n = {}, 0
    for event in json.load(open(path))["traceEvents"]:
        track = (event["pid"], event["tid"])
        if event["ph"] == "B":
            open_calls[track] = open_calls.get(track, 0) + 1
            n += 1
        elif event["ph"] == "E":
            open_calls[track] -= 1
            assert open_calls[track] >= 0
        elif event["ph"] == "i":
            n += 1
        else:
            assert event["ph"] == "M" and event["args"]["name"]
    return n


def read_ctf(path):
    """Time, CPU, task and event of each."""
    pattern = re.compile(r"\[(\d+)\.(\d{9})\] (?:[^{]* )?([^ ]*:[^ ]*): "
                         r"\{ cpu_id = (\d+) \}, \{ perf_tid = (-?\d+) \}")
    for line in open(path, errors="surrogateescape"):
        found = pattern.match(line)
        assert found, line
        seconds, ns, event, cpu, task = found.groups()
        yield int(seconds + ns), int(cpu), int(task), event


got = Perfetto(open(sys.argv[2], "rb").read()).count()
calls = sum(row[6] == "ftrace" and row[7] in ("funcgraph_entry", "fgraph_retaddr_entry", "funcgraph_exit")
            for row in rows)
assert rows and got == len(rows) - calls, f"{len(rows) - calls} events that are no calls, Perfetto gets {got}"
if len(sys.argv) > 3:
    # All except the ends of calls.
    got = count_chrome(sys.argv[3])
    most = sum(row[6:8] != ["ftrace", "funcgraph_exit"] for row in rows)
    assert 0 < got <= most, f"{most} events, {got} in the JSON"
    got = sorted(read_ctf(sys.argv[4]))
    want = sorted((int(row[0]), int(row[1]), int(row[2]), (row[6] or "unknown") + ":" + (row[7] or "?"))
                  for row in rows)
    if got != want:
        sys.exit(f"babeltrace2 shows other events: {sorted(set(got) ^ set(want))[:4]}")
