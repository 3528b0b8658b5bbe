/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/report/graph-event.h"

#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "base/str.h"

/* Returns the start of the next symbol; aliases have the same address. */
static uint64_t graph_event_end_of(const struct kallsyms *kallsyms,
				   const struct kallsyms_symbol *symbol)
{
	const struct kallsyms_symbol *next = symbol, *end = kallsyms->symbols + kallsyms->n;

	while (next < end && next->address == symbol->address)
		next++;
	return next < end ? next->address : symbol->address;
}

/*
 * The kernel lists code generated at run time (trampolines) as "__builtin__ftrace" and the like,
 * but does not find it when it looks up an address.
 */
static const struct kallsyms_symbol *graph_event_find_symbol(struct report *report,
							     uint64_t address)
{
	const struct kallsyms *kallsyms = report->kallsyms;
	const struct kallsyms_symbol *symbol = kallsyms_find(kallsyms, &report->cache, address);
	const char *module = symbol ? kallsyms_module(kallsyms, symbol) : NULL;

	if (!symbol || (module && str_after(module, "__builtin__")))
		return NULL;
	return kallsyms_first_alias(kallsyms, symbol);
}

bool graph_put_symbol(struct report *report, uint64_t address, bool with_offset, struct text *text)
{
	const struct kallsyms *kallsyms = report->kallsyms;
	const struct kallsyms_symbol *symbol = graph_event_find_symbol(report, address);
	const char *module;

	if (!symbol)
		return false;
	quote_text_str(text, kallsyms_name(kallsyms, symbol));
	if (with_offset) {
		text_str(text, "+0x");
		text_hex(text, address - symbol->address);
		text_str(text, "/0x");
		text_hex(text, graph_event_end_of(kallsyms, symbol) - symbol->address);
	}
	module = kallsyms_module(kallsyms, symbol);
	if (module) {
		text_str(text, " [");
		quote_text_str(text, module);
		text_char(text, ']');
	}
	return true;
}

static bool env_put_symbol(const void *data, uint64_t address, bool with_offset, struct text *text)
{
	/* Only the cache is modified. */
	return graph_put_symbol((struct report *)(uintptr_t)data, address, with_offset, text);
}

/* Appends the symbol of an address, or the address in hexadecimal if it is unknown. */
static void graph_event_put_place(struct report *report, uint64_t address, bool with_offset,
				  struct text *text)
{
	if (graph_put_symbol(report, address, with_offset, text))
		return;
	text_str(text, "0x");
	text_hex(text, address);
}

static bool graph_event_field_of(const struct event_plan *plan, const struct fathom_event *event,
				 const char *name, uint64_t *ret)
{
	const struct event_format *format = plan->entry->format;
	const struct event_field *field = event_field_find(format, name);

	return field && event_field_u64(format, field, event->data, event->size, ret);
}

/*
 * Appends "(function+0x0/0x20)" or "(place+0x1/0x20 <- function)". Returns false if this is not a
 * kernel probe.
 */
static bool graph_event_put_probe(struct report *report, const struct event_plan *plan,
				  const struct fathom_event *event, struct text *text)
{
	uint64_t ip, func;

	if (graph_event_field_of(plan, event, "__probe_ip", &ip)) {
		if (!graph_event_find_symbol(report, ip))
			return false;
		text_char(text, '(');
		graph_event_put_place(report, ip, true, text);
	} else if (graph_event_field_of(plan, event, "__probe_ret_ip", &ip) &&
		   graph_event_field_of(plan, event, "__probe_func", &func)) {
		if (!graph_event_find_symbol(report, ip))
			return false;
		text_char(text, '(');
		graph_event_put_place(report, ip, true, text);
		text_str(text, " <- ");
		graph_event_put_place(report, func, false, text);
	} else {
		return false;
	}
	text_char(text, ')');
	return true;
}

/* Removes @n bytes at offset @at, if there are as many. */
static void graph_event_cut(struct text *text, size_t at, size_t n)
{
	size_t len = text_len(text);

	if (at + n > len)
		return;
	memmove(text->s + at, text->s + at + n, len - at - n);
	text->p -= n;
}

/* Returns the number of bytes from @start up to and including @what, or 0 if it is missing. */
static size_t length_to(const struct text *text, size_t start, const char *what)
{
	size_t len = strlen(what);

	for (size_t at = start; at + len <= text_len(text); at++)
		if (memcmp(text->s + at, what, len) == 0)
			return at + len - start;
	return 0;
}

static void graph_event_drop_line_break(struct text *text, size_t start)
{
	if (text_len(text) > start && text->p[-1] == '\n')
		text->p--;
}

/*
 * A string that a probe could not read has no bytes, not even the final NUL. The kernel writes
 * name=(fault) where its print format would yield name="".
 */
static void mark_faults(const struct event_format *format, const struct fathom_event *event,
			size_t start, struct text *text)
{
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct event_field *field = &format->fields[i];
		const unsigned char *bytes;
		char empty[64];
		size_t at, len;
		int n;

		if (field->place != EVENT_PLACE_DATA_LOC ||
		    !event_field_bytes(format, field, event->data, event->size, &bytes, &len) ||
		    len)
			continue;
		n = snprintf(empty, sizeof(empty), " %s=\"\"", field->name);
		if (n < 0 || (size_t)n >= sizeof(empty))
			continue;
		at = length_to(text, start, empty);
		if (at && text_room(text) > 8) {
			size_t behind = text_len(text) - start - at;
			char *p = text->s + start + at;

			memmove(p + 5, p, behind);
			memcpy(p - 2, "(fault)", 7);
			text->p += 5;
		}
	}
}

void graph_put_event(struct report *report, const struct event_plan *plan,
		     struct fathom_event *event, struct text *text)
{
	const struct event_format *format = plan->entry ? plan->entry->format : NULL;
	struct print_env env = report->env;
	size_t start = text_len(text), place;

	if (!format || !plan->program) {
		if (format) {
			quote_text_str(text, format->name);
			text_str(text, ": ");
		}
		report_event_text(report, event, text);
		return;
	}
	env.put_symbol = env_put_symbol;
	/* For messages, the kernel omits the place. */
	if (event_format_is_message(format)) {
		event_print(plan->program, &env, event->data, event->size, text);
		graph_event_cut(text, start, length_to(text, start, ": "));
	} else {
		quote_text_str(text, format->name);
		text_str(text, ": ");
		start = text_len(text);
		if (graph_event_put_probe(report, plan, event, text)) {
			/*
			 * The text of the print format follows, without its leading
			 * "(ffffffff81000000)".
			 */
			place = text_len(text);
			event_print(plan->program, &env, event->data, event->size, text);
			graph_event_cut(text, place, length_to(text, place, ")"));
			mark_faults(format, event, place, text);
		} else {
			event_print(plan->program, &env, event->data, event->size, text);
		}
	}
	graph_event_drop_line_break(text, start);
}

/* Bits of common_flags. */
enum {
	FLAG_IRQS_OFF = 0x01,
	FLAG_LAZY_RESCHED = 0x02,
	FLAG_NEED_RESCHED = 0x04,
	FLAG_HARDIRQ = 0x08,
	FLAG_SOFTIRQ = 0x10,
	FLAG_PREEMPT_RESCHED = 0x20,
	FLAG_NMI = 0x40,
	FLAG_BH_OFF = 0x80,
};

static char graph_event_irqs_letter(unsigned flags)
{
	if (flags & FLAG_IRQS_OFF)
		return flags & FLAG_BH_OFF ? 'D' : 'd';
	return flags & FLAG_BH_OFF ? 'b' : '.';
}

static char graph_event_resched_letter(unsigned flags)
{
	/* Indexed by need_resched, lazy and preempt, a bit each. */
	static const char letters[8] = { '.', 'n', 'l', 'b', 'p', 'N', 'L', 'B' };

	return letters[(flags & FLAG_NEED_RESCHED ? 1 : 0) | (flags & FLAG_LAZY_RESCHED ? 2 : 0) |
		       (flags & FLAG_PREEMPT_RESCHED ? 4 : 0)];
}

static char context_letter(unsigned flags)
{
	if (flags & FLAG_NMI)
		return flags & FLAG_HARDIRQ ? 'Z' : 'z';
	if (flags & FLAG_HARDIRQ)
		return flags & FLAG_SOFTIRQ ? 'H' : 'h';
	return flags & FLAG_SOFTIRQ ? 's' : '.';
}

static void graph_event_put_depth(unsigned depth, struct text *text)
{
	if (depth)
		text_hex(text, depth);
	else
		text_char(text, '.');
}

/*
 * The kernel's own letters, which are more than trace-cmd's. Real-time kernels had separate columns
 * for lazy rescheduling and its nesting before mainline had it.
 */
static void graph_event_put_flags(const struct event_plan *plan, const struct fathom_event *event,
				  struct text *text)
{
	uint64_t flags = 0, preempt = 0, lazy;
	bool has_lazy;

	graph_event_field_of(plan, event, "common_flags", &flags);
	graph_event_field_of(plan, event, "common_preempt_count", &preempt);
	has_lazy = graph_event_field_of(plan, event, "common_preempt_lazy_count", &lazy);
	text_char(text, graph_event_irqs_letter((unsigned)flags));
	if (has_lazy) {
		text_char(text, graph_event_resched_letter((unsigned)flags & ~FLAG_LAZY_RESCHED));
		text_char(text, flags & FLAG_LAZY_RESCHED ? 'L' : '.');
	} else {
		text_char(text, graph_event_resched_letter((unsigned)flags));
	}
	text_char(text, context_letter((unsigned)flags));
	graph_event_put_depth(preempt & 0xf, text);
	if (has_lazy)
		graph_event_put_depth((unsigned)lazy, text);
	graph_event_put_depth((unsigned)preempt >> 4, text);
}

/* Appends "            comm-pid     [cpu] flags time: ", as other tracers do before each event. */
static void put_context(struct report *report, const struct event_plan *plan,
			const struct fathom_event *event, struct text *text)
{
	const struct task *task = tasks_find(&report->tasks, event->pid);
	size_t start = text_len(text);

	quote_text(text, task->comm, task->len);
	text_pad(text, start, 16, false);
	text_char(text, '-');
	start = text_len(text);
	text_s64(text, event->pid);
	text_pad(text, start, 7, true);
	text_str(text, " [");
	text_number(text, &(struct text_number){ .value = event->cpu,
						 .base = 10,
						 .width = 3,
						 .precision = -1,
						 .zero = true });
	text_str(text, "] ");
	graph_event_put_flags(plan, event, text);
	text_char(text, ' ');
	report_time_text(report, event->buffer, event->time, text);
	text_str(text, ": ");
}

/*
 * Where a return probe has replaced the return address, the kernel does not show its own symbol:
 * old kernels recognize it by name, newer ones by the exact address.
 */
static const char *stack_name(const char *name, uint64_t offset)
{
	if (str_eq(name, "kretprobe_trampoline") ||
	    (!offset &&
	     (str_eq(name, "__kretprobe_trampoline") || str_eq(name, "arch_rethook_trampoline"))))
		return "[unknown/kretprobe'd]";
	return name;
}

bool graph_put_stack(struct report *report, const struct event_plan *plan,
		     const struct fathom_event *event, struct text *text)
{
	const struct event_format *format = plan->entry ? plan->entry->format : NULL;
	const unsigned char *bytes = event->data;
	const struct event_field *caller;
	unsigned size;

	if (!format || !str_eq(format->system, "ftrace") || !str_eq(format->name, "kernel_stack"))
		return false;
	caller = event_field_find(format, "caller");
	if (!caller)
		return false;
	size = format->abi.long_size == 4 ? 4 : 8;
	put_context(report, plan, event, text);
	text_str(text, "<stack trace>\n");
	for (size_t at = caller->offset; at + size <= event->size; at += size) {
		uint64_t address = event_read_number(format->abi, bytes + at, size);
		const struct kallsyms_symbol *symbol;

		/* An address with all bits set ends the stack. */
		if ((uint32_t)address == UINT32_MAX)
			break;
		symbol = graph_event_find_symbol(report, address);
		text_str(text, " => ");
		if (symbol) {
			quote_text_str(text, stack_name(kallsyms_name(report->kallsyms, symbol),
							address - symbol->address));
		} else {
			text_str(text, "0x");
			text_hex(text, address);
		}
		text_char(text, '\n');
	}
	return true;
}
