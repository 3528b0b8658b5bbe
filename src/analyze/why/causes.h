/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Advice for failed commands, from rules in plain text; see fathom-meanings(5) and data/causes.
 * Parsed and matched like the rules of meanings.h, by place instead of by function. The sentences
 * belong to @causes.
 */
#ifndef FATHOM_ANALYZE_WHY_CAUSES_H
#define FATHOM_ANALYZE_WHY_CAUSES_H

#include <stddef.h>
#include <stdint.h>

struct failure;
struct failures;
struct meanings;
struct process;

/* The built-in rules. */
extern const char causes_default[];
extern const size_t causes_default_len;

/*
 * Returns a sentence for the user, or NULL: by the functions that returned the error, or else by
 * the call.
 */
const char *causes_of_failure(const struct meanings *causes, const struct failures *failures,
			      const struct failure *failure);
/* The same for the signal that terminated the process, which may be NULL. */
const char *causes_of_signal(const struct meanings *causes, int32_t number,
			     const struct process *process);

#endif
