/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Messages from the confined process that parses programs, and the function that receives them. */
#ifndef FATHOM_RECORD_PROBES_PROBE_EVENTS_PARTS_H
#define FATHOM_RECORD_PROBES_PROBE_EVENTS_PARTS_H

#include "record/probes/probe-events.h"

/* The first byte of a message, and its contents. */
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
	struct strbuf made; /* names of created events, a line each */
	size_t n; /* number of definitions accepted */
};

/*
 * Receives a message, which is untrusted, for the struct confined_probe @data. The sink only gets
 * definitions with the group and the file that the caller chose. Returns the result of the sink, or
 * -EPROTO for an invalid message.
 */
int confined_probe_take(void *data, const char *bytes, size_t len, struct fathom_err *err);

#endif
