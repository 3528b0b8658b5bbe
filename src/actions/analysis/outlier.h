/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slowest call of a function and a typical one, each as a tree of its callees. */
#ifndef FATHOM_ACTIONS_ANALYSIS_OUTLIER_H
#define FATHOM_ACTIONS_ANALYSIS_OUTLIER_H

#include "actions/analysis/analysis-input.h"
#include "analyze/sums/slowest.h"
#include "render/kit/out.h"

/* Empty when zero-initialized. */
struct outlier {
	struct analysis_input input;
	const char *function;
	struct instance instances[2]; /* the typical one, the slowest */
	uint64_t count; /* number of calls */
	struct calls *calls[2];
	const struct call_tree *usual, *slowest; /* of the calls */
};

/* Reads the file @fd, inside the sandbox. Takes ownership of @fd. Returns 0 or a negative errno. */
int outlier_read(struct outlier *outlier, struct report_args *args, int fd, const char *path,
		 const char *function, struct fathom_err *err);
/* Prints which calls are compared. */
void outlier_print_head(const struct outlier *outlier, struct out *out);
void outlier_done(struct outlier *outlier);

#endif
