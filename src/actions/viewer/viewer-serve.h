/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Serves requests of the viewer, which is sandboxed, in its helper, which is not. */
#ifndef FATHOM_ACTIONS_VIEWER_VIEWER_SERVE_H
#define FATHOM_ACTIONS_VIEWER_VIEWER_SERVE_H

#include "base/strbuf.h"

/* From the command line; nothing of it comes from the trace. */
struct viewer_server {
	const char *source; /* source directory, or NULL */
	const char *trace; /* the trace file */
};

/*
 * For helper_start() of tui/helper.h, @data is a struct viewer_server:
 *	explain NAME	describes a function, from this kernel and its source
 *	edit NAME	opens its source in the editor, and waits
 *	export NAME	writes a part of the trace to a new file in the current directory; the lines that follow,
 *			'from TIME', 'to TIME', 'cpu N', 'pid N' and 'filter TEXT', select the part
 *	load		returns the state saved for this trace
 *	save TEXT	saves the state
 */
int viewer_serve(void *data, const char *request, struct strbuf *answer);

#endif
