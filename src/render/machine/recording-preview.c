/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/machine/recording-preview.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "base/strbuf.h"
#include "record/plan.h"
#include "render/kit/amount.h"
#include "render/kit/duration.h"
#include "render/machine/price-table.h"
#include "symbols/probe/probe.h"

#define INDENT 2
#define LABEL  12

static void recording_preview_print_heading(struct out *out, const char *title)
{
	out_printf(out, OUT_TITLE, "\n%s\n", title);
}

/* Prints a line with its label; @text is already quoted. */
static void recording_preview_print_text(struct out *out, const char *label, const char *text)
{
	out_printf(out, OUT_NAME, "%*s%-*s", INDENT, "", LABEL, label);
	out_wrap(out, INDENT + LABEL, INDENT + LABEL, text);
}

static void __attribute__((format(printf, 3, 4)))
recording_preview_print_line(struct out *out, const char *label, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	quote_vformat(text, sizeof(text), fmt, ap);
	va_end(ap);
	recording_preview_print_text(out, label, text);
}

/* The same for collected text. Returns 0 or -ENOMEM, as the functions below. */
static int recording_preview_print_all(struct out *out, const char *label,
				       const struct strbuf *text)
{
	if (text->err)
		return -ENOMEM;
	recording_preview_print_text(out, label, strbuf_str(text));
	return 0;
}

static int print_words(struct out *out, const char *label, const struct plan_words *words)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	for (size_t i = 0; i < words->n; i++)
		quote_addf(&text, "%s%s", i ? ", " : "", words->list[i]);
	return words->n ? recording_preview_print_all(out, label, &text) : 0;
}

static int recording_preview_print_processes(const struct recording_preview *screen,
					     struct out *out)
{
	const struct plan *plan = screen->plan;
	_cleanup_strbuf_ struct strbuf text = { 0 };

	for (size_t i = 0; i < screen->n_pids; i++)
		quote_addf(&text, "%s%d", i ? ", " : "", (int)plan->pids[i]);
	if (screen->command_only)
		quote_addf(&text, "%sthe command", text.len ? ", " : "");
	if (text.len && plan->children)
		quote_adds(&text, ", with child processes");
	if (!text.len)
		strbuf_adds(&text, "all");
	return recording_preview_print_all(out, "processes", &text);
}

static int print_ends(const struct recording_preview *screen, struct out *out)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char number[AMOUNT_SIZE > DURATION_SIZE ? AMOUNT_SIZE : DURATION_SIZE];

	quote_adds(&text, screen->command ? "when the command exits" : "on Ctrl-C");
	if (screen->for_ns)
		quote_addf(&text, ", or after %s", duration_text(screen->for_ns, number));
	if (screen->max_bytes)
		quote_addf(&text, ", or when the file reaches %s",
			   amount_text(screen->max_bytes, number));
	return recording_preview_print_all(out, "ends", &text);
}

static int print_recording(const struct recording_preview *screen, struct out *out)
{
	const struct plan *plan = screen->plan;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = 0;

	recording_preview_print_heading(out, "Recording");
	recording_preview_print_line(out, "file", "%s", screen->output);
	for (size_t i = 0; screen->command && screen->command[i]; i++)
		quote_addf(&text, "%s%s", i ? " " : "", screen->command[i]);
	if (screen->command && screen->command[0])
		r = recording_preview_print_all(out, "command", &text);
	r = r ?: recording_preview_print_processes(screen, out);
	r = r ?: print_ends(screen, out);
	r = r ?: print_words(out, "memory", &plan->watches);
	if (plan->preview.user_entries)
		recording_preview_print_line(out, "program",
					     "%zu functions: probes on %zu entries and %zu returns",
					     plan->preview.user_entries, plan->preview.user_entries,
					     plan->preview.user_returns);
	for (const struct plan_set *set = plan->sets; set; set = set->next)
		recording_preview_print_line(out, "probes", "%s: on %zu of %zu functions",
					     set->text, set->made, set->fit);
	if (screen->sample_hz)
		recording_preview_print_line(out, "samples", "%lu per second and CPU",
					     screen->sample_hz);
	return r;
}

static void print_place(const struct plan_buffer *buffer, struct out *out)
{
	static const char *const places[] = {
		[PLAN_PLACE_PRIVATE] = "a separate instance",
		[PLAN_PLACE_INSTANCE] = "a new instance of this name",
		[PLAN_PLACE_EXISTING] = "the existing instance of this name",
		[PLAN_PLACE_TOP] = "the top-level buffer, one user at a time: this kernel has "
				   "no such tracer in instances",
		[PLAN_PLACE_UNKNOWN] = "a separate instance, or the top-level buffer if this "
				       "kernel has no such tracer in instances",
	};

	recording_preview_print_text(out, "where", places[buffer->preview.place]);
	recording_preview_print_line(out, "size", "%lu KB per CPU, %zu CPU%s", buffer->size_kb,
				     buffer->preview.cpus, buffer->preview.cpus == 1 ? "" : "s");
}

static int recording_preview_print_functions(const struct plan *plan,
					     const struct plan_buffer *buffer, struct out *out)
{
	int r;

	if (!buffer->tracer)
		return 0;
	recording_preview_print_line(out, "tracer", "%s", buffer->tracer);
	if (plan_traces_functions(buffer))
		recording_preview_print_line(out, "functions", "%zu%s", buffer->preview.functions,
					     buffer->graph_functions.n		   ? " at most" :
					     buffer->functions.n || buffer->module ? "" :
										     " (all)");
	r = print_words(out, "  only", &buffer->functions);
	if (buffer->module)
		recording_preview_print_line(out, "  of module", "%s", buffer->module);
	r = r ?: print_words(out, "  except", &buffer->not_functions);
	r = r ?: print_words(out, "  within", &buffer->graph_functions);
	if (plan->has_depth)
		recording_preview_print_line(out, "  depth", "%lu", plan->depth);
	return r;
}

static void print_event(const struct plan_event *event, struct out *out)
{
	if (event->expression)
		recording_preview_print_line(out, "", "%s", probe_text(event->expression));
	else if (event->found == 1)
		recording_preview_print_line(out, "", "%s%s", event->name,
					     event->off ? " (excluded)" : "");
	else
		recording_preview_print_line(out, "", "%s: %zu%s", event->name, event->found,
					     event->off ? " (excluded)" : "");
	if (event->filter)
		recording_preview_print_line(out, "  filter", "%s", event->filter);
	for (size_t i = 0; i < event->triggers.n; i++)
		recording_preview_print_line(out, "  trigger", "%s", event->triggers.list[i]);
}

/*
 * Omits probes of sets, which are included in the counts, and all but the first event of a probe.
 */
static bool recording_preview_is_shown(const struct plan_buffer *buffer, size_t i)
{
	const struct plan_event *event = &buffer->events[i];

	if (event->set || (event->expression && probe_is_glob(event->expression)))
		return false;
	for (size_t k = 0; k < i && event->expression; k++)
		if (buffer->events[k].expression == event->expression)
			return false;
	return true;
}

static void recording_preview_print_events(const struct plan_buffer *buffer, bool probes,
					   struct out *out)
{
	size_t n = 0;

	for (size_t i = 0; i < buffer->n_events; i++)
		n += buffer->events[i].probe && !buffer->events[i].off;
	if (!probes)
		n = buffer->preview.events;
	if (n)
		recording_preview_print_line(out, probes ? "probes" : "events", "%zu", n);
	for (size_t i = 0; i < buffer->n_events; i++)
		if (!buffer->events[i].probe == !probes && recording_preview_is_shown(buffer, i))
			print_event(&buffer->events[i], out);
}

static int recording_preview_print_buffer(const struct plan *plan, const struct plan_buffer *buffer,
					  struct out *out)
{
	int r;

	if (*buffer->name)
		out_printf(out, OUT_TITLE, "\nBuffer '%s'\n", buffer->name);
	else
		recording_preview_print_heading(out, "Main buffer");
	print_place(buffer, out);
	r = recording_preview_print_functions(plan, buffer, out);
	recording_preview_print_events(buffer, false, out);
	recording_preview_print_events(buffer, true, out);
	r = r ?: print_words(out, "options", &buffer->options);
	if (buffer->stack || buffer->func_stack)
		recording_preview_print_line(out, "stacks", "kernel stack trace with each %s",
					     buffer->stack ? "event" : "function");
	if (buffer->user_stack || buffer->unwound)
		recording_preview_print_text(out, "stacks", "user stack trace with each event");
	if (buffer->clock)
		recording_preview_print_line(out, "clock", "%s", buffer->clock);
	if (buffer->cpumask)
		recording_preview_print_line(out, "CPUs", "%s", buffer->cpumask);
	return r;
}

/* Prints what the estimate does not include. */
static void recording_preview_print_unknown(const struct recording_preview *screen, struct out *out)
{
	const struct plan *plan = screen->plan;
	bool stacks = false, tracer = false;

	for (size_t i = 0; i < plan->n; i++) {
		const struct plan_buffer *buffer = &plan->buffers[i];

		stacks |= buffer->stack || buffer->func_stack || buffer->user_stack ||
			  buffer->unwound;
		tracer |= buffer->tracer && !str_eq(buffer->tracer, "nop") &&
			  !plan_traces_functions(buffer);
	}
	if (stacks)
		out_wrap(out, 0, 0,
			 "Not included: stack traces, which add to the cost of each "
			 "event.");
	if (tracer)
		out_wrap(out, 0, 0, "Not included: the tracer, whose cost is unknown.");
	if (screen->sample_hz)
		out_wrap(out, 0, 0, "Not included: samples, whose cost is unknown.");
}

int recording_preview_print(const struct recording_preview *screen, struct out *out)
{
	struct price_table prices = { .syscall_ns = screen->syscall_ns };
	bool any = false;
	int r;

	out_printf(out, OUT_PLAIN, "Dry run: nothing is changed, started or written.\n");
	r = print_recording(screen, out);
	for (size_t i = 0; i < screen->plan->n && r == 0; i++)
		r = recording_preview_print_buffer(screen->plan, &screen->plan->buffers[i], out);
	if (r < 0)
		return r;
	event_price_kinds(screen->plan, prices.kinds);
	for (unsigned i = 0; i < PROBE_COST_KINDS; i++)
		any |= prices.kinds[i];
	recording_preview_print_heading(out, "Estimated overhead on this machine");
	if (any)
		r = price_table_print(&prices, out);
	if (any && r == 0)
		out_wrap(out, 0, 0,
			 "The rates are not known in advance. Use --max-overhead to limit the "
			 "overhead of a recording.");
	recording_preview_print_unknown(screen, out);
	return r;
}
