/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Prints, as text, what a recording would contain and its estimated cost. The plan must have passed
 * plan_preview(). Nothing is owned.
 */
#ifndef FATHOM_RENDER_MACHINE_RECORDING_PREVIEW_H
#define FATHOM_RENDER_MACHINE_RECORDING_PREVIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "record/plan.h"
#include "render/kit/out.h"

struct recording_preview {
	const struct plan *plan;
	const char *output; /* the file */
	char *const *command; /* its arguments, NULL-terminated; NULL: no command */
	size_t n_pids; /* the number of plan->pids given by the user, which come first */
	bool command_only;
	unsigned long sample_hz; /* per second and CPU; 0: no samples */
	uint64_t for_ns, max_bytes; /* 0: no limit */
	double syscall_ns; /* measured duration of an untraced system call */
};

/* Returns 0, or -ENOMEM if the estimate is missing. Lack of memory may also shorten other lines. */
int recording_preview_print(const struct recording_preview *screen, struct out *out);

#endif
