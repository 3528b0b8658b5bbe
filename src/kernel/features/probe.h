/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Inside of features.c: its table of questions, and the ways to ask them, a file for each family. */
#ifndef FATHOM_KERNEL_FEATURES_PROBE_H
#define FATHOM_KERNEL_FEATURES_PROBE_H

#include "kernel/features/asker.h"

/* Kernels have it for tests of just this kind; nothing else calls it. */
#define QUIET_FUNCTION "bpf_fentry_test1"

/* The table; ends with an id of NULL. */
extern const struct question questions[];

/* probe-tracefs.c: text files. */
ask_fn ask_tracer; /* @arg in available_tracers */
ask_fn ask_file; /* @arg exists in tracefs */
ask_fn ask_readme; /* @arg occurs in README */
ask_fn ask_clocks;
ask_fn ask_event_file; /* an event has the file @arg */
ask_fn ask_user_events;

/* probe-instance.c: a buffer of our own. */
ask_fn ask_instances;
ask_fn ask_graph_instance;
ask_fn ask_ring_mmap;
ask_fn ask_ring_persistent;

/* probe-dynevent.c: @arg is a definition, with GROUP and EXE to be filled in. */
ask_fn ask_dynevent;
ask_fn ask_btf_args;

/* probe-perf.c */
ask_fn ask_perf_software, ask_perf_sampling, ask_perf_stack_copy, ask_perf_hardware,
	ask_perf_breakpoint;
ask_fn ask_uprobe_nop5;

/* probe-bpf.c */
ask_fn ask_bpf_load; /* @arg: kprobe, tracepoint or raw_tracepoint */
ask_fn ask_bpf_trampoline; /* @arg: fentry or fexit */
ask_fn look_bpf_trampoline,
	look_bpf_multi; /* without attaching: a program loads, and there is @arg */
ask_fn ask_bpf_kprobe_multi, ask_bpf_uprobe_multi, ask_bpf_ringbuf, ask_bpf_btf;
ask_fn ask_bpf_module_btf;

/* probe-names.c: what the kernel's own type information names. */
ask_fn ask_name; /* the kernel has the function @arg */
ask_fn ask_fprobe_mass;
ask_fn ask_symbol_addrs;
/* 1: the kernel has something of this name; 0: not; a negative errno: there is no telling. */
int kernel_names(struct asker *asker, const char *name);
/* Releases what these two have read. */
void kernel_names_done(struct asker *asker);
/* The BTF id of QUIET_FUNCTION, or a negative errno. */
int kernel_quiet_function_id(struct asker *asker);

/* Removes what an asker that was killed in the middle has left. */
void remove_dead_events(struct asker *asker);
void remove_dead_instances(struct asker *asker);

#endif
