/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a recording would record, for people; the plan has been through plan_preview(). */
#ifndef FATHOM_RENDER_MACHINE_RECORDING_PREVIEW_H
#define FATHOM_RENDER_MACHINE_RECORDING_PREVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan.h"
#include "render/kit/out.h"

struct recording_preview {
	const struct plan *plan;
	const char *output; /* the file */
	char *const *command; /* its words, up to NULL; NULL: there is none */
	size_t n_pids; /* the first of the plan's, which the user gave */
	bool command_only;
	unsigned long sample_hz; /* 0: no samples */
	uint64_t for_ns, max_bytes; /* 0: no limit */
	double syscall_ns; /* measured */
};

/* 0 or -ENOMEM. */
int recording_preview_print(const struct recording_preview *screen, struct out *out);

#endif
