# SPDX-License-Identifier: GPL-2.0-or-later
"""export-sums.py FATHOM TRACE [LOCAL]: does every export read back to the calls of `fathom tree`?

By function: how many calls both ends were recorded of and what they took, and how many were
cut. Formats that add up by path have the time inside of calls that are cut as well. LOCAL is
"other" when the clock of the trace is not the one by which the kernel takes the time of calls:
then times are compared within a tenth of a percent.
"""
import collections
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

fathom, trace = sys.argv[1:3]
exact = len(sys.argv) < 4
CUT = " (incomplete)"
bad = 0


def fail(text):
    global bad
    print(f"{os.path.basename(trace)}: {text}")
    bad = 1


def run(*args):
    return subprocess.run([fathom, *args, trace], check=True, stdout=subprocess.PIPE).stdout


class Calls:
    """Per function: complete calls, their time, incomplete calls."""

    def __init__(self):
        self.whole = collections.Counter()
        self.time = collections.Counter()
        self.cut = collections.Counter()

    def add(self, name, time):
        if name.endswith(CUT):
            self.cut[name[:-len(CUT)]] += 1
        else:
            self.whole[name] += 1
            self.time[name] += time


def name_of(call):
    name = call["function"] or hex(call["address"])
    return f"{name} [{call['module']}]" if call["module"] else name


def compare(what, got, want, near=False):
    for name in sorted(set(got) | set(want)):
        a, b = got.get(name, 0), want.get(name, 0)
        if a != b and not (near and abs(a - b) <= b / 1000 + 20000):
            fail(f"{what} of {name}: {a}, and {b} by tree")
            return


def read_tree():
    answer = json.loads(run("tree", "-q", "--json"))
    calls, inside = Calls(), collections.Counter()
    for call in answer["calls"]:
        name = name_of(call)
        calls.whole[name] += call["count"]
        calls.time[name] += call["total_ns"]
        calls.cut[name] += call["incomplete_count"]
        inside[name] += call["total_ns"] + call.get("incomplete_inner_ns", 0)
    return calls, inside, answer["total_ns"]


def read_chrome(data):
    """Functions are nested on the track of their task; times are in microseconds."""
    calls, tracks = Calls(), {}
    for event in json.loads(data, parse_float=lambda s: s)["traceEvents"]:
        if event["ph"] not in "BE":
            continue
        whole, _, part = str(event["ts"]).partition(".")
        time = int(whole) * 1000 + int(part.ljust(3, "0"))
        stack = tracks.setdefault(event["tid"], [])
        if event["ph"] == "B":
            if stack:
                assert time >= stack[-1][1]
            stack.append((event, time))
            continue
        begin, start = stack.pop()
        assert time >= start
        if begin["cat"] == "function":
            assert begin["args"].get("incomplete", False) == begin["name"].endswith(CUT)
            calls.add(begin["name"], time - start)
    return calls


def read_speedscope(data):
    profile, calls = json.loads(data), Calls()
    frames = profile["shared"]["frames"]
    for task in profile["profiles"]:
        stack = []
        for event in task["events"]:
            if event["type"] == "O":
                stack.append(event["at"])
            else:
                frame, start = frames[event["frame"]], stack.pop()
                if "file" not in frame:
                    calls.add(frame["name"], event["at"] - start)
        assert not stack
    return calls


def read_firefox(data):
    """Per function: the time during which it was on the stack, counted once per occurrence."""
    profile = json.loads(data)
    shared = profile["shared"]
    system_calls = [c["name"] for c in profile["meta"]["categories"]].index("System call") \
        if "System call" in [c["name"] for c in profile["meta"]["categories"]] else -1
    frames = [(shared["stringArray"][shared["funcTable"]["name"][f]], c)
              for f, c in zip(shared["frameTable"]["func"], shared["frameTable"]["category"])]
    time = collections.Counter()
    for thread in profile["threads"]:
        samples = thread["samples"]
        for stack, weight in zip(samples["stack"], samples["weight"]):
            while stack is not None:
                name, category = frames[shared["stackTable"]["frame"][stack]]
                if not name.endswith(CUT) and category != system_calls:
                    time[name] += round(weight * 1000000)
                stack = shared["stackTable"]["prefix"][stack]
    return time


def varint(data, p):
    value = shift = 0
    while True:
        byte = data[p]
        p += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, p


def fields(data):
    p = 0
    while p < len(data):
        tag, p = varint(data, p)
        value, p = varint(data, p)
        if tag & 7 == 2:
            value, p = data[p:p + value], p + value
        yield tag >> 3, value


def read_perfetto(data):
    """Functions of a task are nested by time; at equal times, in file order."""
    calls, names, tasks = Calls(), {}, {}
    for _, packet in fields(data):
        for part, value in fields(packet):
            if part == 12:
                for _, entry in fields(value):
                    entry = dict(fields(entry))
                    names[entry[1]] = entry[2].decode()
            if part != 1:
                continue
            bundle = list(fields(value))
            cpu = dict(v for v in bundle if v[0] == 1).get(1, 0)
            for number, event in bundle:
                if number != 2:
                    continue
                event = dict(fields(event))
                for kind, function in (437, 2), (438, 3):
                    if kind in event:
                        task = event.get(2, 0) or -1 - cpu
                        inner = dict(fields(event[kind]))
                        tasks.setdefault(task, []).append((event[1], kind == 437, inner[function]))
    for events in tasks.values():
        stack = []
        for time, begins, function in sorted(events, key=lambda event: event[0]):
            if begins:
                stack.append((function, time))
            else:
                opened, start = stack.pop()
                assert opened == function
                calls.add(names.get(function, hex(function)), time - start)
        assert not stack
    return calls


def read_folded(text):
    """The time of paths that contain a function, counted once per occurrence, and the total."""
    time, total = collections.Counter(), 0
    for line in text.decode().splitlines():
        path, value = line.rsplit(" ", 1)
        total += int(value)
        for name in path.split(";"):
            time[name] += int(value)
    return time, total


def read_flame(text):
    """The labels: the total time, and the number of calls of each box that is wide enough."""
    text, scale = text.decode(), {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}
    value, unit = re.search(r", ([\d.]+) (ns|us|ms|s) in total", text).groups()
    boxes = re.findall(r"<title>([^<]*?): [^<]*, (\d+) calls(?:, (\d+) more incomplete)?</title>", text)
    return float(value) * scale[unit], [(name, int(n), int(cut or 0)) for name, n, cut in boxes]


def read_pprof(data):
    parts = list(fields(gzip.decompress(data)))
    strings = [value.decode() for number, value in parts if number == 6]
    functions = {f[1]: strings[f[2]] for f in (dict(fields(v)) for n, v in parts if n == 5)}
    whole, time = collections.Counter(), collections.Counter()
    for sample in (dict(fields(value)) for number, value in parts if number == 2):
        path, values, p = [], [], 0
        while p < len(sample[1]):
            location, p = varint(sample[1], p)
            path.append(functions[location])
        p = 0
        while p < len(sample[2]):
            value, p = varint(sample[2], p)
            values.append(value)
        whole[path[0]] += values[0]
        for name in path:
            time[name] += values[1]
    return whole, time


def read_ctf(directory):
    """The calls according to the events; nothing is compared without babeltrace2."""
    try:
        out = subprocess.run(["babeltrace2", directory], check=True, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL).stdout
    except FileNotFoundError:
        return None
    pattern = re.compile(r"funcgraph_exit: .*calltime = (\d+).*rettime = (\d+)")
    return [int(end) - int(start) for start, end in pattern.findall(out.decode(errors="replace"))]


tree, inside, total = read_tree()
assert tree.whole

for name, read in ("chrome", read_chrome), ("speedscope", read_speedscope), ("perfetto", read_perfetto):
    got = read(run("export", "-q", "-o", "-", "-f", name))
    compare(f"{name}: calls", got.whole, tree.whole)
    compare(f"{name}: time", got.time, tree.time, near=not exact)
    # A call whose start was not recorded cannot be shown.
    for function, cut in got.cut.items():
        if cut > tree.cut[function]:
            fail(f"{name}: {cut} calls of {function} without an end, {tree.cut[function]} are cut by tree")
compare("firefox: time", read_firefox(run("export", "-q", "-o", "-", "-f", "firefox")), tree.time, near=not exact)

folded, folded_total = read_folded(run("export", "-q", "-o", "-", "-f", "folded"))
compare("folded: time", folded, {name: time for name, time in inside.items() if time})
if folded_total != total:
    fail(f"folded: {folded_total} ns, and {total} by tree")
if run("flame", "-q", "--folded") != run("export", "-q", "-o", "-", "-f", "folded"):
    fail("flame --folded is not the export")
wall, boxes = read_flame(run("flame", "-q", "-o", "-"))
if abs(wall - total) > total / 100:
    fail(f"flame: {wall} ns in all, and {total} by tree")
paths = {(name_of(call), call["count"], call["incomplete_count"]) for call in json.loads(run("tree", "-q", "--json"))["calls"]}
for box in boxes:
    if box not in paths:
        fail(f"flame: no call path of tree has the numbers of the box {box}")
whole, time = read_pprof(run("export", "-q", "-o", "-", "-f", "pprof"))
compare("pprof: calls", whole, tree.whole)
compare("pprof: time", time, inside)

with tempfile.TemporaryDirectory() as room:
    run("export", "-q", "-f", "ctf", "-o", room + "/ctf")
    durations = read_ctf(room + "/ctf")
if durations is not None and not sum(durations) >= sum(tree.time.values()) > 0:
    fail(f"ctf: calls took {sum(durations)} ns, and those that tree has {sum(tree.time.values())}")

sys.exit(bad)
