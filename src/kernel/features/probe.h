/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of features.c, and the functions that answer its questions, one file for each family.
 */
#ifndef FATHOM_KERNEL_FEATURES_PROBE_H
#define FATHOM_KERNEL_FEATURES_PROBE_H

#include "kernel/features/asker.h"

/* A kernel function for tests of tracing, which nothing else calls. */
#define QUIET_FUNCTION "bpf_fentry_test1"

/* Ends with a row whose id is NULL. */
extern const struct question questions[];

/* probe-tracefs.c: text files of tracefs. */
ask_fn ask_tracer; /* available_tracers lists @arg */
ask_fn ask_file; /* @arg exists in tracefs */
ask_fn ask_readme; /* README contains @arg */
ask_fn ask_clocks;
ask_fn ask_event_file; /* an event has the file @arg */
ask_fn ask_user_events;

/* probe-instance.c: a private instance. */
ask_fn ask_instances;
ask_fn ask_graph_instance;
ask_fn ask_ring_mmap;
ask_fn ask_ring_persistent;

/* probe-dynevent.c: @arg is a definition, in which GROUP and EXE are replaced. */
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
	look_bpf_multi; /* without attaching: a program loads, and the kernel has @arg */
ask_fn ask_bpf_kprobe_multi, ask_bpf_uprobe_multi, ask_bpf_ringbuf, ask_bpf_btf;
ask_fn ask_bpf_module_btf;

/* probe-names.c: names in the kernel's BTF and symbols. */
ask_fn ask_name; /* the kernel has the function @arg */
ask_fn ask_fprobe_mass;
ask_fn ask_symbol_addrs;
/*
 * Returns 1 if the kernel has a symbol or type @name, 0 if not, or a negative errno if that cannot
 * be determined.
 */
int kernel_names(struct asker *asker, const char *name);
/* The same for BTF only, which is quicker to read than the symbols. */
int kernel_types_name(struct asker *asker, const char *name);
/* Unloads the BTF that these functions use. */
void kernel_names_done(struct asker *asker);
/* Returns the BTF ID of QUIET_FUNCTION, or a negative errno. */
int kernel_quiet_function_id(struct asker *asker);

/* Remove objects that checks of killed processes left behind. */
void remove_dead_events(struct asker *asker);
void remove_dead_instances(struct asker *asker);

#endif
