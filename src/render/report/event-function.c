/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events of the function tracer, stack traces, and raw data. A function is indented by its depth,
 * which is guessed from the position at which its caller was last seen among the functions active
 * on the CPU.
 */
#include <string.h>

#include "base/mem.h"
#include "render/report/report-parts.h"

/* Limits guesses. Kernel stacks have less than a hundred functions. */
#define DEPTH_MAX 1000
#define INDENT	  3

enum {
	IP,
	PARENT_IP,
	ARGS,
	COUNT,
	TOP_DELTA,
	BOTTOM_DELTA
};
#define FUNCTION_FIELDS "ip", "parent_ip", "args"

/* Returns a key that is equal for equal names, and differs for most others. */
static uint64_t name_key(const char *name)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t key, zeros;

	if (__BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
		return 0;
	memcpy(&key, name, sizeof(key));
	/* The lowest set bit belongs to the NUL; ignore the bytes after it. */
	zeros = (key - ones) & ~key & (ones << 7);
	return zeros ? key & ((zeros & -zeros) - 1) >> 7 : key;
}

static void set_function(struct report_stack *stack, size_t i, const char *name, uint64_t key)
{
	/* One more, for the end. */
	if (i + 2 > stack->cap) {
		size_t cap = stack->cap;

		if (mem_reserve(&stack->functions, &cap, i + 2, sizeof(stack->functions[0])) < 0)
			return;
		memset(&stack->functions[stack->cap], 0,
		       (cap - stack->cap) * sizeof(stack->functions[0]));
		stack->cap = cap;
	}
	stack->functions[i] = (struct report_function){ name, key };
}

static unsigned guess_depth(struct report_stack *stack, const char *parent, const char *name)
{
	uint64_t key = name_key(parent);

	for (unsigned i = 0; i < DEPTH_MAX && stack->cap && stack->functions[i].name; i++) {
		const struct report_function *function = &stack->functions[i];

		/* The symbol table may contain the same name twice. */
		if (function->key == key &&
		    (function->name == parent || strcmp(function->name, parent) == 0)) {
			if (name)
				set_function(stack, i + 1, name, name_key(name));
			return i;
		}
	}
	set_function(stack, 0, parent, key);
	if (name)
		set_function(stack, 1, name, name_key(name));
	return 0;
}

static void event_function_put(const struct rendering *r, const char *name, uint64_t address,
			       uint64_t start)
{
	if (!name) {
		text_bytes(r->text, "0x", 2);
		text_hex(r->text, address);
		return;
	}
	rendering_put_symbol(r, name);
	if (r->report->options->offset) {
		text_str(r->text, "+0x");
		text_hex(r->text, (uint32_t)(address - start));
		text_char(r->text, ' ');
	}
}

static bool event_function_print(const struct rendering *r)
{
	const struct report_options *options = r->report->options;
	uint64_t ip, parent_ip, start = 0, parent_start = 0;
	const char *name, *parent;
	struct report_cpu *cpu;

	if (!rendering_need(r, IP, &ip) || !rendering_need(r, PARENT_IP, &parent_ip))
		return false;
	name = rendering_symbol(r, ip, &start);
	parent = rendering_symbol(r, parent_ip, &parent_start);
	cpu = parent && !options->no_indent ? report_cpu(r->report, r->event->cpu) : NULL;
	if (cpu)
		text_blanks(r->text, (size_t)guess_depth(&cpu->stack, parent, name) * INDENT);
	event_function_put(r, name, ip, start);
	/* The field exists even if no arguments were recorded. */
	if (r->plan->fields[ARGS] && !options->compat_31 &&
	    r->event->size > r->plan->fields[ARGS]->offset) {
		text_char(r->text, '(');
		rendering_arguments(r, r->plan->fields[ARGS]->offset, name);
		text_char(r->text, ')');
	}
	if (options->parent) {
		text_str(r->text, " <-- ");
		event_function_put(r, parent, parent_ip, parent_start);
	}
	return false;
}

static bool print_repeats(const struct rendering *r)
{
	uint64_t count, top, bottom;

	event_function_print(r);
	if (!rendering_need(r, COUNT, &count) || !rendering_need(r, TOP_DELTA, &top) ||
	    !rendering_need(r, BOTTOM_DELTA, &bottom))
		return false;
	text_str(r->text, " (count: ");
	text_u64(r->text, count);
	text_str(r->text, "  last_ts: ");
	rendering_time(r, r->event->time - (top << 32 | bottom));
	text_char(r->text, ')');
	return false;
}

enum {
	CALLER
};

static bool event_function_print_stack(const struct rendering *r)
{
	const struct event_field *caller = r->plan->fields[CALLER];
	struct event_abi abi = r->plan->entry->format->abi;
	unsigned size = abi.long_size == 4 ? 4 : 8;
	const unsigned char *bytes = r->event->data;

	if (!caller) {
		text_str(r->text, "<CANT FIND FIELD caller>");
		return false;
	}
	text_str(r->text, "<stack trace >\n");
	for (size_t at = caller->offset; at + size <= r->event->size; at += size) {
		uint64_t address = event_read_number(abi, bytes + at, size);
		uint64_t start;
		const char *name;

		/* An address with all bits set (at least 32) ends the stack. */
		if ((uint32_t)address == UINT32_MAX)
			break;
		name = rendering_symbol(r, address, &start);
		text_bytes(r->text, "=> ", 3);
		if (name) {
			event_function_put(r, name, address, start);
			text_bytes(r->text, " (", 2);
			text_hex(r->text, address);
			text_bytes(r->text, ")\n", 2);
		} else {
			text_hex(r->text, address);
			text_char(r->text, '\n');
		}
	}
	return false;
}

enum {
	ID,
	BUF
};

static bool print_raw_data(const struct rendering *r)
{
	const struct event_field *buf = r->plan->fields[BUF];
	const unsigned char *bytes = r->event->data;
	uint64_t id;

	if (!rendering_need(r, ID, &id))
		return false;
	text_bytes(r->text, "# ", 2);
	text_hex(r->text, id);
	if (!buf) {
		text_str(r->text, "<CANT FIND FIELD buf>");
		return false;
	}
	for (size_t at = buf->offset; at < r->event->size; at++) {
		text_char(r->text, ' ');
		text_hex_byte(r->text, bytes[at], false);
	}
	return false;
}

const struct event_renderer event_function_renderers[] = {
	{ "ftrace", "function", { FUNCTION_FIELDS }, event_function_print },
	{ "ftrace",
	  "func_repeats",
	  { FUNCTION_FIELDS, "count", "top_delta_ts", "bottom_delta_ts" },
	  print_repeats },
	{ "ftrace", "kernel_stack", { "caller" }, event_function_print_stack },
	{ "ftrace", "raw_data", { "id", "buf" }, print_raw_data },
	{ 0 },
};
