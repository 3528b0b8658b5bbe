/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the viewer, which is in the sandbox, asks of its helper, which is not. */
#ifndef FATHOM_ACTIONS_VIEWER_VIEWER_SERVE_H
#define FATHOM_ACTIONS_VIEWER_VIEWER_SERVE_H

#include "base/strbuf.h"

/* What the user has said; nothing of it comes from the trace. */
struct viewer_server {
	const char *source; /* a directory with the source, or NULL */
	const char *trace; /* the file that is looked at */
};

/*
 * For helper_start() of tui/helper.h, @data is a struct viewer_server:
 *	explain NAME	what this kernel and its source know of a function
 *	edit NAME	opens its source in the editor, and waits
 *	export NAME	writes a part of the trace to a new file in this directory; the lines behind it, 'from TIME',
 *			'to TIME', 'cpu N', 'pid N' and 'filter TEXT', say which part
 *	load		what was kept when this trace was looked at last
 *	save TEXT	keeps it until the next time
 */
int viewer_serve(void *data, const char *request, struct strbuf *answer);

#endif
