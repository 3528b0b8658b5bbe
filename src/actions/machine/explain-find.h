/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out what this machine knows about a name. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_FIND_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_FIND_H

#include "base/err.h"
#include "render/machine/explain.h"

struct explain_query {
	const char *root; /* "" except in tests */
	const char *name; /* a function, a variable, EVENT, SYSTEM:EVENT, a system call */
	const char *source; /* source directory, or NULL */
	const char *vmlinux; /* kernel image with debug information; NULL: search the usual places */
	const char *release, *version; /* of the kernel, from uname(2) */
	bool plain; /* only definition and location: tracefs, which is slow, is not read */
};

/*
 * Fills @ret_explanation, which the caller zeroes, and releases even on failure. Returns 0, -ENOENT
 * with a message if the name is unknown (*@ret_explanation may still have a link), or another
 * negative errno.
 */
int explain_find(const struct explain_query *query, struct explanation *ret_explanation,
		 struct fathom_err *err);

/* In explain-source.c: adds the locations in the source. Returns 0 or -ENOMEM. */
int explain_find_source(const struct explain_query *query, const char *name,
			struct explanation *explanation);
/* Adds a location, with its lines if they can be read. Returns 0 or -ENOMEM. */
int explain_add_source(struct explanation *explanation, const char *file, unsigned line,
		       const char *by);

/* In explain-lines.c: likewise, from debug information of the kernel. Returns 0 or -ENOMEM. */
int explain_find_lines(const struct explain_query *query, struct explanation *explanation);

#endif
