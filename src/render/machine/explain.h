/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is known about a name: a kernel function or variable, an event, a system call, a term of the glossary. */
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

/* A symbol of that name, or what the compiler has made of it. */
struct explained_symbol {
	const char *name;
	const char *module; /* NULL: the kernel itself */
	uint64_t address; /* 0: not shown to us */
	char type; /* as in kallsyms */
	enum explained_answer traceable; /* by function and function_graph */
};

/* A way to trace it. */
struct explained_way {
	const char *name;
	enum explained_answer answer;
	const char *text; /* YES: what to type; else why not */
};

struct explained_event {
	const char *system, *name;
	const char **fields; /* "int pid" */
	size_t n_fields;
};

struct explained_source {
	const char *file; /* NULL: not known */
	unsigned line; /* 0: not known */
	const char *text; /* the first lines; NULL */
	const char *by; /* what told it */
	bool is_readable;
};

#define EXPLAINED_WAYS 6

struct explanation {
	const char *name;
	const char *terms, *meaning; /* the entry of the glossary; NULL: none has the name */
	bool only_meaning; /* nothing else is known */
	const char *release; /* of the kernel that is asked */
	struct explained_symbol *symbols;
	size_t n_symbols, cap_symbols;
	bool is_function, is_syscall;
	uint64_t text_address; /* of the symbol _text; 0: not known */
	bool has_hidden; /* addresses are not shown to us */
	const char *prototypes; /* a line each; NULL: not known */
	const char *no_prototype; /* why; NULL */
	struct explained_way ways[EXPLAINED_WAYS];
	size_t n_ways;
	struct explained_event *events;
	size_t n_events, cap_events;
	struct explained_source *sources;
	size_t n_sources, cap_sources;
	const char *link; /* to read its source at; NULL */
	const char *distrusted; /* the note about a file that others can change; NULL */
	const char *notes; /* a line each, of what was not found out and why; "" for none */

	/* In a recording; @trace is NULL without one. */
	const char *trace;
	const char *no_calls; /* why there are none; NULL: there are */
	struct call_tree callers, below; /* of call-view.h */

	struct arena arena; /* owns the strings */
};

void explanation_done(struct explanation *explanation);

/* Each returns 0 or -ENOMEM. */
int explain_print(const struct explanation *explanation, struct out *out);
int explain_print_json(const struct explanation *explanation, struct out *out);

#endif
