# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands claim about system calls, waits, tasks and signals."""

import errno
import re
import signal

from truthlib.question import NS_PER_MS, named, number, question


def _all_calls(row):
    return row["call_count"] if row else 0


# -- system calls: how often

@question("calls", "syscalls", number)
def calls_of_summary(recording, fact):
    """The row of the system call."""
    return _all_calls(named(recording.json("summary")["syscalls"], fact["name"]))


@question("calls", "syscalls", number)
def calls_of_syscalls(recording, fact):
    """The row of the system call."""
    return _all_calls(named(recording.json("syscalls")["syscalls"], fact["name"]))


@question("calls", "syscalls", number)
def calls_of_syscalls_text(recording, fact):
    """The same in the text table: total, asleep, calls, median, max, name."""
    row = recording.row(rf"(\S+)\s+\S+(?: \S?s)?\s+\S+(?: \S?s)?\s+{fact['name']}(?:\s|$)", "syscalls",
                        "--breakdown=none")
    return int(row.group(1)) if row else 0


@question("calls", "syscalls", number)
def calls_of_stats(recording, fact):
    """The entry events."""
    row = named(recording.json("stats")["rows"], "sys_enter_" + _event_name(fact["name"]))
    return row["count"] if row else 0


@question("calls", "syscalls", number)
def calls_of_syscall_stats(recording, fact):
    """The same command, by system call."""
    row = named(recording.json("stats", "--by", "syscall")["rows"], fact["name"])
    return _all_calls(row)


@question("calls", "syscalls", number)
def calls_of_list(recording, fact):
    """One line per call."""
    pattern = re.compile(rf"\s(?:<\.\.\. )?{fact['name']}(?:\(| resumed>)")
    return sum(1 for line in recording.lines("syscalls", "--list") if pattern.search(line))


@question("calls", "syscalls", number)
def calls_of_report(recording, fact):
    """One line per entry."""
    pattern = re.compile(rf": sys_enter_{_event_name(fact['name'])}:")
    return sum(1 for line in recording.lines("report") if pattern.search(line))


def _event_name(name):
    """The event of a system call for which the kernel uses another name."""
    return {"newfstatat": "newfstatat"}.get(name, name)


# -- system calls: what failed

def _errors_fit(claim, fact):
    return not claim if not fact["error"] else claim.get(fact["error"], 0) == fact["count"]


def _error_names(errors):
    return {errno.errorcode.get(error["errno"], f"error {error['errno']}"): error["count"]
            for error in errors}


@question("errors", "syscalls", _errors_fit)
def errors_of_syscalls(recording, fact):
    """By errno, for the system call."""
    row = named(recording.json("syscalls")["syscalls"], fact["name"])
    return _error_names(row["errors"]) if row else {}


@question("errors", "syscalls", _errors_fit)
def errors_of_summary(recording, fact):
    """Its list of failures, with or without a path."""
    found = {}
    for error in recording.json("summary")["failed_syscalls"]:
        if error["syscall"] == fact["name"]:
            name = errno.errorcode.get(error["errno"], f"error {error['errno']}")
            found[name] = found.get(name, 0) + error["count"]
    return found


@question("errors", "syscalls", _errors_fit)
def errors_of_list(recording, fact):
    """The results in all of its lines."""
    found = {}
    for line in recording.lines("syscalls", "--list"):
        if re.search(rf"\s(?:<\.\.\. )?{fact['name']}(?:\(| resumed>)", line):
            error = re.search(r" = -([A-Z0-9_]+)", line)
            if error:
                found[error.group(1)] = found.get(error.group(1), 0) + 1
            elif "events were lost" in line and not recording.way.lossy:
                found["lost"] = found.get("lost", 0) + 1
    return found


# -- asleep

def asleep_fits(claim, fact):
    """Hardly longer than the program measured, and nearly as long: that includes waiting for a CPU."""
    if not fact["ns"]:
        return claim <= NS_PER_MS
    least = fact["ns"] * 0.8 - 10 * NS_PER_MS - fact.get("delay_ns", 0)
    return least <= claim <= fact["ns"] + NS_PER_MS


@question("asleep", "syscalls sched", asleep_fits)
def asleep_of_syscalls(recording, fact):
    """In the system call."""
    row = named(recording.json("syscalls")["syscalls"], fact["name"])
    return row["sleeping_ns"] if row else 0


@question("asleep", "syscalls sched", asleep_fits)
def asleep_of_summary(recording, fact):
    """In the system call."""
    row = named(recording.json("summary")["syscalls"], fact["name"])
    return row["sleeping_ns"] if row else 0


@question("asleep", "syscalls sched", asleep_fits)
def asleep_of_offcpu(recording, fact):
    """All waits in the system call."""
    if not {"syscalls", "sched"} <= recording.way.sees:
        return None
    return sum(wait["total_ns"] for task in recording.json("offcpu")["tasks"]
               for wait in task["waits"]
               if wait["syscall"] == fact["name"] and wait["state"] != "runnable")


@question("longest", "syscalls", lambda claim, fact: fact["ns"] - 10 * NS_PER_MS <= claim <= fact["ns"])
def longest_of_syscalls(recording, fact):
    """The longest call."""
    row = named(recording.json("syscalls")["syscalls"], fact["name"])
    return row["max_ns"] if row else 0


# -- where the time went

def _task(recording, pid):
    return next((task for task in recording.json("summary")["tasks"] if task["pid"] == pid), None)


def _surely_and_maybe(task):
    """Certain user time, and an upper bound: page faults may be indistinguishable from it."""
    surely = task["user_ns"] or 0
    return [surely, surely + task.get("user_or_other_ns", 0)]


@question("program", "syscalls sched faults",
          lambda claim, fact: claim[0] <= fact["ns"] * 1.1 + 80 * NS_PER_MS and
          fact["ns"] * 0.8 <= claim[1])
def program_of_summary(recording, fact):
    """User time, including some for starting the program."""
    task = _task(recording, fact["pid"])
    return _surely_and_maybe(task) if task else None


@question("program", "syscalls sched functions", lambda claim, fact: fact["ns"] * 0.8 <= claim)
def surely_program_of_summary(recording, fact):
    """With functions, it must be known."""
    task = _task(recording, fact["pid"])
    if not task or "functions" not in recording.way.sees:
        return None
    return task["user_ns"]


@question("inside", "syscalls sched", lambda claim, fact: claim < 0.1)
def program_when_inside(recording, fact):
    """The share of user time while the task is in one system call all the time."""
    task = _task(recording, fact["pid"])
    if not task:
        return None
    total = sum(task[key] for key in task if key.endswith("_ns") and not key.endswith("_time_ns") and isinstance(task[key], int))
    return _surely_and_maybe(task)[1] / total if total else None


@question("inside", "syscalls", lambda claim, fact: claim > 0)
def call_when_inside(recording, fact):
    """Whether the call is shown that had begun before the start. One that did not end cannot be known."""
    row = named(recording.json("summary")["syscalls"], fact["name"])
    return _all_calls(row) if row or "syscalls" in recording.way.sees else None


@question("working", "syscalls sched", lambda claim, fact: claim < 0.1)
def kernel_when_working(recording, fact):
    """The share of waiting and system calls while the task computes all the time."""
    task = _task(recording, fact["pid"])
    if not task:
        return None
    total = sum(task[key] for key in task if key.endswith("_ns") and not key.endswith("_time_ns") and isinstance(task[key], int))
    return (task["sleeping_ns"] or 0) / total if total else None


@question("faults", "faults", number)
def faults_of_summary(recording, _fact):
    """All page faults."""
    return recording.json("summary")["page_fault_count"]


@question("file", "syscalls files", lambda claim, fact: claim == [fact["read"], fact["written"]])
def files_of_summary(recording, fact):
    """Bytes read from the file and written to it."""
    for entry in recording.json("summary")["files"]:
        if entry["path"].endswith(fact["path"]):
            return [entry["read_bytes"], entry["written_bytes"]]
    return None


# -- tasks and CPUs

def _sched(recording, pid):
    return next((task for task in recording.json("sched")["tasks"] if task["pid"] == pid), None)


def near(claim, truth):
    """Hardly less, and not much more: the start and the exit of a task are not measured."""
    return truth * 0.85 - 15 * NS_PER_MS <= claim <= truth * 1.15 + 60 * NS_PER_MS


@question("wait", "syscalls sched", lambda claim, fact: claim["count"] == fact["count"] and
          asleep_fits(claim["ns"], fact))
def wait_of_offcpu(recording, fact):
    """The waits that this waker ended."""
    claim = {"count": 0, "ns": 0}
    for task in recording.json("offcpu")["tasks"]:
        for wait in task["waits"] if task["pid"] == fact["pid"] else []:
            for waker in wait["wakers"] if wait["syscall"] == fact["name"] else []:
                if str(fact["waker_pid"]) in re.findall(r"\d+", str(waker["waker"])) or \
                        waker.get("waker_pid") == fact["waker_pid"]:
                    claim["count"] += waker["count"]
                    claim["ns"] += waker["total_ns"]
    return claim


@question("competition", "sched", lambda claim, fact: near(claim[0], fact["runnable_ns"]) and
          near(claim[1], fact["cpu_ns"]))
def competition_of_sched(recording, fact):
    """How long the task waited for a CPU, and ran."""
    task = _sched(recording, fact["pid"])
    return [task["delay_ns"], task["slice_ns"]] if task else None


@question("competition", "sched syscalls", lambda claim, fact: near(claim, fact["runnable_ns"]))
def competition_of_summary(recording, fact):
    """How long it waited for a CPU."""
    task = _task(recording, fact["pid"])
    return task["runnable_ns"] if task else None


@question("stopped", "sched", lambda claim, fact: near(claim, fact["ns"]))
def stopped_of_sched(recording, fact):
    """How long it was stopped."""
    task = _sched(recording, fact["pid"])
    return task["stopped_ns"] if task else None


@question("moves", "sched", number)
def moves_of_sched(recording, fact):
    """Migrations."""
    task = _sched(recording, fact["pid"])
    return task["migration_count"] if task else None


@question("switches", "sched",
          lambda claim, fact: 0 <= claim[0] - fact["voluntary"] <= fact["early"] + 15 and
          0 <= claim[1] - fact["preempted"] <= fact["early"] + 15)
def switches_of_sched(recording, fact):
    """The number from rusage, plus those at the start and the exit of the program."""
    task = _sched(recording, fact["pid"])
    return [task["voluntary_switch_count"], task["preemption_count"]] if task else None


# -- processes, how they end, signals

@question("started", "tasks", number)
def started_of_summary(recording, _fact):
    """Processes, by the tasks that have a parent; a recording without such events has none, and claims nothing."""
    count = sum(1 for task in recording.json("summary")["tasks"] if task["pid"] != recording.pid
                and "parent_pid" in task)
    return count if count or "tasks" in recording.way.sees else None


@question("tasks", "tasks ends", number)
def tasks_of_summary(recording, _fact):
    """Threads and processes, each once."""
    return len(recording.json("summary")["tasks"])


@question("end", "tasks syscalls signals ends",
          lambda claim, fact: claim == ({"code": fact["code"]} if "code" in fact else
                                        {"signal": fact["signal"]}))
def end_of_summary(recording, fact):
    """The exit status, or the signal."""
    task = _task(recording, fact["pid"])
    if not task:
        return None
    if task.get("signal"):
        return {"signal": signal.Signals[task["signal"]].value}
    return {"code": task["exit_code"]} if task.get("exit_code") is not None else None


@question("no_signals", "signals", lambda claim, fact: not claim)
def no_signals_of_summary(recording, _fact):
    """Signals that were received, except those of children that exited."""
    return [row["signal"] for row in recording.json("summary")["signal_counts"]
            if row["signal"] != "SIGCHLD"]


@question("no_signals", "signals", lambda claim, fact: not claim)
def no_signals_of_summary_text(recording, _fact):
    """The same on the screen."""
    return re.findall(r"SIG(?!CHLD)[A-Z0-9]+ to", " ".join(recording.lines("summary", "-q")))


@question("signals", "signals", number)
def signals_of_summary(recording, fact):
    """Signals of this number that the process received."""
    return sum(row["count"] for row in recording.json("summary")["signal_counts"]
               if row["number"] == fact["signal"] and row["pid"] == fact["pid"])


@question("signals", "signals", lambda claim, fact: claim)
def signals_of_summary_text(recording, fact):
    """Its line about signals contains this one, and how often it was sent."""
    text = " ".join(recording.lines("summary", "-q"))
    name = signal.Signals(fact["signal"]).name
    count = f"{fact['count']} " if fact["count"] > 1 else "(?<![0-9] )"
    return bool(re.search(rf"{count}{name} to \S+-{fact['pid']}\b", re.sub(r"\s+", " ", text)))


# -- lost events

@question("lost", "syscalls", lambda claim, fact: claim)
def lost_of_stats(recording, _fact):
    """Events were lost; the kernel does not always report how many."""
    stats = recording.json("stats")["completeness"]
    return bool(stats["lost_event_count"] or stats["lost_count_is_minimum"])


@question("lost", "syscalls", lambda claim, fact: claim[0] == claim[2] or
          (claim[1] and claim[0] < claim[2]))
def lost_of_ring(recording, _fact):
    """The kernel's own counters at the end of the recording, or fewer, with "or more"."""
    text = "\n".join(recording.lines("report", "--stat"))
    overrun = sum(int(n) for n in re.findall(r"^\s*overrun: (\d+)", text, re.MULTILINE))
    stats = recording.json("stats")["completeness"]
    return [stats["lost_event_count"], stats["lost_count_is_minimum"], overrun]
