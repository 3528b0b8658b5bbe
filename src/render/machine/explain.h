/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Information about a name (a kernel function or variable, an event, a system call, a glossary
 * entry), and its rendering as text and JSON. The caller collects it; nothing here queries the
 * kernel or reads a file. Strings belong to the explanation's arena, are static, or outlive it,
 * such as @name.
 */
#ifndef FATHOM_RENDER_MACHINE_EXPLAIN_H
#define FATHOM_RENDER_MACHINE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/calls/call-tree.h"
#include "base/arena.h"
#include "render/kit/out.h"

enum explained_answer {
	EXPLAINED_UNKNOWN,
	EXPLAINED_YES,
	EXPLAINED_NO,
};

/* A symbol of this name, or a compiler-generated variant of it. */
struct explained_symbol {
	const char *name;
	const char *module; /* NULL: the kernel image */
	uint64_t address; /* 0: hidden from this user */
	char type; /* as in /proc/kallsyms */
	enum explained_answer traceable; /* by the function and function_graph tracers */
};

/* A way to trace the name. */
struct explained_way {
	const char *name;
	enum explained_answer answer;
	const char *text; /* for EXPLAINED_YES: the command to use; otherwise: the reason */
};

struct explained_event {
	const char *system, *name;
	const char **fields; /* such as "int pid" */
	size_t n_fields;
};

struct explained_source {
	const char *file; /* NULL: unknown */
	unsigned line; /* 0: unknown */
	const char *text; /* the first lines; NULL: unreadable */
	const char *by; /* the source of this information */
	bool is_readable;
};

#define EXPLAINED_WAYS 6

struct explanation {
	const char *name;
	const char *terms, *meaning; /* the glossary entry; NULL: none */
	bool only_meaning; /* nothing but the glossary entry is known */
	const char *release; /* of the running kernel */
	struct explained_symbol *symbols;
	size_t n_symbols, cap_symbols;
	bool is_function, is_syscall;
	uint64_t text_address; /* of the symbol _text; 0: unknown */
	bool has_hidden; /* addresses are hidden from this user */
	const char *prototypes; /* one per line; NULL: unknown */
	const char *no_prototype; /* the reason; NULL if they are known */
	struct explained_way ways[EXPLAINED_WAYS];
	size_t n_ways;
	struct explained_event *events;
	size_t n_events, cap_events;
	struct explained_source *sources;
	size_t n_sources, cap_sources;
	const char *link; /* URL of the source; NULL: none */
	const char *distrusted; /* note about a file that other users can modify; NULL: none */
	const char *notes; /* one per line: missing information, and why it is missing; may be "" */

	/* From a recording; @trace is NULL if there is none. */
	const char *trace;
	const char *no_calls; /* why the recording has no calls; NULL: it has some */
	struct call_tree callers, below; /* as defined in call-view.h */

	struct arena arena; /* owns the strings */
};

void explanation_done(struct explanation *explanation);

/* Both return 0 or -ENOMEM. Write errors are left to out_finish(). */
int explain_print(const struct explanation *explanation, struct out *out);
int explain_print_json(const struct explanation *explanation, struct out *out);

#endif
