# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands claim about probes, watched memory, devices, critical paths, failures and changes."""

import json
import re

from truthlib.question import NS_PER_MS, named, number, question


# -- probes

def _events(recording, name):
    lines = (json.loads(line) for line in recording.lines("report", "-q", "--json") if line)
    return [event["fields"] for event in lines if event.get("event") == name]


@question("probe", "probes", lambda claim, fact: claim == [fact["count"], fact["sum"]], only=True)
def values_of_report(recording, fact):
    """How often the probe was hit, and the sum of the values that it read."""
    values = [fields[fact["field"]] for fields in _events(recording, fact["event"])]
    return [len(values), sum(values)]


@question("probe", "probes", lambda claim, fact: claim == [fact["count"], fact["sum"]], only=True)
def values_of_report_text(recording, fact):
    """The same in text form."""
    values = []
    for line in recording.lines("report", "-q"):
        if f": {fact['event']}:" in line:
            match = re.search(rf"\b{fact['field']}=(-?\w+)", line)
            values.append(int(match.group(1), 0))
    return [len(values), sum(values)]


@question("probe", "probes", number, only=True)
def hits_of_stats(recording, fact):
    """The row of the event."""
    row = named(recording.json("stats")["rows"], fact["event"])
    return row["count"] if row else 0


@question("probe", "probes", number, only=True)
def hits_of_info(recording, fact):
    """The count of the event."""
    row = named(recording.json("info", "-c")["counts"], fact["event"], "event")
    return row["count"] if row else 0


# -- watched memory

def _hits_fit(claim, fact):
    return claim == {key: fact[key] for key in ("count", "sum", "processes")}


def _hits(values):
    values = list(values)
    return {"count": len(values), "sum": sum(value for _, value in values),
            "processes": len({pid for pid, _ in values})}


@question("hits", "memory", _hits_fit, only=True)
def hits_of_report(recording, fact):
    """Hits in a recording: their number, the sum of all new values, the number of processes."""
    return _hits((fields["tgid"], fields["new"]) for fields in _events(recording, "watch")
                 if fields["what"] == fact["variable"])


@question("hits", "memory", _hits_fit, only=True)
def hits_of_report_text(recording, fact):
    """The same in text form."""
    pattern = re.compile(rf"-(\d+)\s+\[\d+\].*: watch:\s+{fact['variable']}: \d+ -> (\d+) ")
    found = map(pattern.search, recording.lines("report", "-q"))
    return _hits((int(match.group(1)), int(match.group(2))) for match in found if match)


@question("hits", "watch", _hits_fit, only=True)
def hits_of_watch(recording, fact):
    """The output while the program runs."""
    pattern = re.compile(rf"-(\d+)\s+\[\d+\].*: {fact['variable']}: \d+ → (\d+) ")
    found = map(pattern.search, recording.printed())
    return _hits((int(match.group(1)), int(match.group(2))) for match in found if match)


@question("hits", "watch", number, only=True)
def summary_of_watch(recording, _fact):
    """The summary at the end."""
    match = re.search(r"(\d+) hits by 2 processes, 0 lost", "\n".join(recording.printed("stderr")))
    return int(match.group(1)) if match else None


def _watched(recording, kind):
    return [row for row in map(json.loads, recording.printed()) if row["event"] == kind]


@question("hits", "watch-json", _hits_fit, only=True)
def hits_of_watch_json(recording, _fact):
    """The same as JSON."""
    return _hits((row["tgid"], int(row["new"], 16)) for row in _watched(recording, "watch"))


@question("hits", "watch-json", lambda claim, fact: claim == [fact["count"], 0, fact["count"]],
          only=True)
def summary_of_watch_json(recording, _fact):
    """Hits, lost hits, and the sum over all places."""
    return next(([row["hit_count"], row["completeness"]["lost_event_count"], sum(place["hit_count"] for place in row["places"])]
                 for row in _watched(recording, "summary")), None)


# -- devices

def _requests(recording, fact):
    rows = recording.json("io")["requests"]
    return next((row for row in rows if row["operation"] == fact["operation"]), None)


@question("requests", "block", lambda claim, fact: claim == [fact[key] for key in
                                                             ("count", "bytes", "depth")])
def requests_of_io(recording, fact):
    """Their number, size, and maximum number at once."""
    row = _requests(recording, fact)
    return [row["count"], row["bytes"], row["depth"]] if row else None


@question("requests", "block", lambda claim, fact: claim >= fact["least_ns"] * 0.98)
def fastest_of_io(recording, fact):
    """No request was faster than the disk."""
    row = _requests(recording, fact)
    return row["min_ns"] if row else None


@question("requests", "block", number)
def requests_of_io_text(recording, fact):
    """Their number, in text form."""
    row = recording.row(rf"^\s*(\d+)\s.*\s{fact['operation']}$", "io", "--no-map")
    return int(row.group(1)) if row else None


@question("disk", "block", lambda claim, fact: claim == [fact["count"], fact["bytes"]])
def disk_of_summary(recording, _fact):
    """All requests combined. A recording of the program alone lacks those issued elsewhere."""
    summary = recording.json("summary")
    return None if summary["block_partial"] else [summary["block_request_count"], summary["block_bytes"]]


@question("disk", "block", lambda claim, fact: claim, only=True)
def disk_of_summary_text(recording, fact):
    """The same on the screen, with its format of sizes."""
    return bool(recording.row(rf"Block I/O\s+{fact['count']} requests of {fact['bytes'] / 1000:.3g} kB",
                              "summary", "-q"))


@question("softirqs", "irqs", number)
def softirqs_of_irqs(recording, fact):
    """The row of the softirq."""
    rows = recording.json("irqs")["interrupts"]
    return sum(row["count"] for row in rows if row["kind"] == "softirq" and row["name"] == fact["name"])


@question("softirqs", "irqs", number)
def softirqs_of_irqs_text(recording, fact):
    """The same in text form: total, count."""
    row = recording.row(rf"^\s*\S+ \S?s\s+(\d+)\s.*softirq {fact['name']}$", "irqs")
    return int(row.group(1)) if row else None


# -- critical path

def _kept_fits(claim, fact):
    """The start and the exit of the other task may delay it as well, and are not measured."""
    return fact["ns"] * 0.8 - 10 * NS_PER_MS <= claim <= fact["ns"] * 1.1 + 60 * NS_PER_MS


@question("kept", "sched syscalls", _kept_fits, only=True)
def kept_of_critical(recording, fact):
    """How long the other task delayed it, and in what way."""
    path = recording.json("critical", str(fact["pid"]))["path"]
    return sum(part["end_time_ns"] - part["start_time_ns"] for part in path
               if part["pid"] == fact["by"] and part["cause"] == fact["how"])


@question("kept", "sched syscalls", lambda claim, fact: claim, only=True)
def kept_of_critical_text(recording, fact):
    """It names the other task, and what it did."""
    what = "runs" if fact["how"] == "task" else "waits in clock_nanosleep for a timer"
    return bool(recording.row(rf"\S+-{fact['by']} {what}$", "critical", str(fact["pid"])))


# -- what failed

@question("failure", "failures", lambda claim, fact: claim == [fact["name"], fact["error"]])
def failure_of_why(recording, _fact):
    """The failure that matters."""
    failures = recording.json("why")["failures"]
    return [failures[0]["name"], failures[0]["error"]] if failures else None


@question("failure", "failures", lambda claim, fact: claim in fact["functions"].split())
def decider_of_why(recording, fact):
    """The function that failed first."""
    failures = recording.json("why", "--all")["failures"]
    failure = named(failures, fact["name"])
    return failure["call_chain"][-1]["function"].split(".")[0] if failure and failure["call_chain"] else None


@question("failure", "failures", lambda claim, fact: claim)
def failure_of_why_text(recording, fact):
    """The output when it was recorded: the call, its error, and the function."""
    text = "\n".join(recording.printed("stderr"))
    functions = "|".join(fact["functions"].split())
    return bool(re.search(rf"^{fact['name']}\(.* = -{fact['error']} ", text, re.MULTILINE) and
                re.search(rf"^  Cause\s+(?:{functions})\S*\(\) returned -{fact['error']}", text,
                          re.MULTILINE))


# -- what differs from a run before

def _changes(recording):
    return recording.json("diff", "-a", "before.dat")["syscalls"]


@question("changed", "changes", lambda claim, fact: claim == [fact["before"], fact["after"]])
def change_of_diff(recording, fact):
    """Numbers of calls before and after."""
    row = named(_changes(recording), fact["name"])
    return [row["before"]["call_count"], row["after"]["call_count"]] if row else None


@question("changed", "changes", lambda claim, fact: claim == [fact["before"], fact["after"]])
def change_of_diff_text(recording, fact):
    """The same in text form: they are named, not counted among the others."""
    row = recording.row(rf"\s(\d+)\s+(\d+)\s.*\s{fact['name']}(?:\s|$)", "diff", "before.dat")
    return [int(row.group(1)), int(row.group(2))] if row else None


@question("unchanged", "changes", lambda claim, fact: claim == [fact["count"], fact["count"], ""])
def unchanged_of_diff(recording, fact):
    """Unchanged counts are not called changed."""
    row = named(_changes(recording), fact["name"])
    return [row["before"]["call_count"], row["after"]["call_count"], row["count_verdict"]] if row else None
