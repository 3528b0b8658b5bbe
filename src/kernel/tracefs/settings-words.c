/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One-line descriptions of the kernel's tracers, clocks and trace options. */
#include "kernel/tracefs/settings.h"

#include "base/cleanup.h"
#include "base/str.h"

struct words {
	const char *name;
	const char *what;
};

static const struct words tracers[] = {
	{ "blk", "requests to block devices, as shown by blktrace" },
	{ "branch", "outcome of likely() and unlikely() in the kernel" },
	{ "function", "kernel function calls, with their callers" },
	{ "function_graph", "kernel function calls as a tree, with durations" },
	{ "hwlat", "latency caused by hardware or firmware (SMIs)" },
	{ "irqsoff", "the longest time with interrupts disabled" },
	{ "mmiotrace", "reads and writes of device memory by drivers" },
	{ "nop", "no tracer: only events and probes are recorded" },
	{ "osnoise", "interference of interrupts, threads and firmware with a busy thread" },
	{ "preemptirqsoff", "the longest time with interrupts or preemption disabled" },
	{ "preemptoff", "the longest time with preemption disabled" },
	{ "timerlat", "latency of a timer interrupt and its thread" },
	{ "wakeup", "the longest wakeup latency of the highest-priority task" },
	{ "wakeup_dl", "like wakeup, for deadline tasks only" },
	{ "wakeup_rt", "like wakeup, for real-time tasks only" },
};

static const struct words clocks[] = {
	{ "boot", "time since boot, including suspend (CLOCK_BOOTTIME)" },
	{ "counter", "not a time: a counter of events on all CPUs" },
	{ "global", "like local, but synchronized between CPUs; slower" },
	{ "local", "fastest; may differ slightly between CPUs (default)" },
	{ "mono", "time since boot, adjusted by NTP (CLOCK_MONOTONIC)" },
	{ "mono_raw", "like mono, not adjusted by NTP (CLOCK_MONOTONIC_RAW)" },
	{ "perf", "the clock of perf, to correlate with its data" },
	{ "ppc-tb", "the processor's time base register" },
	{ "tai", "wall clock time without leap seconds (CLOCK_TAI)" },
	{ "uptime", "jiffies since boot, a coarse clock" },
	{ "x86-tsc", "cycle counter, to correlate with guests and hardware" },
};

static const struct words options[] = {
	{ "annotate", "mark where output continues with another CPU" },
	{ "bin", "show raw bytes in 'trace_pipe'" },
	{ "bitmask-list", "show bitmasks as lists, such as 0-3,7" },
	{ "blk_cgname", "blk: show the name of the cgroup" },
	{ "blk_cgroup", "blk: show the cgroup" },
	{ "blk_classic", "blk: print lines as blktrace does" },
	{ "block", "block reads of 'trace_pipe' until there is data" },
	{ "context-info", "show task, CPU and time in front of each event" },
	{ "copy_trace_marker", "copy writes to 'trace_marker' to this instance" },
	{ "disable_on_free", "stop tracing when the file 'free_buffer' is closed" },
	{ "display-graph", "latency tracers: show calls as a tree" },
	{ "event-fork", "also trace child processes (event PIDs)" },
	{ "fields", "show the fields of an event instead of its print format" },
	{ "func-args", "function: record the arguments" },
	{ "func-no-repeats", "function: count repeated calls instead of recording each" },
	{ "func_stack_trace", "function: record a stack for each call (slow)" },
	{ "funcgraph-abstime", "graph: show the timestamp of each line" },
	{ "funcgraph-args", "graph: record the arguments" },
	{ "funcgraph-cpu", "graph: show the CPU" },
	{ "funcgraph-duration", "graph: show the duration of each function" },
	{ "funcgraph-exit", "graph: show exits as events of their own (no entry is needed)" },
	{ "funcgraph-irqs", "graph: also trace inside interrupts" },
	{ "funcgraph-overhead", "graph: mark slow functions with + ! # $" },
	{ "funcgraph-overrun", "graph: show how many calls were too deep to trace" },
	{ "funcgraph-proc", "graph: show the task" },
	{ "funcgraph-retaddr", "graph: show the return address of each function" },
	{ "funcgraph-retval", "graph: show return values" },
	{ "funcgraph-retval-hex", "graph: show return values in hexadecimal" },
	{ "funcgraph-retval-trim", "graph: truncate return values to the size of their type" },
	{ "funcgraph-tail", "graph: name the function at its closing brace" },
	{ "function-fork", "also trace child processes (function PIDs)" },
	{ "function-trace", "latency tracers: also trace functions" },
	{ "graph-time", "function profiler: include the time of callees" },
	{ "hash-ptr", "show pointers hashed, as printk does" },
	{ "hex", "show numbers in hexadecimal" },
	{ "irq-info", "show whether interrupts are off, and the preemption depth" },
	{ "latency-format", "show more about latency in front of each event" },
	{ "markers", "allow writing to 'trace_marker'" },
	{ "overwrite", "overwrite the oldest events when full (off: drop new ones)" },
	{ "pause-on-trace", "pause recording while 'trace' is read" },
	{ "print-parent", "show the caller of each function" },
	{ "printk-msg-only", "trace_printk(): show only the text" },
	{ "raw", "show numbers instead of text" },
	{ "record-cmd", "record the name of each task" },
	{ "record-tgid", "record the process of each thread" },
	{ "sleep-time", "graph: include the time a task slept" },
	{ "stacktrace", "record a kernel stack with each event" },
	{ "sym-addr", "show the address beside each symbol" },
	{ "sym-offset", "show the offset inside each function" },
	{ "sym-userobj", "show which file a user address belongs to" },
	{ "test_nop_accept", "does nothing (for testing)" },
	{ "test_nop_refuse", "does nothing (for testing)" },
	{ "trace_printk", "record messages of trace_printk()" },
	{ "trace_printk_dest", "send messages of trace_printk() to this instance" },
	{ "userstacktrace", "record a user stack with each event" },
	{ "verbose", "show every detail in front of each event" },
};

static const char *settings_words_find(const struct words *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (str_eq(table[i].name, name))
			return table[i].what;
	return NULL;
}

const char *setting_tracer_words(const char *name)
{
	return settings_words_find(tracers, ARRAY_SIZE(tracers), name);
}

const char *setting_clock_words(const char *name)
{
	return settings_words_find(clocks, ARRAY_SIZE(clocks), name);
}

const char *setting_option_words(const char *name)
{
	return settings_words_find(options, ARRAY_SIZE(options), name);
}
