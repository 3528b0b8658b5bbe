/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared by all conversions: numbers, strings, symbols, and the end of a conversion, which
 * truncates and pads its output.
 */
#include "base/quote.h"
#include "format/event/c-type.h"
#include "format/print/print-program.h"

void print_finish(struct print_run *run, const struct print_spec *spec)
{
	struct text *text = run->text;
	int width, precision;
	bool left;

	size_t escaped = run->escaped;

	run->limit = -1;
	run->escaped = 0;
	if (run->unknown) {
		text_truncate(text, run->start);
		text_str(text, PRINT_UNKNOWN);
		run->unknown = false;
		return;
	}
	if (!spec)
		return;
	width = spec->width_arg ? run->width : spec->width;
	precision = spec->precision_arg ? run->precision : spec->precision;
	left = spec->left || width < 0;
	if (precision >= 0 && text_len(text) - run->start - escaped > (size_t)precision)
		text_truncate(text, run->start + (size_t)precision + escaped);
	if (width)
		text_pad(text, run->start, (size_t)(width < 0 ? -width : width) + escaped, left);
}

/* The most common conversion with a width: %08x. */
static bool is_padded_hex(const struct print_spec *spec)
{
	return spec->conv == 'x' && spec->zero && !spec->left && !spec->prefix &&
	       !spec->width_arg && !spec->precision_arg && spec->precision < 0;
}

static void padded_hex(struct text *text, uint64_t value, unsigned width)
{
	const unsigned digits = (unsigned)(67 - __builtin_clzll(value | 1)) / 4;

	if (width > digits)
		text_fill(text, '0', width - digits);
	text_hex(text, value);
}

void print_number(struct print_run *run, const struct print_spec *spec, uint64_t value)
{
	struct text_number number = {
		.precision = spec->precision_arg && run->precision >= 0 ? (int16_t)run->precision :
			     spec->precision_arg			? -1 :
									  spec->precision,
		.base = spec->conv == 'x' || spec->conv == 'X' ? 16 :
			spec->conv == 'o'		       ? 8 :
								 10,
		.left = spec->left || (spec->width_arg && run->width < 0),
		.zero = spec->zero,
		.prefix = spec->prefix,
		.upper = spec->conv == 'X',
		.width = spec->width,
	};

	if (!run->unknown && is_padded_hex(spec)) {
		padded_hex(run->text, c_type_narrow(value, spec->size, false), spec->width);
		return;
	}
	if (run->unknown || spec->conv == 'c') {
		/* Most readers would take a NUL for the end of the text. */
		if (!run->unknown && (char)value)
			text_char(run->text, (char)value);
		print_finish(run, spec);
		return;
	}
	if (spec->width_arg)
		number.width = (uint16_t)(run->width < 0 ? -run->width : run->width);
	number.value = c_type_narrow(value, spec->size, spec->conv == 'd');
	if (spec->conv == 'd') {
		number.negative = (int64_t)number.value < 0;
		number.value = number.negative ? 0 - number.value : number.value;
		number.plus = spec->plus;
		number.space = spec->space;
	}
	text_number(run->text, &number);
}

void print_name(struct print_run *run, const char *s, size_t len)
{
	size_t before = text_len(run->text), used = before - run->start - run->escaped;
	bool ends_line;

	/* The precision limits the bytes of the string, without its escapes. */
	if (run->limit >= 0 && used + len > (size_t)run->limit)
		len = (size_t)run->limit > used ? (size_t)run->limit - used : 0;
	ends_line = run->last && len && s[len - 1] == '\n';
	quote_text(run->text, s, len - ends_line);
	run->escaped += text_len(run->text) - before - (len - ends_line);
	if (ends_line)
		text_char(run->text, '\n');
}

void print_escaped(struct print_run *run, const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = s[i];

		if (c == '\\' && i + 1 < len) {
			c = s[++i];
			c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
		}
		if (c == '\n' && !(run->last && i + 1 == len))
			quote_text(run->text, &c, 1);
		else
			text_char(run->text, c);
	}
}

/* Returns false if there is no symbol. */
static bool print_conversion_put_symbol(struct print_run *run, uint64_t addr, bool with_offset)
{
	uint64_t start = addr;
	const char *name = NULL;

	if (run->env->put_symbol &&
	    run->env->put_symbol(run->env->data, addr, with_offset, run->text))
		return true;
	if (run->env->symbol)
		name = run->env->symbol(run->env->data, addr, &start);
	if (!name)
		return false;
	quote_text_str(run->text, name);
	if (with_offset) {
		text_str(run->text, "+0x");
		text_hex(run->text, addr - start);
	}
	return true;
}

void print_symbol(struct print_run *run, uint64_t addr, bool with_offset)
{
	if (print_conversion_put_symbol(run, addr, with_offset))
		return;
	text_str(run->text, "0x");
	text_hex(run->text, addr);
}

void print_symbol_and_address(struct print_run *run, uint64_t addr, bool with_offset)
{
	print_conversion_put_symbol(run, addr, with_offset);
	text_str(run->text, " (0x");
	text_hex(run->text, addr);
	text_char(run->text, ')');
}
