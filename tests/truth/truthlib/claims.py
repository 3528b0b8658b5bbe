# SPDX-License-Identifier: GPL-2.0-or-later
"""What commands claim about the facts of a workload.

A question asks one command about one kind of fact. It returns the claim, or None where the command
says that it does not know; whether the recording has to know is stated with @question.
"""

import errno
import re
import signal

NS_PER_MS = 1000000


class Question:
    """One command, asked about one kind of fact."""

    def __init__(self, fact, needs, ask, fits):
        self.fact = fact
        self.needs = frozenset(needs.split())
        self.ask = ask
        self.fits = fits
        self.name = ask.__name__.replace("_", "-")

    def check(self, recording, fact):
        """None if the claim is true, else what is false about it."""
        claim = self.ask(recording, fact)
        if claim is None:
            return None if not self.needs <= recording.way.sees else "says that it does not know"
        if recording.way.lossy and self.fact == "calls":
            return None if claim <= fact.get("count", claim) else f"{claim} is more than there were"
        return None if self.fits(claim, fact) else f"says {claim}"


QUESTIONS = []


def question(fact, needs, fits):
    """Registers the function as a question about facts of this kind."""
    def register(ask):
        QUESTIONS.append(Question(fact, needs, ask, fits))
        return ask
    return register


def _number(claim, fact):
    """A count: exactly so many, or between two."""
    if "count" in fact:
        return claim == fact["count"]
    return fact.get("at_least", 0) <= claim <= fact.get("at_most", claim)


def _named(rows, name, key="name"):
    return next((row for row in rows if row[key] == name), None)


def _all_calls(row):
    return row["calls"] if row else 0


# -- system calls: how often

@question("calls", "syscalls", _number)
def calls_of_summary(recording, fact):
    """The row of the system call."""
    return _all_calls(_named(recording.json("summary")["syscalls"], fact["name"]))


@question("calls", "syscalls", _number)
def calls_of_syscalls(recording, fact):
    """The row of the system call."""
    return _all_calls(_named(recording.json("syscalls")["syscalls"], fact["name"]))


@question("calls", "syscalls", _number)
def calls_of_syscalls_text(recording, fact):
    """The same in the table for people: total, asleep, calls, median, max, name."""
    row = recording.row(rf"(\S+)\s+\S+(?: \S?s)?\s+\S+(?: \S?s)?\s+{fact['name']}(?:\s|$)", "syscalls",
                        "--breakdown=none")
    return int(row.group(1)) if row else 0


@question("calls", "syscalls", _number)
def calls_of_stats(recording, fact):
    """The events of the entries."""
    row = _named(recording.json("stats")["rows"], "sys_enter_" + _event_name(fact["name"]))
    return row["count"] if row else 0


@question("calls", "syscalls", _number)
def calls_of_syscall_stats(recording, fact):
    """The same command, by system call."""
    row = _named(recording.json("stats", "--by", "syscall")["rows"], fact["name"])
    return _all_calls(row)


@question("calls", "syscalls", _number)
def calls_of_list(recording, fact):
    """One line for each."""
    pattern = re.compile(rf"\s(?:<\.\.\. )?{fact['name']}(?:\(| resumed>)")
    return sum(1 for line in recording.lines("syscalls", "--list") if pattern.search(line))


@question("calls", "syscalls", _number)
def calls_of_report(recording, fact):
    """One line for each entry."""
    pattern = re.compile(rf": sys_enter_{_event_name(fact['name'])}:")
    return sum(1 for line in recording.lines("report") if pattern.search(line))


def _event_name(name):
    """The event of a system call that the kernel calls otherwise."""
    return {"newfstatat": "newfstatat"}.get(name, name)


# -- system calls: what failed

def _errors_fit(claim, fact):
    return not claim if not fact["error"] else claim.get(fact["error"], 0) == fact["count"]


def _error_names(errors):
    return {errno.errorcode.get(error["code"], f"error {error['code']}"): error["count"]
            for error in errors}


@question("errors", "syscalls", _errors_fit)
def errors_of_syscalls(recording, fact):
    """By errno, for the system call."""
    row = _named(recording.json("syscalls")["syscalls"], fact["name"])
    return _error_names(row["errors"]) if row else {}


@question("errors", "syscalls", _errors_fit)
def errors_of_summary(recording, fact):
    """Its list of what failed, with or without a path."""
    found = {}
    for error in recording.json("summary")["errors"]:
        if error["syscall"] == fact["name"]:
            name = errno.errorcode.get(error["code"], f"error {error['code']}")
            found[name] = found.get(name, 0) + error["count"]
    return found


@question("errors", "syscalls", _errors_fit)
def errors_of_list(recording, fact):
    """The results of all of its lines."""
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

def _asleep_fits(claim, fact):
    if not fact["ns"]:
        return claim <= NS_PER_MS
    return fact["ns"] * 0.8 - 10 * NS_PER_MS <= claim <= fact["ns"] + NS_PER_MS


@question("asleep", "syscalls sched", _asleep_fits)
def asleep_of_syscalls(recording, fact):
    """In the system call."""
    row = _named(recording.json("syscalls")["syscalls"], fact["name"])
    return row["asleep_ns"] if row else 0


@question("asleep", "syscalls sched", _asleep_fits)
def asleep_of_summary(recording, fact):
    """In the system call."""
    row = _named(recording.json("summary")["syscalls"], fact["name"])
    return row["asleep_ns"] if row else 0


@question("asleep", "syscalls sched", _asleep_fits)
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
    row = _named(recording.json("syscalls")["syscalls"], fact["name"])
    return row["max_ns"] if row else 0


# -- where the time went

def _task(recording, pid):
    return next((task for task in recording.json("summary")["tasks"] if task["pid"] == pid), None)


def _surely_and_maybe(task):
    """In the program for sure, and at most: where page faults cannot be told from it."""
    surely = task["program_ns"] or 0
    return [surely, surely + task.get("program_or_other_ns", 0)]


@question("program", "syscalls sched faults",
          lambda claim, fact: claim[0] <= fact["ns"] * 1.1 + 80 * NS_PER_MS and
          fact["ns"] * 0.8 <= claim[1])
def program_of_summary(recording, fact):
    """In the program itself, which takes some time to start."""
    task = _task(recording, fact["pid"])
    return _surely_and_maybe(task) if task else None


@question("program", "syscalls sched functions", lambda claim, fact: fact["ns"] * 0.8 <= claim)
def surely_program_of_summary(recording, fact):
    """With functions it has to be known."""
    task = _task(recording, fact["pid"])
    if not task or "functions" not in recording.way.sees:
        return None
    return task["program_ns"]


@question("inside", "syscalls sched", lambda claim, fact: claim < 0.1)
def program_when_inside(recording, fact):
    """The share of the program while the task is in one system call all the time."""
    task = _task(recording, fact["pid"])
    if not task:
        return None
    total = sum(task[key] for key in task if key.endswith("_ns") and isinstance(task[key], int))
    return _surely_and_maybe(task)[1] / total if total else None


@question("inside", "syscalls", lambda claim, fact: claim > 0)
def call_when_inside(recording, fact):
    """Is the call shown that was there from the start? One that did not end there cannot be known."""
    row = _named(recording.json("summary")["syscalls"], fact["name"])
    return _all_calls(row) if row or "syscalls" in recording.way.sees else None


@question("working", "syscalls sched", lambda claim, fact: claim < 0.1)
def kernel_when_working(recording, fact):
    """The share of waiting and system calls while the task works all the time."""
    task = _task(recording, fact["pid"])
    if not task:
        return None
    total = sum(task[key] for key in task if key.endswith("_ns") and isinstance(task[key], int))
    return (task["waiting_ns"] or 0) / total if total else None


@question("faults", "faults", _number)
def faults_of_summary(recording, _fact):
    """All page faults."""
    return recording.json("summary")["page_faults"]


@question("file", "syscalls files", lambda claim, fact: claim == [fact["read"], fact["written"]])
def files_of_summary(recording, fact):
    """What was read from the file and written to it."""
    for entry in recording.json("summary")["files"]:
        if entry["path"].endswith(fact["path"]):
            return [entry["read"], entry["written"]]
    return None


# -- tasks and CPUs

def _sched(recording, pid):
    return next((task for task in recording.json("sched")["tasks"] if task["pid"] == pid), None)


def _near(claim, truth):
    """Hardly less, and not much more: the start and the end of a task are not measured."""
    return truth * 0.85 - 15 * NS_PER_MS <= claim <= truth * 1.15 + 60 * NS_PER_MS


@question("wait", "syscalls sched", lambda claim, fact: claim["count"] == fact["count"] and
          _asleep_fits(claim["ns"], fact))
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


@question("competition", "sched", lambda claim, fact: _near(claim[0], fact["runnable_ns"]) and
          _near(claim[1], fact["cpu_ns"]))
def competition_of_sched(recording, fact):
    """How long the task waited for a CPU, and had one."""
    task = _sched(recording, fact["pid"])
    return [task["delay_ns"], task["slice_ns"]] if task else None


@question("competition", "sched syscalls", lambda claim, fact: _near(claim, fact["runnable_ns"]))
def competition_of_summary(recording, fact):
    """How long no CPU was free for it."""
    task = _task(recording, fact["pid"])
    return task["no_free_cpu_ns"] if task else None


@question("stopped", "sched", lambda claim, fact: _near(claim, fact["ns"]))
def stopped_of_sched(recording, fact):
    """How long it was stopped."""
    task = _sched(recording, fact["pid"])
    return task["stopped_ns"] if task else None


@question("moves", "sched", _number)
def moves_of_sched(recording, fact):
    """From CPU to CPU."""
    task = _sched(recording, fact["pid"])
    return task["migrations"] if task else None


@question("switches", "sched",
          lambda claim, fact: 0 <= claim[0] - fact["voluntary"] <= fact["early"] + 15 and
          0 <= claim[1] - fact["preempted"] <= fact["early"] + 15)
def switches_of_sched(recording, fact):
    """What rusage says, those of the program's start, and those of its end."""
    task = _sched(recording, fact["pid"])
    return [task["voluntary"], task["preempted"]] if task else None


# -- processes, how they end, signals

@question("started", "tasks", _number)
def started_of_summary(recording, _fact):
    """Processes, by the tasks that have a parent."""
    return sum(1 for task in recording.json("summary")["tasks"] if task["pid"] != recording.pid
               and "parent" in task)


@question("end", "tasks syscalls signals ends",
          lambda claim, fact: claim == ({"code": fact["code"]} if "code" in fact else
                                        {"signal": fact["signal"]}))
def end_of_summary(recording, fact):
    """With which code, or by which signal."""
    task = _task(recording, fact["pid"])
    if not task:
        return None
    if task.get("signal"):
        return {"signal": signal.Signals[task["signal"]].value}
    return {"code": task["exit_code"]} if task.get("exit_code") is not None else None


@question("no_signals", "signals", lambda claim, fact: not claim)
def no_signals_of_summary(recording, _fact):
    """Signals that somebody got, but those of children that ended."""
    return [row["signal"] for row in recording.json("summary")["signal_counts"]
            if row["signal"] != "SIGCHLD"]


@question("no_signals", "signals", lambda claim, fact: not claim)
def no_signals_of_summary_text(recording, _fact):
    """The same on the screen."""
    return re.findall(r"SIG(?!CHLD)[A-Z0-9]+ to", " ".join(recording.lines("summary", "-q")))


@question("signals", "signals", _number)
def signals_of_summary(recording, fact):
    """Signals of this number that the process got."""
    return sum(row["count"] for row in recording.json("summary")["signal_counts"]
               if row["number"] == fact["signal"] and row["pid"] == fact["pid"])


@question("signals", "signals", lambda claim, fact: claim)
def signals_of_summary_text(recording, fact):
    """Its line about signals names this one, and how often it was sent."""
    text = " ".join(recording.lines("summary", "-q"))
    name = signal.Signals(fact["signal"]).name
    count = f"{fact['count']} " if fact["count"] > 1 else "(?<![0-9] )"
    return bool(re.search(rf"{count}{name} to \S+-{fact['pid']}\b", re.sub(r"\s+", " ", text)))


# -- lost events

@question("lost", "syscalls", lambda claim, fact: claim)
def lost_of_stats(recording, _fact):
    """Events were lost; how many the kernel does not always say."""
    stats = recording.json("stats")
    return bool(stats["lost"] or stats["lost_more"])


@question("lost", "syscalls", lambda claim, fact: claim[0] == claim[2] or
          (claim[1] and claim[0] < claim[2]))
def lost_of_ring(recording, _fact):
    """As many as in the kernel's own counters at the end of the recording, or fewer "and more"."""
    text = "\n".join(recording.lines("report", "--stat"))
    overrun = sum(int(n) for n in re.findall(r"^\s*overrun: (\d+)", text, re.MULTILINE))
    stats = recording.json("stats")
    return [stats["lost"], stats["lost_more"], overrun]


# -- what holds for every recording, whatever it is of

def _times(row):
    return {key: row[key] for key in row if key.endswith("_ns") and isinstance(row[key], int)}


def life_of_tasks(recording):
    """Each moment of a task counts once: its times add up to its life."""
    for task in recording.json("summary")["tasks"]:
        total, life = sum(_times(task).values()), task["last"] - task["first"]
        if total != life:
            return f"the times of {task['pid']} are {total} in all, and its life {life}"
    return None


def sums_of_tasks(recording):
    """The times of all tasks together are their sums."""
    summary = recording.json("summary")
    for key, value in _times(summary["times"]).items():
        total = sum(task[key] or 0 for task in summary["tasks"])
        if total != value:
            return f"{key} of all tasks is {value}, and the sum of theirs {total}"
    return None


def lost_events(recording):
    """All commands count the same lost events."""
    counts = {command: recording.json(command)["lost"] for command in ("summary", "stats")}
    return f"lost events differ: {counts}" if len(set(counts.values())) > 1 else None


def _split(recording, command, rows):
    """The sums of a command over all, and over two windows that are all together, by task or call."""
    stats = recording.json("stats")
    first, last = stats["first_time"], stats["last_time"]
    # Somewhere, but at the same place each time that the same recording is asked.
    cut = first + (last - first) * (recording.pid % 7 + 1) // 8

    def sums(*options):
        found = {}
        for row in recording.json(command, *options)[rows]:
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


# By command: which times add up, and what those are a part of that are one thing in the whole and another in a window.
SPLIT_KEYS = {
    "sched": _same("slice_ns", "delay_ns", "sleeping_ns", "blocked_ns", "idle_ns", "stopped_ns", "total_ns"),
    "offcpu": _same("slice_ns", "delay_ns", "sleeping_ns", "blocked_ns", "idle_ns", "stopped_ns", "total_ns"),
    "summary": _same("program_ns", "kernel_ns", "waiting_ns", "no_free_cpu_ns", "interrupts_ns", "unknown_ns",
                     "program_or_other_ns", "kernel_or_asleep_ns"),
    "syscalls": {"total_ns": "time", "cut_ns": "time", "ended_ns": "time", **_same("asleep_ns", "no_free_cpu_ns")},
}


def windows_add_up(recording):
    """What is asked about two windows in turn is together what all of it is."""
    if "sched" not in recording.way.sees:
        return None
    tasks = len(recording.json("stats", "--by", "task")["rows"])
    for command in ("sched", "offcpu", "summary", "syscalls"):
        if command in ("summary", "syscalls") and "syscalls" not in recording.way.sees:
            continue
        whole, parts = _split(recording, command, "syscalls" if command == "syscalls" else "tasks")
        for key in {**whole, **parts}:
            # A nanosecond is missing between them, for each task that is in such a call.
            if abs(whole.get(key, 0) - parts.get(key, 0)) > (2 * tasks if command == "syscalls" else 2):
                return (f"{command}: {key[1]} of {key[0]} is {whole.get(key)}, and in two parts "
                        f"{parts.get(key)}")
    return None


ALWAYS = [windows_add_up, life_of_tasks, sums_of_tasks, lost_events]
