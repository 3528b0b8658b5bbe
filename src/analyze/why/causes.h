/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What helps when a command has failed, by rules in plain text; see fathom-meanings(5) and data/causes. They are read and
 * matched as those of meanings.h, for places instead of functions.
 */
#ifndef FATHOM_ANALYZE_WHY_CAUSES_H
#define FATHOM_ANALYZE_WHY_CAUSES_H

#include "analyze/why/failures.h"
#include "analyze/why/meanings.h"

/* The rules that come with the program. */
extern const char causes_default[];
extern const size_t causes_default_len;

/* A sentence for the one that asked, or NULL: by the functions that the error came from, or else by the call. */
const char *causes_of_failure(const struct meanings *causes, const struct failures *failures,
			      const struct failure *failure);
/* The same for the signal that ended the process, which may be NULL. */
const char *causes_of_signal(const struct meanings *causes, int32_t number,
			     const struct process *process);

#endif
