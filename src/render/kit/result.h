/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What a function has returned, as text. */
#ifndef FATHOM_RENDER_KIT_RESULT_H
#define FATHOM_RENDER_KIT_RESULT_H

#include <stdint.h>

#include "analyze/sums/error-counts.h"
#include "render/kit/json.h"

#define RESULT_SIZE 32

/* "-ENOENT", "42", "0xffff888100000000": an error by its name, what is no small number as a pointer. */
const char *result_text(int64_t result, char buf[RESULT_SIZE]);
/* An object for each error, in the array that is open. */
void json_errors(struct json *json, const struct error_counts *errors);

#endif
