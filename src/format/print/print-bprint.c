/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * bprint events: trace_printk() stores the address of its format and the arguments in binary, in
 * the layout of the kernel's vbin_printf(): numbers aligned to their size, but at most to 4 bytes;
 * strings in place, with their NUL.
 */
#include <string.h>

#include "format/print/print-program.h"

struct arguments {
	const unsigned char *p;
	size_t len;
	size_t at;
};

static bool print_bprint_take_number(struct print_run *run, struct arguments *args, unsigned size,
				     uint64_t *ret_value)
{
	const size_t align = size < 4 ? size : 4;
	size_t at = (args->at + align - 1) / align * align;

	if (at > args->len || size > args->len - at) {
		/* The following arguments cannot be located. */
		args->at = args->len;
		run->unknown = true;
		return false;
	}
	*ret_value = event_read_number(run->program->format->abi, args->p + at, size);
	args->at = at + size;
	return true;
}

static void take_string(struct print_run *run, struct arguments *args)
{
	const char *s = (const char *)args->p + args->at;
	size_t room = args->len - args->at;
	size_t len = strnlen(s, room);

	if (len == room) {
		args->at = args->len;
		run->unknown = true;
		return;
	}
	print_name(run, s, len);
	args->at += len + 1;
}

/* All other kinds of %p were formatted when the event was recorded. */
static bool is_stored_as_address(const struct print_spec *spec)
{
	const char *letters = spec->pointer;

	if ((letters[0] == 'f' || letters[0] == 'F') && letters[1] != 'w')
		return true;
	return letters[0] == '\0' || strchr("SsxKe", letters[0]);
}

static void take_pointer(struct print_run *run, struct arguments *args,
			 const struct print_spec *spec)
{
	uint64_t value;

	if (!is_stored_as_address(spec)) {
		take_string(run, args);
		print_finish(run, NULL);
		return;
	}
	if (!print_bprint_take_number(run, args, run->program->format->abi.long_size, &value)) {
		print_finish(run, NULL);
	} else if (spec->pointer[0] && strchr("SsFf", spec->pointer[0])) {
		print_symbol(run, value, spec->pointer[0] == 'S' || spec->pointer[0] == 'F');
		print_finish(run, spec);
	} else {
		print_pointer(run, spec, value);
	}
}

static void print_bprint_conversion(struct print_run *run, const struct print_spec *spec,
				    struct arguments *args)
{
	uint64_t value = 0;

	run->start = text_len(run->text);
	run->unknown = false;
	run->width = run->precision = -1;
	if (spec->width_arg && print_bprint_take_number(run, args, 4, &value))
		run->width = (int)(int16_t)value;
	if (spec->precision_arg && print_bprint_take_number(run, args, 4, &value))
		run->precision = (int)(int16_t)value;
	run->limit = spec->precision_arg ? run->precision : spec->precision;
	run->escaped = 0;
	switch (spec->conv) {
	case 's':
		take_string(run, args);
		print_finish(run, spec);
		break;
	case 'p':
		take_pointer(run, args, spec);
		break;
	case '\0':
		run->unknown = true;
		print_finish(run, spec);
		break;
	default:
		print_bprint_take_number(run, args, spec->conv == 'c' ? 1 : spec->size, &value);
		print_number(run, spec, value);
	}
}

static void format_arguments(struct print_run *run, const char *fmt, struct arguments *args)
{
	const char *end = fmt + strlen(fmt);
	const char *p = fmt;

	while (p < end && text_room(run->text)) {
		const char *text = p;
		struct print_spec spec;

		while (p < end && *p != '%')
			p += *p == '\\' && p + 1 < end ? 2 : 1;
		run->last = p >= end;
		print_escaped(run, text, (size_t)(p - text));
		if (p >= end)
			break;
		p++;
		if (p < end && *p == '%') {
			text_char(run->text, *p++);
			continue;
		}
		run->last = false;
		p = print_spec_read(p, end, run->program->format->abi.long_size, &spec);
		print_bprint_conversion(run, &spec, args);
	}
}

void print_bprint(struct print_run *run)
{
	const struct print_program *program = run->program;
	const struct event_format *format = program->format;
	struct arguments args = { 0 };
	const char *fmt = NULL;
	uint64_t ip, addr;

	if (!event_field_u64(format, program->ip, run->record, run->len, &ip) ||
	    !event_field_u64(format, program->fmt, run->record, run->len, &addr) ||
	    !event_field_bytes(format, program->buf, run->record, run->len, &args.p, &args.len)) {
		text_str(run->text, PRINT_UNKNOWN);
		return;
	}
	print_symbol(run, ip, false);
	text_str(run->text, ": ");
	if (run->env->printk)
		fmt = run->env->printk(run->env->data, addr);
	if (fmt) {
		format_arguments(run, fmt, &args);
		return;
	}
	text_str(run->text, "(NO FORMAT FOUND at ");
	text_hex(run->text, addr);
	text_str(run->text, ")\n");
}
