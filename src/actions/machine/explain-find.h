/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out what this machine knows about a name. */
#ifndef FATHOM_ACTIONS_MACHINE_EXPLAIN_FIND_H
#define FATHOM_ACTIONS_MACHINE_EXPLAIN_FIND_H

#include "base/err.h"
#include "render/machine/explain.h"

struct explain_query {
	const char *root; /* "" but in tests */
	const char *name; /* a function, a variable, EVENT, SYSTEM:EVENT, a system call */
	const char *source; /* a directory with the source, or NULL */
	const char *
		vmlinux; /* the kernel's file with debug information, or NULL: where such files are */
	const char *release, *version; /* of the kernel, as uname(2) tells them */
	bool plain; /* only what it is and where; nothing of tracefs, which is slow, is read */
};

/*
 * Fills @ret_explanation, which is zeroed and is released by the caller also on failure. 0,
 * -ENOENT with a message when nobody knows the name (and *@ret_explanation may tell all the same
 * where it can be read about), or another negative errno.
 */
int explain_find(const struct explain_query *query, struct explanation *ret_explanation,
		 struct fathom_err *err);

/* explain-source.c: where in the source it is. 0 or -ENOMEM. */
int explain_find_source(const struct explain_query *query, const char *name,
			struct explanation *explanation);
/* Adds a place, with its lines where they can be read. 0 or -ENOMEM. */
int explain_add_source(struct explanation *explanation, const char *file, unsigned line,
		       const char *by);

/* explain-lines.c: the same by debug information of the kernel. 0 or -ENOMEM. */
int explain_find_lines(const struct explain_query *query, struct explanation *explanation);

#endif
