/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is set in the kernel's tracing, as text and as JSON. */
#ifndef FATHOM_RENDER_MACHINE_STATUS_H
#define FATHOM_RENDER_MACHINE_STATUS_H

#include <stdbool.h>

#include "base/strbuf.h"
#include "record/session/status.h"
#include "render/kit/out.h"

struct status_view {
	const bool *shown; /* by buffer */
	bool whole; /* and what is there once for all buffers */
};

void status_print(const struct status *status, const struct status_view *view, struct out *out);
/* Appends to @buf. */
void status_json(const struct status *status, const struct status_view *view, struct strbuf *buf);

#endif
