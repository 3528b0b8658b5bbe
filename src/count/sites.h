/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sites of a plan on the running kernel: its tracepoints and functions by name, with their
 * fields. Functions have formats whose fields are their parameters, or "ret", at their places in
 * struct pt_regs, so that programs read fields of events and functions in the same way.
 */
#ifndef FATHOM_COUNT_SITES_H
#define FATHOM_COUNT_SITES_H

#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "count/columns.h"
#include "count/plan.h"

/* Functions that one plan can have; each is a probe, which takes the kernel milliseconds to set. */
#define COUNT_FUNCTIONS_MAX 2000

/* What to attach to for one site. */
struct count_target {
	const char *function; /* NULL: an event or a timer */
	bool is_return;
	uint64_t pair; /* equal for the entry and the return of a function */
	uint32_t traced; /* ID of the function in BTF, if it is traced instead of probed; or 0 */
	uint64_t address; /* of the function, after count_sites_locate(); 0: unknown */
	/* All functions that match a pattern, if they share one program; otherwise NULL. */
	const char **functions;
	size_t n_functions;
};

/* Released by count_sites_done(). */
struct count_sites {
	struct count_site *list;
	struct count_target *targets; /* of each site */
	size_t n, cap, cap_targets;
	struct arena arena;
};

/* How functions are observed. */
enum count_functions {
	COUNT_PROBED, /* each by a kprobe or kretprobe of its own */
	COUNT_SHARED, /* all that match a pattern by one site without fields */
	/*
	 * Each by BPF programs at its entry and its exit. Unlike kretprobes, these have no limit on
	 * the number of calls in progress.
	 */
	COUNT_TRACED,
};

/*
 * Finds the sites of @plan, and binds its filters to them, which changes the filters. @tracefs is a
 * descriptor of the tracefs directory, @btf one of the directory with BTF, or -1. Returns 0, or a
 * negative errno with a message.
 */
int count_sites_find(struct count_sites *sites, const struct count_plan *plan,
		     enum count_functions how, int tracefs, int btf, struct fathom_err *err);
/* Finds the addresses of functions in the text of /proc/kallsyms, which is modified. */
int count_sites_locate(struct count_sites *sites, char *kallsyms);
void count_sites_done(struct count_sites *sites);

#endif
