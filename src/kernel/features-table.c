/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The questions. Adding one is a row here, and a function in a probe-*.c file
 * where none of the ways to ask that are there fits. Ids never change their
 * meaning: scripts use them. Rows of a group stand together.
 */
#include "kernel/probe.h"

#define NEWER "a newer kernel"

#define TRACER(name, text, symbol)                                                        \
	{                                                                                 \
		.id = "tracer." name, .group = "tracers", .title = (text), .arg = (name), \
		.ask = ask_tracer, .config = (symbol), .needs = NEEDS_TRACEFS             \
	}
/* Is there because a file is. */
#define BY_FILE(i, g, text, file, ...)                                                    \
	{                                                                                 \
		.id = (i), .group = (g), .title = (text), .arg = (file), .ask = ask_file, \
		.needs = NEEDS_TRACEFS, __VA_ARGS__                                       \
	}
#define BY_README(i, g, text, words, ...)                                                    \
	{                                                                                    \
		.id = (i), .group = (g), .title = (text), .arg = (words), .ask = ask_readme, \
		.needs = NEEDS_TRACEFS, __VA_ARGS__                                          \
	}
#define BY_PROBE(i, text, definition, ...)                                          \
	{                                                                           \
		.id = (i), .group = "probes", .title = (text), .arg = (definition), \
		.ask = ask_dynevent, .needs = NEEDS_TRACEFS_WRITE, __VA_ARGS__      \
	}
#define BY_CALL(i, g, text, function, ...)                                   \
	{                                                                    \
		.id = (i), .group = (g), .title = (text), .ask = (function), \
		.needs = NEEDS_NOTHING, __VA_ARGS__                          \
	}

const struct question questions[] = {
	TRACER("function", "see which kernel functions run", "CONFIG_FUNCTION_TRACER"),
	TRACER("function_graph", "see kernel calls as a tree, with times",
	       "CONFIG_FUNCTION_GRAPH_TRACER"),
	TRACER("nop", "record events only", "CONFIG_TRACING"),
	TRACER("blk", "follow requests to disks", "CONFIG_BLK_DEV_IO_TRACE"),
	TRACER("mmiotrace", "see how drivers talk to devices (mmiotrace)", "CONFIG_MMIOTRACE"),
	TRACER("wakeup", "longest wait of an urgent task for a CPU", "CONFIG_SCHED_TRACER"),
	TRACER("wakeup_rt", "longest wait of a real-time task for a CPU", "CONFIG_SCHED_TRACER"),
	TRACER("wakeup_dl", "longest wait of a deadline task for a CPU", "CONFIG_SCHED_TRACER"),
	TRACER("irqsoff", "longest time with interrupts off", "CONFIG_IRQSOFF_TRACER"),
	TRACER("preemptoff", "longest time without task switches", "CONFIG_PREEMPT_TRACER"),
	TRACER("preemptirqsoff", "longest time with either", "CONFIG_PREEMPT_TRACER"),
	TRACER("hwlat", "time stolen by hardware or firmware", "CONFIG_HWLAT_TRACER"),
	TRACER("osnoise", "time stolen from a busy task by the system", "CONFIG_OSNOISE_TRACER"),
	TRACER("timerlat", "how late timers wake tasks", "CONFIG_TIMERLAT_TRACER"),

	{ .id = "fgraph.instance",
	  .group = "calls",
	  .title = "call tree in a private buffer",
	  .ask = ask_graph_instance,
	  .needs = NEEDS_TRACEFS_WRITE,
	  .fix = NEWER,
	  .instead_id = "tracer.function_graph",
	  .instead = "in the main buffer, one user at a time" },
	BY_FILE("fgraph.depth", "calls", "call tree down to a chosen depth", "max_graph_depth",
		.config = "CONFIG_FUNCTION_GRAPH_TRACER"),
	BY_FILE("fgraph.args", "calls", "arguments in the call tree", "options/funcgraph-args",
		.config = "CONFIG_FUNCTION_TRACE_ARGS", .instead_id = "probe.kprobe",
		.instead = "a probe on a function shows them"),
	BY_FILE("fgraph.retval", "calls", "return values in the call tree",
		"options/funcgraph-retval", .config = "CONFIG_FUNCTION_GRAPH_RETVAL",
		.instead_id = "probe.kretprobe",
		.instead = "a return probe on a function shows them"),
	BY_FILE("fgraph.retaddr", "calls", "the calling line in the call tree",
		"options/funcgraph-retaddr", .config = "CONFIG_FUNCTION_GRAPH_RETADDR"),
	BY_FILE("func.args", "calls", "arguments in function lists", "options/func-args",
		.config = "CONFIG_FUNCTION_TRACE_ARGS", .instead_id = "probe.kprobe",
		.instead = "a probe on a function shows them"),
	BY_FILE("func.profiler", "calls", "count and time all kernel functions",
		"function_profile_enabled", .config = "CONFIG_FUNCTION_PROFILER",
		.instead_id = "tracer.function_graph",
		.instead = "computed from a recorded call tree"),
	BY_FILE("func-notrace-pid", "calls", "leave processes out of function traces",
		"set_ftrace_notrace_pid", .fix = NEWER),
	BY_FILE("filter-addrs", "calls", "tell functions of the same name apart",
		"available_filter_functions_addrs", .fix = NEWER, .instead_id = "symbol-addrs",
		.instead = "worked out from the addresses of the kernel's symbols"),
	BY_CALL("symbol-addrs", "calls", "see the addresses of the kernel's symbols",
		ask_symbol_addrs, .fix = "sysctl kernel.kptr_restrict=1, and run this as root"),
	BY_FILE("stack-tracer", "calls", "find what uses the most kernel stack", "stack_trace",
		.config = "CONFIG_STACK_TRACER"),

	BY_PROBE("probe.kprobe", "probe almost any kernel instruction", "p:GROUP/x vfs_read",
		 .config = "CONFIG_KPROBE_EVENTS"),
	BY_PROBE("probe.kretprobe", "see what kernel functions return", "r:GROUP/x vfs_read",
		 .config = "CONFIG_KPROBE_EVENTS"),
	BY_PROBE("probe.uprobe", "probe programs and libraries", "p:GROUP/x EXE:0x0",
		 .config = "CONFIG_UPROBE_EVENTS"),
	BY_PROBE("probe.uretprobe", "see what functions of programs return", "r:GROUP/x EXE:0x0",
		 .config = "CONFIG_UPROBE_EVENTS"),
	/* Defining these two patches the kernel on some kernels, so their help text answers. */
	BY_README("probe.fprobe", "probes", "cheap probes at function entry and exit (fprobe)",
		  "f[:[", .config = "CONFIG_FPROBE_EVENTS", .instead_id = "probe.kprobe",
		  .instead = "kprobes do it, at a higher cost"),
	BY_README("probe.tprobe", "probes", "probe raw tracepoints with their arguments", "t[:[",
		  .config = "CONFIG_FPROBE_EVENTS"),
	BY_PROBE("probe.eprobe", "probes on events, to pick other fields",
		 "e:GROUP/x sched.sched_switch", .config = "CONFIG_DYNAMIC_EVENTS"),
	{ .id = "probe.btf-args",
	  .group = "probes",
	  .title = "arguments of probed functions by name",
	  .ask = ask_btf_args,
	  .arg = "p:GROUP/x vfs_read $arg*",
	  .config = "CONFIG_PROBE_EVENTS_BTF_ARGS",
	  .needs = NEEDS_TRACEFS_WRITE,
	  .instead_id = "probe.kprobe",
	  .instead = "by register, from the prototype" },

	{ .id = "hist",
	  .group = "events",
	  .title = "count and sum events inside the kernel",
	  .ask = ask_event_file,
	  .arg = "hist",
	  .config = "CONFIG_HIST_TRIGGERS",
	  .needs = NEEDS_TRACEFS,
	  .instead_id = "tracer.nop",
	  .instead = "events are recorded and counted afterwards" },
	{ .id = "synthetic",
	  .group = "events",
	  .title = "events that combine others, such as latencies",
	  .ask = ask_dynevent,
	  .arg = "s:GROUP u64 x",
	  .config = "CONFIG_SYNTH_EVENTS",
	  .needs = NEEDS_TRACEFS_WRITE,
	  .instead_id = "tracer.nop",
	  .instead = "events are recorded and combined afterwards" },
	{ .id = "triggers",
	  .group = "events",
	  .title = "let an event start or stop tracing",
	  .ask = ask_event_file,
	  .arg = "trigger",
	  .needs = NEEDS_TRACEFS,
	  .config = "CONFIG_EVENT_TRACING" },
	BY_FILE("event-pid", "events", "events of chosen processes only", "set_event_pid",
		.fix = NEWER),
	BY_FILE("event-notrace-pid", "events", "leave processes out of event traces",
		"set_event_notrace_pid", .fix = NEWER),
	{ .id = "user-events",
	  .group = "events",
	  .title = "events that programs send by themselves",
	  .ask = ask_user_events,
	  .arg = "user_events_data",
	  .config = "CONFIG_USER_EVENTS",
	  .needs = NEEDS_TRACEFS,
	  .instead_id = "probe.uprobe",
	  .instead = "probes, or the trace_marker file" },
	BY_FILE("error-log", "events", "the kernel explains what it refuses", "error_log",
		.fix = NEWER),

	{ .id = "instances",
	  .group = "buffers",
	  .title = "private buffers, so that traces do not mix",
	  .ask = ask_instances,
	  .needs = NEEDS_TRACEFS_WRITE,
	  .fix = NEWER },
	BY_FILE("snapshot", "buffers", "keep the buffer of a chosen moment", "snapshot",
		.config = "CONFIG_TRACER_SNAPSHOT"),
	BY_FILE("ring.subbuf-size", "buffers", "larger buffer pages, for large events",
		"buffer_subbuf_size_kb", .fix = NEWER),
	{ .id = "ring.mmap",
	  .group = "buffers",
	  .title = "read the buffer without copying (mmap)",
	  .ask = ask_ring_mmap,
	  .needs = NEEDS_TRACEFS_WRITE,
	  .fix = NEWER,
	  .instead_id = "tracer.nop",
	  .instead = "splice, as fast for recording" },
	{ .id = "ring.persistent",
	  .group = "buffers",
	  .title = "a trace that survives a crash and reboot",
	  .ask = ask_ring_persistent,
	  .arg = "__ring_buffer_alloc_range",
	  .needs = NEEDS_TRACEFS,
	  .fix = NEWER },
	{ .id = "clocks",
	  .group = "buffers",
	  .title = "clocks for time stamps",
	  .ask = ask_clocks,
	  .arg = "trace_clock",
	  .needs = NEEDS_TRACEFS,
	  .config = "CONFIG_TRACING" },

	BY_CALL("perf.software", "perf", "count what the kernel counts, such as task switches",
		ask_perf_software, .config = "CONFIG_PERF_EVENTS"),
	BY_CALL("perf.cpu-clock", "perf", "sample what the CPUs do, by timer", ask_perf_sampling,
		.config = "CONFIG_PERF_EVENTS"),
	BY_CALL("perf.stack-copy", "perf", "copy registers and stacks of programs with samples",
		ask_perf_stack_copy, .instead_id = "perf.cpu-clock",
		.instead = "samples with frame pointers"),
	BY_CALL("perf.hardware", "perf", "count and sample by the CPU's own counters",
		ask_perf_hardware, .fix = "a real machine, or a virtual one that passes them on",
		.instead_id = "perf.cpu-clock", .instead = "samples by timer"),
	BY_CALL("perf.breakpoint", "perf", "watch a variable or an instruction in hardware",
		ask_perf_breakpoint, .config = "CONFIG_HAVE_HW_BREAKPOINT"),

	BY_CALL("bpf.kprobe", "bpf", "BPF programs on kernel and user probes", ask_bpf_load,
		.arg = "kprobe", .config = "CONFIG_BPF_EVENTS"),
	BY_CALL("bpf.tracepoint", "bpf", "BPF programs on events", ask_bpf_load,
		.arg = "tracepoint", .config = "CONFIG_BPF_EVENTS"),
	BY_CALL("bpf.raw-tracepoint", "bpf", "BPF programs on raw tracepoints", ask_bpf_load,
		.arg = "raw_tracepoint", .config = "CONFIG_BPF_EVENTS"),
	BY_CALL("bpf.fentry", "bpf", "BPF programs at function entry, nearly free",
		ask_bpf_trampoline, .arg = "fentry", .config = "CONFIG_DEBUG_INFO_BTF",
		.instead_id = "bpf.kprobe", .instead = "kprobes do it, at a higher cost"),
	BY_CALL("bpf.fexit", "bpf", "BPF programs at function exit, nearly free",
		ask_bpf_trampoline, .arg = "fexit", .config = "CONFIG_DEBUG_INFO_BTF",
		.instead_id = "bpf.kprobe", .instead = "kretprobes do it, at a higher cost"),
	BY_CALL("bpf.kprobe-multi", "bpf", "BPF on thousands of functions at once",
		ask_bpf_kprobe_multi, .config = "CONFIG_FPROBE", .instead_id = "bpf.kprobe",
		.instead = "one by one, slow to start"),
	BY_CALL("bpf.uprobe-multi", "bpf", "BPF on many user functions at once",
		ask_bpf_uprobe_multi, .fix = NEWER, .instead_id = "bpf.kprobe",
		.instead = "one by one, slow to start"),
	BY_CALL("bpf.ringbuf", "bpf", "one ordered buffer for BPF output", ask_bpf_ringbuf,
		.fix = NEWER),
	BY_CALL("bpf.btf", "bpf", "the kernel's own type information (BTF)", ask_bpf_btf,
		.arg = "/sys/kernel/btf/vmlinux", .config = "CONFIG_DEBUG_INFO_BTF"),
	BY_CALL("bpf.module-btf", "bpf", "type information of modules", ask_bpf_module_btf,
		.arg = "/sys/kernel/btf", .config = "CONFIG_DEBUG_INFO_BTF_MODULES"),

	BY_CALL("caution.uprobe-nop5", "caution",
		"probes on 5-byte no-ops of programs (USDT) may corrupt the program",
		ask_uprobe_nop5, .arg = "__x64_sys_uprobe"),
	BY_CALL("caution.fprobe-mass", "caution",
		"probing thousands of functions at once slows the machine down", ask_fprobe_mass),
	{ .id = NULL },
};
