/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the kernel's tracers, clocks and options are for, in one line each. */
#include "kernel/tracefs/settings.h"

#include "base/cleanup.h"
#include "base/str.h"

struct words {
	const char *name;
	const char *what;
};

static const struct words tracers[] = {
	{ "blk", "requests to block devices (disks), as blktrace shows them" },
	{ "branch", "which way each likely() and unlikely() in the kernel went" },
	{ "function", "every kernel function that is called, and from where" },
	{ "function_graph", "calls as a tree, with the duration of each" },
	{ "hwlat", "time stolen by the hardware or firmware (SMIs)" },
	{ "irqsoff", "the longest time that interrupts were off, and why" },
	{ "mmiotrace", "reads and writes of device memory by drivers" },
	{ "nop", "no tracer: only events and probes are recorded" },
	{ "osnoise", "what interrupts, threads and firmware take from a busy thread" },
	{ "preemptirqsoff", "the longest time that interrupts or preemption were off" },
	{ "preemptoff", "the longest time that preemption was off" },
	{ "timerlat", "how late a timer's interrupt and its thread come, and why" },
	{ "wakeup", "the longest wait of the most important task for a CPU" },
	{ "wakeup_dl", "the same as wakeup, for deadline tasks only" },
	{ "wakeup_rt", "the same as wakeup, for real-time tasks only" },
};

static const struct words clocks[] = {
	{ "boot", "time since boot, also counting sleep (CLOCK_BOOTTIME)" },
	{ "counter", "no time: a number that grows with each event, on all CPUs" },
	{ "global", "like local, but kept in step between CPUs; slower" },
	{ "local", "the fastest; CPUs may differ a little (the default)" },
	{ "mono", "the clock of programs, adjusted by NTP (CLOCK_MONOTONIC)" },
	{ "mono_raw", "the same without NTP's adjustments (CLOCK_MONOTONIC_RAW)" },
	{ "perf", "the clock of perf: to compare with perf's data" },
	{ "ppc-tb", "the processor's time base register" },
	{ "tai", "atomic time: wall clock without leap seconds (CLOCK_TAI)" },
	{ "uptime", "jiffies since boot: coarse, one tick at a time" },
	{ "x86-tsc", "the processor's cycle counter: to compare with guests and hardware" },
};

static const struct words options[] = {
	{ "annotate", "mark where the output goes on with another CPU" },
	{ "bin", "show raw bytes in 'trace_pipe'" },
	{ "bitmask-list", "show bitmasks as lists, such as 0-3,7" },
	{ "blk_cgname", "blk: show the name of the cgroup" },
	{ "blk_cgroup", "blk: show the cgroup" },
	{ "blk_classic", "blk: print lines as blktrace does" },
	{ "block", "reads of 'trace_pipe' wait for data" },
	{ "context-info", "show task, CPU and time in front of each event" },
	{ "copy_trace_marker", "what is written to 'trace_marker' goes here too" },
	{ "disable_on_free", "stop tracing when the file 'free_buffer' is closed" },
	{ "display-graph", "latency tracers: show calls as a tree" },
	{ "event-fork", "children of a traced process are traced too (event pids)" },
	{ "fields", "show all fields of an event instead of its own text" },
	{ "func-args", "function: record the arguments" },
	{ "func-no-repeats", "function: count calls that repeat instead of recording each" },
	{ "func_stack_trace", "function: record a stack for each call (slow)" },
	{ "funcgraph-abstime", "graph: show the time of day of each line" },
	{ "funcgraph-args", "graph: record the arguments" },
	{ "funcgraph-cpu", "graph: show the CPU" },
	{ "funcgraph-duration", "graph: show how long each function took" },
	{ "funcgraph-exit", "graph: show exits as events of their own (no entry is needed)" },
	{ "funcgraph-irqs", "graph: also trace inside interrupts" },
	{ "funcgraph-overhead", "graph: mark slow functions with + ! # $" },
	{ "funcgraph-overrun", "graph: show how often calls were too deep to follow" },
	{ "funcgraph-proc", "graph: show the task" },
	{ "funcgraph-retaddr", "graph: show where each function was called from" },
	{ "funcgraph-retval", "graph: show the value that each function returned" },
	{ "funcgraph-retval-hex", "graph: show returned values in hexadecimal" },
	{ "funcgraph-retval-trim", "graph: cut returned values to the size of their type" },
	{ "funcgraph-tail", "graph: name the function at its closing brace" },
	{ "function-fork", "children of a traced process are traced too (function pids)" },
	{ "function-trace", "latency tracers: also trace functions" },
	{ "graph-time", "function profiler: count the time of called functions too" },
	{ "hash-ptr", "show pointers hashed, as printk does" },
	{ "hex", "show numbers in hexadecimal" },
	{ "irq-info", "show whether interrupts are off, and the preemption depth" },
	{ "latency-format", "show more about latency in front of each event" },
	{ "markers", "writing to 'trace_marker' is allowed" },
	{ "overwrite", "a full buffer loses its oldest events (off: its newest)" },
	{ "pause-on-trace", "reading 'trace' stops recording meanwhile" },
	{ "print-parent", "show the caller of each function" },
	{ "printk-msg-only", "trace_printk(): show the text alone" },
	{ "raw", "show numbers instead of text" },
	{ "record-cmd", "remember the name of each task" },
	{ "record-tgid", "remember the process of each thread" },
	{ "sleep-time", "graph: count the time in which a task slept" },
	{ "stacktrace", "record a kernel stack with each event" },
	{ "sym-addr", "show the address beside each symbol" },
	{ "sym-offset", "show the offset inside each function" },
	{ "sym-userobj", "show which file a user address belongs to" },
	{ "test_nop_accept", "does nothing (for testing)" },
	{ "test_nop_refuse", "does nothing (for testing)" },
	{ "trace_printk", "messages of trace_printk() go into the buffer" },
	{ "trace_printk_dest", "trace_printk() writes into this instance" },
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
