/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements 'fathom list', except finding tracefs, so that tests can run it on a directory tree.
 */
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
	bool json, csv;
	bool verbose;
	bool names;
	bool regex;
	bool icase;
	const char *module;
	const char *usdt; /* program whose markers are listed */
	const struct list_kind *kind; /* selected by one of trace-cmd's option letters */
};

/* Where to read. */
struct list_source {
	int tracefs;
	const char *where; /* its path */
	int btf; /* directory of BTF files, or -1 */
	const char *kallsyms; /* its path */
};

/* One run. */
struct list {
	const struct list_args *args;
	const struct list_source *source;
	const struct list_kind *kind;
	struct list_writer writer;
	struct matches patterns;
	char **words; /* patterns as given */
	char meant[256]; /* the name most similar to the first pattern without a match, or "" */
	FILE *notes; /* notes and warnings */
	struct fathom_err *err;
};

struct list_kind {
	const char *name;
	const char *one; /* name of the items in messages */
	/* Prints the list. Returns 0 or a negative errno. */
	int (*run)(struct list *list);
};

/* Returns NULL if there is no list of that name. Also accepts the singular. */
const struct list_kind *list_kind_find(const char *word);

/*
 * Runs the command on @source with the operands @argv. Returns the exit status: EXIT_FAILED if
 * something failed or a pattern matched nothing, which is reported on @notes.
 */
int list_run(const struct list_args *args, const struct list_source *source, int argc, char **argv,
	     struct out *out, FILE *notes);

/*
 * Returns the first pattern without a match so far, if it is a plain word, so that similar names
 * can be collected; otherwise its @wanted is NULL.
 */
struct nearest list_nearest(const struct list *list);
/* Stores the suggestion. */
void list_keep_nearest(struct list *list, const struct nearest *nearest);

/* In list-markers.c: lists the markers (USDT) of a program. Returns 0 or a negative errno. */
int list_markers(const struct list_args *args, struct out *out, struct fathom_err *err);

/* In list-functions.c. */
int list_functions(struct list *list);

#endif
