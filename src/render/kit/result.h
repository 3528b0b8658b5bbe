/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats return values of functions, and counts of the errors among them. */
#ifndef FATHOM_RENDER_KIT_RESULT_H
#define FATHOM_RENDER_KIT_RESULT_H

#include <stdint.h>

#include "analyze/sums/error-counts.h"
#include "render/kit/json.h"

#define RESULT_SIZE 32

/*
 * Formats a return value: errors as "-ENOENT", small numbers as "42", everything else as an
 * address, "0xffff888100000000". Returns @buf.
 */
const char *result_text(int64_t result, char buf[RESULT_SIZE]);
/* Appends an object per error to the open array. */
void json_errors(struct json *json, const struct error_counts *errors);

#endif
