/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the process without rights sends about a probe, and who takes it. */
#ifndef FATHOM_RECORD_PROBES_PROBE_EVENTS_PARTS_H
#define FATHOM_RECORD_PROBES_PROBE_EVENTS_PARTS_H

#include "record/probes/probe-events.h"

/* The first byte of a message. */
enum probe_letter {
	PROBE_IS_TAKEN = 't', /* NAME */
	PROBE_MAKE = 'm', /* NAME, NUL, definition */
	PROBE_EXTEND = 'x', /* NAME, NUL, definition */
	PROBE_NOTES = 'n', /* a line */
	PROBE_ENUMS = 'u', /* a line */
};

struct confined_probe {
	struct probe_request request;
	const struct probe_sink *sink;
	struct strbuf *notes;
	struct strbuf made; /* names of events, a line each */
	size_t n; /* definitions that were taken */
};

/*
 * Takes a message, whose bytes may be anything, for the struct confined_probe @data: the sink gets definitions with the
 * chosen group and file, and no others. What the sink returns, or -EPROTO.
 */
int confined_probe_take(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
