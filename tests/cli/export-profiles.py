# SPDX-License-Identifier: GPL-2.0-or-later
"""export-profiles.py KIND FILE...: checks that an exported file is valid for its readers."""
import gzip
import json
import sys


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
    """The fields of a message: a number, or bytes."""
    p = 0
    while p < len(data):
        tag, p = varint(data, p)
        value, p = varint(data, p)
        assert tag & 7 in (0, 2), tag
        if tag & 7 == 2:
            assert p + value <= len(data)
            value, p = data[p:p + value], p + value
        yield tag >> 3, value
    assert p == len(data)


def numbers(data):
    p = 0
    while p < len(data):
        value, p = varint(data, p)
        yield value


def pprof(file, wall, cpu, off, tree):
    """Field numbers are those of profile.proto; values are those of flame and tree."""
    data = gzip.open(file).read()
    parts = list(fields(data))

    def all_of(wanted):
        return [value for number, value in parts if number == wanted]

    strings = [value.decode() for value in all_of(6)]
    assert strings[0] == ""
    kinds = [tuple(strings[dict(fields(kind))[n]] for n in (1, 2)) for kind in all_of(1)]
    assert kinds == [("calls", "count"), ("wall", "nanoseconds"), ("cpu", "nanoseconds"),
                     ("off-cpu", "nanoseconds")], kinds
    assert strings[all_of(14)[0]] == "wall"
    mappings = {dict(fields(mapping))[1] for mapping in all_of(3)}
    functions, locations = {}, {}
    for function in map(dict, map(fields, all_of(5))):
        functions[function[1]] = strings[function[2]]
    for location in map(dict, map(fields, all_of(4))):
        assert location[2] in mappings
        locations[location[1]] = functions[dict(fields(location[4]))[1]]
    assert 0 not in functions and 0 not in locations
    sums = {kind: {} for kind, _ in kinds}
    for sample in map(dict, map(fields, all_of(2))):
        path = ";".join(reversed([locations[n] for n in numbers(sample[1])]))
        values = list(numbers(sample[2]))
        assert len(values) == len(kinds)
        for (kind, _), value in zip(kinds, values):
            # Several functions may have the same name.
            sums[kind][path] = sums[kind].get(path, 0) + value
    for kind, file in ("wall", wall), ("cpu", cpu), ("off-cpu", off):
        for line in open(file):
            path, value = line.rsplit(" ", 1)
            sums[kind][path] -= int(value)
        assert not any(sums[kind].values()), kind
    assert sum(sums["calls"].values()) == sum(call["count"] for call in json.load(open(tree))["calls"])


def speedscope(file, functions, calls):
    """What opens is closed in order, time never goes backwards, and there are as many calls as in the trace."""
    profile = json.load(open(file))
    assert profile["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames = profile["shared"]["frames"]
    assert all(frame["name"] for frame in frames)
    assert 0 <= profile["activeProfileIndex"] < len(profile["profiles"])
    opened = {False: 0, True: 0}
    for task in profile["profiles"]:
        assert task["type"] == "evented" and task["name"] and task["unit"] in ("nanoseconds", "none")
        at, stack = task["startValue"], []
        for event in task["events"]:
            assert set(event) == {"type", "frame", "at"} and 0 <= event["frame"] < len(frames)
            assert event["at"] >= at
            at = event["at"]
            if event["type"] == "O":
                stack.append(event["frame"])
                opened["file" in frames[event["frame"]]] += 1
            else:
                assert event["type"] == "C" and stack.pop() == event["frame"]
        assert not stack and at <= task["endValue"] and task["events"]
    assert opened == {False: int(functions), True: int(calls)}, opened


def own_times(profile):
    """By task: how long each call path was the innermost, in a file of speedscope."""
    frames, tasks = [frame["name"] for frame in profile["shared"]["frames"]], {}
    for task in profile["profiles"]:
        times, stack, at = tasks.setdefault(task["name"].split(" ")[-1], {}), [], 0
        for event in task["events"]:
            if stack and event["at"] > at:
                path = ";".join(stack)
                times[path] = times.get(path, 0) + event["at"] - at
            at = event["at"]
            if event["type"] == "O":
                stack.append(frames[event["frame"]])
            else:
                stack.pop()
    return tasks


def rows(table, columns):
    """The rows of a table, whose columns must have equal lengths."""
    assert set(table) >= set(columns) | {"length"}, table.keys()
    for name, column in table.items():
        assert not isinstance(column, list) or len(column) == table["length"], name
    return list(zip(*(table[column] for column in columns)))


def nanoseconds(milliseconds):
    return round(milliseconds * 1000000)


def firefox(file, other=None):
    """Tables are consistent; calls have the same times as in speedscope's format, if it supports the trace."""
    profile = json.load(open(file))
    meta, shared = profile["meta"], profile["shared"]
    assert meta["preprocessedProfileVersion"] == 60 and meta["symbolicated"]
    assert [c["color"] for c in meta["categories"]].count("grey") == 1
    names = [category["name"] for category in meta["categories"]]
    schemas = {schema["name"]: {field["key"] for field in schema["fields"]} for schema in meta["markerSchema"]}
    strings = shared["stringArray"]
    assert all(isinstance(string, str) and string for string in strings)
    functions = [strings[name] for (name,) in rows(shared["funcTable"], ["name"])]
    frames = []
    for function, category in rows(shared["frameTable"], ["func", "category"]):
        assert category is None or 0 <= category < len(meta["categories"])
        frames.append((functions[function], category))
    paths, categories = [], []
    for prefix, frame in rows(shared["stackTable"], ["prefix", "frame"]):
        # Callers come first; calls of interrupts and switches are part of them.
        assert prefix is None or 0 <= prefix < len(paths)
        frame, category = frames[frame]
        if category is None:
            category = categories[prefix]
        elif prefix is not None and names[categories[prefix]] in ("Interrupt", "Asleep"):
            assert names[category] != "Kernel", frame
        categories.append(category)
        paths.append(frame if prefix is None else paths[prefix] + ";" + frame)
    wanted = own_times(json.load(open(other))) if other else {}
    selected = meta["initialSelectedThreads"]
    assert all(0 <= thread < len(profile["threads"]) for thread in selected)
    for thread in profile["threads"]:
        assert isinstance(thread["pid"], str) and thread["name"]
        times, end = {}, 0
        samples = rows(thread["samples"], ["stack", "time", "weight"])
        assert samples and thread["samples"]["weightType"] == "tracing-ms"
        for stack, time, weight in samples:
            assert nanoseconds(time) >= end and weight >= 0
            end = nanoseconds(time) + nanoseconds(weight)
            if stack is not None:
                times[paths[stack]] = times.get(paths[stack], 0) + nanoseconds(weight)
        if other:
            assert times == wanted.pop(thread["pid"], {}), thread["name"]
        for name, start, end, phase, category, data in rows(
                thread["markers"], ["name", "startTime", "endTime", "phase", "category", "data"]):
            assert 0 <= name < len(strings) and 0 <= category < len(meta["categories"])
            assert set(data) == {"type"} | schemas[data["type"]]
            assert phase == 0 and end is None or phase == 1 and end >= start
    assert not wanted


{"pprof": pprof, "speedscope": speedscope, "firefox": firefox}[sys.argv[1]](*sys.argv[2:])
