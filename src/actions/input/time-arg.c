/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/input/time-arg.h"

#include <errno.h>
#include <stddef.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"

static const struct {
	const char *name;
	uint64_t ns;
} units[] = {
	{ "", 1000000000 }, { "s", 1000000000 }, { "ms", 1000000 }, { "us", 1000 }, { "ns", 1 },
};

static bool time_arg_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static int bad_time(const char *text, struct fathom_err *err)
{
	return err_set(err, -EINVAL,
		       "invalid time '%s': expected seconds such as 123.456789, or 15ms, 20us or "
		       "5ns, with a leading '+' relative to the start of the trace",
		       text);
}

int time_arg_parse(const char *text, bool ticks, uint64_t *ret_time, bool *ret_relative,
		   struct fathom_err *err)
{
	const char *p = text + (*text == '+');
	uint64_t whole = 0, part = 0, scale = 1, unit = 0;

	if (!time_arg_is_digit(*p) && *p != '.')
		return bad_time(text, err);
	for (; time_arg_is_digit(*p); p++)
		if (__builtin_mul_overflow(whole, 10, &whole) ||
		    __builtin_add_overflow(whole, (uint64_t)(*p - '0'), &whole))
			return bad_time(text, err);
	if (*p == '.')
		for (p++; time_arg_is_digit(*p); p++)
			if (scale < 1000000000) {
				part = part * 10 + (uint64_t)(*p - '0');
				scale *= 10;
			}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (str_eq(p, units[i].name))
			unit = units[i].ns;
	if (ticks && !*p)
		unit = 1;
	if (!unit || __builtin_mul_overflow(whole, unit, &whole) ||
	    __builtin_add_overflow(whole, part * unit / scale, &whole))
		return bad_time(text, err);
	*ret_time = whole;
	*ret_relative = *text == '+';
	return 0;
}

int time_arg_span(const char *text, uint64_t *ret_span, struct fathom_err *err)
{
	bool relative;
	int r = time_arg_parse(text, false, ret_span, &relative, err);

	return r == 0 && relative ?
		       err_set(err, -EINVAL, "invalid duration '%s': expected a value such as 10us",
			       text) :
		       r;
}
