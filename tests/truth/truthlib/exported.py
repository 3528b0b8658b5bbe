# SPDX-License-Identifier: GPL-2.0-or-later
"""Reads exported files: the number of calls, and their time."""

import gzip
import json
import re


def folded_sum(text):
    """The sum over all lines."""
    return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())


def _varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def _fields(data):
    """The fields of a Protocol Buffers message: numbers or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        value, at = _varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        elif key & 7 != 0:
            raise ValueError(f"wire type {key & 7}")
        yield key >> 3, value


def _packed(data):
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value - 2**64 if value >= 2**63 else value


def pprof_sums(data):
    """The sums of all values, by type: profile.proto."""
    fields = list(_fields(gzip.decompress(data)))
    strings = [value.decode() for key, value in fields if key == 6]
    types = [strings[dict(_fields(value))[1]] for key, value in fields if key == 1]
    sums = dict.fromkeys(types, 0)
    for sample in (value for key, value in fields if key == 2):
        for name, value in zip(types, _packed(dict(_fields(sample))[2])):
            sums[name] += value
    return sums


def _plain(name):
    """Without its module, and without the mark of an incomplete call."""
    return re.sub(r"( \[[^]]*\])?( \(incomplete\))?$", "", name)


def speedscope_calls(text):
    """The number of calls of each function, and its total time: {name: [calls, ns]}."""
    document = json.loads(text)
    names = [_plain(frame["name"]) for frame in document["shared"]["frames"]]
    found = {}
    for profile in document["profiles"]:
        open_calls = []
        for event in profile["events"]:
            name = names[event["frame"]]
            if event["type"] == "O":
                open_calls.append((name, event["at"]))
                continue
            opened, start = open_calls.pop()
            if opened != name:
                raise ValueError(f"'{name}' ends in '{opened}'")
            row = found.setdefault(name, [0, 0])
            row[0] += 1
            # A recursive function took the time of its outermost call.
            if all(other != name for other, _ in open_calls):
                row[1] += event["at"] - start
    return found


def chrome_calls(text, category):
    """The number of slices of each name in this category: {name: count}."""
    found = {}
    for event in json.loads(text)["traceEvents"]:
        if event["ph"] in "BX" and event["cat"] == category:
            name = _plain(event["name"])
            found[name] = found.get(name, 0) + 1
    return found
