/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The work of `fathom list`, apart from finding tracefs: so that tests can run it on a tree. */
#ifndef FATHOM_ACTIONS_MACHINE_LIST_H
#define FATHOM_ACTIONS_MACHINE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "base/pattern/match.h"
#include "base/str.h"
#include "render/machine/list.h"

struct list_args {
	bool json;
	bool verbose;
	bool names;
	bool regex;
	bool icase;
	const char *module;
	const char *usdt; /* the program whose markers are listed */
	const struct list_kind *kind; /* chosen by one of trace-cmd's letters */
};

/* Where to look. */
struct list_source {
	int tracefs;
	const char *where; /* the path of it */
	int btf; /* directory of BTF files, or -1 */
	const char *kallsyms; /* path */
};

/* One run. */
struct list {
	const struct list_args *args;
	const struct list_source *source;
	const struct list_kind *kind;
	struct list_writer writer;
	struct matches patterns;
	char **words; /* the patterns as given */
	char meant[256]; /* the name nearest to the first word without a match; "" for none */
	FILE *notes; /* what is said beside the list */
	struct fathom_err *err;
};

struct list_kind {
	const char *name;
	const char *one; /* of them, in messages */
	/* Writes the list. 0 or a negative errno. */
	int (*run)(struct list *list);
};

/* NULL when there is none of that name; the singular will do. */
const struct list_kind *list_kind_find(const char *word);

/*
 * Runs the command on @source with the operands @argv. Returns the exit code: EXIT_FAILED
 * when something failed or a pattern matches nothing, which is reported on @notes.
 */
int list_run(const struct list_args *args, const struct list_source *source, int argc, char **argv,
	     struct out *out, FILE *notes);

/*
 * The first pattern that has fitted nothing so far, if it is a plain word, so that names
 * can be offered to find what was meant; its @wanted is NULL otherwise.
 */
struct nearest list_nearest(const struct list *list);
/* Keeps the answer. */
void list_keep_nearest(struct list *list, const struct nearest *nearest);

/* In list-markers.c: the markers (USDT) of a program. 0 or a negative errno. */
int list_markers(const struct list_args *args, struct out *out, struct fathom_err *err);

/* In list-functions.c. */
int list_functions(struct list *list);

#endif
