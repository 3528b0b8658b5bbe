/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses points in time and durations given by users. */
#ifndef FATHOM_ACTIONS_INPUT_TIME_ARG_H
#define FATHOM_ACTIONS_INPUT_TIME_ARG_H

#include <stdbool.h>
#include <stdint.h>

#include <fathom/err.h>

/*
 * Parses "123.456789" (seconds), "15ms", "20us", "5ns", "2s"; with @ticks, for clocks that do not
 * count nanoseconds, a plain number. A leading '+' sets *@ret_relative: relative to the start of
 * the trace. Returns 0 or -EINVAL with a message.
 */
int time_arg_parse(const char *text, bool ticks, uint64_t *ret_time, bool *ret_relative,
		   struct fathom_err *err);
/* Parses a duration: likewise, without '+'. */
int time_arg_span(const char *text, uint64_t *ret_span, struct fathom_err *err);

#endif
