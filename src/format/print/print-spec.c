/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/print/print-spec.h"

#include <string.h>

static bool read_flag(struct print_spec *spec, char c)
{
	switch (c) {
	case '-':
		spec->left = true;
		return true;
	case '0':
		spec->zero = true;
		return true;
	case '+':
		spec->plus = true;
		return true;
	case ' ':
		spec->space = true;
		return true;
	case '#':
		spec->prefix = true;
		return true;
	default:
		return false;
	}
}

static const char *print_spec_read_count(const char *p, const char *end, unsigned *ret)
{
	unsigned n = 0;

	for (; p < end && *p >= '0' && *p <= '9'; p++) {
		n = n * 10 + (unsigned)(*p - '0');
		if (n > PRINT_WIDTH_MAX)
			n = PRINT_WIDTH_MAX;
	}
	*ret = n;
	return p;
}

static const char *read_width(const char *p, const char *end, struct print_spec *spec)
{
	unsigned n;

	while (p < end && read_flag(spec, *p))
		p++;
	if (p < end && *p == '*') {
		spec->width_arg = true;
		p++;
	} else {
		p = print_spec_read_count(p, end, &n);
		spec->width = (uint16_t)n;
	}
	if (p >= end || *p != '.')
		return p;
	p++;
	if (p < end && *p == '*') {
		spec->precision_arg = true;
		return p + 1;
	}
	p = print_spec_read_count(p, end, &n);
	spec->precision = (int16_t)n;
	return p;
}

static const char *print_spec_read_size(const char *p, const char *end, unsigned long_size,
					struct print_spec *spec)
{
	int longs = 0;

	spec->size = 4;
	for (; p < end; p++) {
		if (*p == 'l')
			longs++;
		else if (*p == 'h')
			longs--;
		else if (*p == 'L' || *p == 'j' || *p == 'q')
			longs = 2;
		else if (*p == 'z' || *p == 'Z' || *p == 't')
			longs = 1;
		else
			break;
	}
	if (longs >= 2)
		spec->size = 8;
	else if (longs == 1)
		spec->size = (uint8_t)long_size;
	else if (longs == -1)
		spec->size = 2;
	else if (longs <= -2)
		spec->size = 1;
	return p;
}

static bool is_alnum(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

const char *print_spec_read(const char *p, const char *end, unsigned long_size,
			    struct print_spec *ret_spec)
{
	struct print_spec *spec = ret_spec;

	*spec = (struct print_spec){ .precision = -1 };
	p = read_width(p, end, spec);
	p = print_spec_read_size(p, end, long_size, spec);
	if (p >= end)
		return p;
	if (strchr("cduxXosp", *p) && *p)
		spec->conv = *p;
	else if (*p == 'i')
		spec->conv = 'd';
	p++;
	/* Like the kernel, take all letters and digits after %p. */
	if (spec->conv == 'p') {
		for (size_t i = 0; p < end && is_alnum(*p); p++)
			if (i + 1 < sizeof(spec->pointer))
				spec->pointer[i++] = *p;
	}
	return p;
}

bool print_spec_is_plain(const struct print_spec *spec)
{
	return !(spec->left || spec->zero || spec->plus || spec->space || spec->prefix ||
		 spec->width_arg || spec->precision_arg || spec->width || spec->precision >= 0);
}
