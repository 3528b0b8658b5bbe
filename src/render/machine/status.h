/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Renders the state of the kernel's tracing, read by record/session/status.h, as text and as JSON.
 * Neither is owned or modified.
 */
#ifndef FATHOM_RENDER_MACHINE_STATUS_H
#define FATHOM_RENDER_MACHINE_STATUS_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "record/session/status.h"
#include "render/kit/out.h"

struct status_view {
	const bool *shown; /* by index of the buffer */
	bool whole; /* also show settings common to all buffers */
	bool csv; /* write the buffers as CSV instead of JSON */
};

void status_print(const struct status *status, const struct status_view *view, struct out *out);
/* Appends a document, or a table, to @buf, whose error the caller checks. */
void status_json(const struct status *status, const struct status_view *view, struct strbuf *buf);

#endif
