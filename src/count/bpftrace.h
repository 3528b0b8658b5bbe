/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translates the aggregations of bpftrace's language to the words of a counting plan. */
#ifndef FATHOM_COUNT_BPFTRACE_H
#define FATHOM_COUNT_BPFTRACE_H

#include <fathom/err.h>

#include "base/arena.h"
#include "count/plan.h"

/*
 * Translates "PROBES /FILTER/ { @NAME[KEYS] = AGGREGATOR; }". Overwrites the members of @words that
 * the script determines; they live in @arena. Returns 0, -EINVAL with the place in @script, or
 * -ENOMEM.
 */
int bpftrace_words(const char *script, struct arena *arena, struct count_words *words,
		   struct fathom_err *err);

#endif
