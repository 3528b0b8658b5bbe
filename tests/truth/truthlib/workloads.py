# SPDX-License-Identifier: GPL-2.0-or-later
"""The workloads, and the ways in which each is recorded."""

COMMAND = ["run", "run-events", "events", "syscalls", "trace-cmd"]
ALONE = COMMAND + ["system"]  # one task only: it can be found in a recording of the whole system
# A disk that takes 10 ms for each request, and then interrupts.
DISK = ["null_blk", "irqmode=2", "completion_nsec=10000000", "queue_mode=2", "nr_devices=1"]
MIDDLE = ["middle", "middle-functions", "within"]


class Workload:
    """A program with its arguments. @gate: the ways of it that the gate takes the time for;
    @before: the argument of a run before it, which is compared; @module: what it needs of the kernel."""

    def __init__(self, name, ways, gate=("run",), pid_max=None, before=None, module=None):
        self.program, _, argument = name.partition(" ")
        self.arguments = argument.split()
        self.name = name
        self.ways = list(ways)
        self.gate = list(gate)
        self.pid_max = pid_max
        self.before = before
        self.module = module


# Known wrong answers, and why: (workload, rule). They are counted as skipped.
KNOWN = {}

WORKLOADS = [
    Workload("sleeping naps", ALONE, ALONE),
    Workload("sleeping spread", ALONE, ["run-events"]),
    Workload("sleeping work", ALONE, ["run", "run-events"]),
    Workload("sleeping polls", ALONE, ["events"]),
    Workload("sleeping epolls", ALONE, ["trace-cmd"]),
    Workload("sleeping yields", ALONE, ["run-events"]),
    Workload("calling cheap", ALONE + ["stream", "started"],
             ["run", "system", "stream", "started"]),
    Workload("calling stalled", ["lossy"], ["lossy"]),
    Workload("calling writes", ALONE, ["run-events"]),
    Workload("calling errors", ALONE, ["run-events", "syscalls"]),
    Workload("calling files", COMMAND, ["run-events"]),
    Workload("calling duplicates", COMMAND, ["run-events"]),
    Workload("calling sockets", ALONE, ["events"]),
    Workload("calling maps", ALONE, ["syscalls"]),
    Workload("calling faults", ALONE, ["run", "run-events"]),
    Workload("waiting lock-asleep", COMMAND, ["run-events"]),
    Workload("waiting lock-busy", COMMAND, ["run-events"]),
    Workload("waiting messages", COMMAND, ["run-events", "trace-cmd"]),
    Workload("waiting rivals", COMMAND, ["run-events", "events"]),
    Workload("waiting alone", COMMAND, ["run-events"]),
    Workload("waiting disturbed", COMMAND, ["run-events"]),
    Workload("waiting stopped", COMMAND, ["events"]),
    Workload("waiting moves", COMMAND, ["events"]),
    Workload("waiting switches", COMMAND, ["run-events"]),
    Workload("ending children", COMMAND, ["run-events"]),
    Workload("ending many-children", COMMAND, ["run-events"], pid_max=400),
    Workload("ending programs", COMMAND, ["run-events"]),
    Workload("ending ends", COMMAND, ["run-events"]),
    Workload("ending kill-itself", COMMAND, ["run-events"]),
    Workload("ending fault", COMMAND, ["run-events"]),
    Workload("ending to-itself", COMMAND, ["run-events", "events"]),
    Workload("ending from-child", COMMAND, ["run-events"]),
    Workload("ending interrupted", COMMAND, ["run-events", "events"]),
    Workload("ending restarted", COMMAND, ["run-events"]),
    Workload("ending paused", COMMAND, ["run-events"]),
    Workload("ending idle-threads", COMMAND, ["run-events"]),
    Workload("ending thread-exits", COMMAND, ["run-events"]),
    Workload("ending thread-execs", COMMAND, ["run", "run-events", "syscalls"]),
    Workload("ending orphan", COMMAND, ["run-events"]),
    Workload("lasting reads", MIDDLE, MIDDLE),
    Workload("lasting sleeps", MIDDLE, ["middle", "within"]),
    Workload("lasting works", MIDDLE, ["middle"]),
    Workload("touching functions", ["probes", "user-functions"], ["probes", "user-functions"]),
    Workload("touching seeks", ["kernel-probes"], ["kernel-probes"]),
    Workload("touching writes", ["memory", "watch", "watch-json"], ["memory", "watch", "watch-json"]),
    Workload("touching shares", ["sample"], ["sample"]),
    Workload("devices requests", ["devices", "run-events"], ["devices"], module=DISK),
    Workload("devices packets", ["devices"], ["devices"]),
    Workload("chaining pipes", ["events", "run-events", "trace-cmd"], ["events"]),
    Workload("chaining futexes", ["events", "run-events", "trace-cmd"], ["events"]),
    Workload("failing denied", ["why"], ["why"]),
    Workload("failing not-empty", ["why"], []),
    Workload("changing after", ["changed", "changed-functions"], ["changed"], before="before"),
]
