/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Markers of a program as sent by the confined process. */
#ifndef FATHOM_ACTIONS_MACHINE_LIST_MARKERS_PARTS_H
#define FATHOM_ACTIONS_MACHINE_LIST_MARKERS_PARTS_H

#include <fathom/err.h>

#include "render/kit/table.h"

/* Real programs have a few thousand at most. */
#define MARKERS_MAX 100000

/* The program, and the markers that the confined process found in it. */
struct marker_search {
	const char *path;
	struct table table;
	struct strbuf names; /* one per line */
	size_t n;
};

void marker_search_init(struct marker_search *search);
void marker_search_done(struct marker_search *search);
/*
 * Handles a message, which is untrusted, for the struct marker_search @data: adds a complete row to
 * the table or nothing. Returns 0, -EPROTO, or -E2BIG.
 */
int marker_search_take(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
