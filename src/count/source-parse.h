/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parses the sources of a plan: a list of events and functions, or a list of begins and a list of
 * ends.
 */
#ifndef FATHOM_COUNT_SOURCE_PARSE_H
#define FATHOM_COUNT_SOURCE_PARSE_H

#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "count/plan.h"

/*
 * Parses @what into the sources and begins of @plan, which is zero-initialized. Pairing keys and
 * filters of single sources are set. Returns 0, -EINVAL with a message that shows the place in
 * @what, or -ENOMEM.
 */
int count_sources_parse(const char *what, struct arena *arena, struct count_plan *plan,
			struct fathom_err *err);

/* Returns the length of the name of a field at @text, such as "args[2]", or 0. */
size_t count_field_length(const char *text);

#endif
