/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists as text. */
#include "render/machine/list.h"

#include <inttypes.h>
#include <string.h>

#include "base/quote.h"

void list_put_text(struct out *out, const char *text)
{
	quote_printf(out->stream, "%s", text);
}

static void put_styled(struct out *out, enum out_style style, const char *text)
{
	quote_printf(out->stream, "%s%s%s", out_style(out, style), text, out_style(out, OUT_PLAIN));
}

static void list_text_begin(struct list_writer *w, const char *kind, size_t n)
{
}

static void list_text_end(struct list_writer *w)
{
}

/* Prints the first @len bytes of @prototype and highlights the name of the function. */
static void put_prototype(struct out *out, const char *prototype, size_t len, const char *name)
{
	size_t name_len = strlen(name);
	const char *at = memmem(prototype, len, name, name_len);

	/* The name may occur in the return type: "struct open_how *open(...)". */
	while (at && (size_t)(at - prototype) + name_len < len && at[name_len] != '(') {
		size_t rest = len - (size_t)(at + 1 - prototype);

		at = memmem(at + 1, rest, name, name_len);
	}
	if (!at || !out->color) {
		quote_printf(out->stream, "%.*s", (int)len, prototype);
		return;
	}
	quote_printf(out->stream, "%.*s", (int)(at - prototype), prototype);
	put_styled(out, OUT_NAME, name);
	at += name_len;
	quote_printf(out->stream, "%.*s", (int)(len - (size_t)(at - prototype)), at);
}

static void put_which(struct list_writer *w, const struct list_function *item)
{
	const struct function *f = item->function;

	if (f->addr && (f->same > 1 || w->verbose))
		out_printf(w->out, OUT_FAINT, "  at 0x%" PRIx64, f->addr);
	if (f->same > 1)
		out_printf(w->out, OUT_FAINT, "  (%u of %u)", f->nth, f->same);
	if (item->dropped)
		out_printf(w->out, OUT_FAINT, "  (%zu entries of discarded code)", item->dropped);
	if (f->module) {
		fputs("  ", w->out->stream);
		out_printf(w->out, OUT_FAINT, "[");
		put_styled(w->out, OUT_FAINT, f->module);
		out_printf(w->out, OUT_FAINT, "]");
	}
	fputc('\n', w->out->stream);
}

/* Several functions have this name: prints all prototypes, because the right one is unknown. */
static void put_candidates(struct list_writer *w, const char *prototypes, const char *name)
{
	const char *lead = "    one of: ";

	while (*prototypes) {
		size_t len = strcspn(prototypes, "\n");

		quote_printf(w->out->stream, "%s", lead);
		put_prototype(w->out, prototypes, len, name);
		fputc('\n', w->out->stream);
		lead = "            ";
		prototypes += len + (prototypes[len] == '\n');
	}
}

static void list_text_put_function(struct list_writer *w, const struct list_function *f)
{
	const char *name = f->function->name;
	struct out *out = w->out;

	if (f->n_prototypes == 1 && !f->of_source) {
		put_prototype(out, f->prototypes, strlen(f->prototypes), name);
		put_which(w, f);
		return;
	}
	put_styled(out, OUT_NAME, name);
	if (f->n_prototypes == 1) {
		out_printf(out, OUT_FAINT, "  derived by the compiler from: ");
		list_put_text(out, f->prototypes);
	}
	put_which(w, f);
	if (f->n_prototypes > 1 && f->last_of_name)
		put_candidates(w, f->prototypes, name);
}

static void list_text_put_fields(struct list_writer *w, const struct event_layout *format)
{
	size_t common = 0;

	out_printf(w->out, OUT_FAINT, "    offset  size  signed  field\n");
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct layout_field *f = &format->fields[i];
		size_t len = strlen(f->type);

		if (f->common) {
			common++;
			continue;
		}
		quote_printf(w->out->stream, "    %6u  %4u  %-6s  ", f->offset, f->size,
			     f->is_signed ? "yes" : "no");
		list_put_text(w->out, f->type);
		if (len && f->type[len - 1] != '*')
			fputc(' ', w->out->stream);
		put_styled(w->out, OUT_NAME, f->name);
		fputc('\n', w->out->stream);
	}
	if (common)
		out_printf(w->out, OUT_FAINT, "    and %zu common to all events\n", common);
}

static void list_text_put_event(struct list_writer *w, const struct event *e,
				const struct event_layout *format)
{
	struct out *out = w->out;

	put_styled(out, w->verbose ? OUT_TITLE : OUT_PLAIN, e->system);
	out_printf(out, w->verbose ? OUT_TITLE : OUT_PLAIN, ":");
	put_styled(out, w->verbose ? OUT_TITLE : OUT_NAME, e->name);
	if (!format) {
		fputc('\n', out->stream);
		return;
	}
	quote_printf(out->stream, "  (number %u, %s)\n", format->id,
		     e->enabled ? "enabled" : "off");
	list_text_put_fields(w, format);
	if (*format->print_fmt) {
		out_printf(out, OUT_FAINT, "    print format: ");
		list_put_text(out, format->print_fmt);
		fputc('\n', out->stream);
	}
	fputc('\n', out->stream);
}

static void list_text_put_setting(struct list_writer *w, const struct setting *s, bool is_switch)
{
	struct out *out = w->out;
	unsigned column = (unsigned)w->name_width + 6;

	if (is_switch)
		out_printf(out, s->on ? OUT_GOOD : OUT_FAINT, "%s ", s->on ? "on " : "off");
	else
		out_printf(out, OUT_GOOD, "%s ", s->on ? "now" : "   ");
	put_styled(out, OUT_NAME, s->name);
	if (!s->what) {
		fputc('\n', out->stream);
		return;
	}
	quote_printf(out->stream, "%*s", w->name_width - (int)strlen(s->name) + 2, "");
	out_wrap(out, column, column, s->what);
}

static void list_text_put_probe(struct list_writer *w, const struct dynamic_event *e)
{
	struct out *out = w->out;
	int pad = w->name_width - (int)(strlen(e->system) + strlen(e->name) + 1);

	out_printf(out, e->enabled ? OUT_GOOD : OUT_FAINT, "%s ", e->enabled ? "on " : "off");
	put_styled(out, OUT_NAME, e->system);
	out_printf(out, OUT_NAME, ":");
	put_styled(out, OUT_NAME, e->name);
	quote_printf(out->stream, "%*s%-16s  ", pad + 2, "", e->kind);
	list_put_text(out, e->definition);
	fputc('\n', out->stream);
}

static void list_text_put_instance(struct list_writer *w, const struct instance *i)
{
	struct out *out = w->out;

	put_styled(out, OUT_NAME, i->name);
	quote_printf(out->stream, "%*s", w->name_width - (int)strlen(i->name) + 2, "");
	quote_printf(out->stream, "%s; tracer ", i->recording ? "recording" : "stopped");
	list_put_text(out, *i->tracer ? i->tracer : "unknown");
	quote_printf(out->stream, "; %zu %s enabled; ", i->events_enabled,
		     i->events_enabled == 1 ? "event" : "events");
	if (i->kb_per_cpu)
		quote_printf(out->stream, "%lu kB per CPU\n", i->kb_per_cpu);
	else
		quote_printf(out->stream, "%lu kB in total\n", i->kb_total);
}

/* Formats a number as "43,673", or "?" if it is unknown. */
static const char *list_text_grouped(long n, char *text, size_t size)
{
	char digits[32];
	size_t len, at = 0;

	if (n < 0)
		return "?";
	len = (size_t)snprintf(digits, sizeof(digits), "%ld", n);
	for (size_t i = 0; i < len && at + 2 < size; i++) {
		if (i && (len - i) % 3 == 0)
			text[at++] = ',';
		text[at++] = digits[i];
	}
	text[at] = '\0';
	return text;
}

static void list_text_put_count(struct out *out, long n, const char *what, const char *words,
				const char *example)
{
	char number[48];

	quote_printf(out->stream, "%9s  ", list_text_grouped(n, number, sizeof(number)));
	out_printf(out, OUT_NAME, "%-10s", what);
	quote_printf(out->stream, " %-26s  ", words);
	out_printf(out, OUT_FAINT, "%s\n", example);
}

static void list_text_put_overview(struct list_writer *w, const struct list_overview *o)
{
	struct out *out = w->out;
	char words[128];

	out_printf(out, OUT_TITLE, "Linux %s", o->release);
	quote_printf(out->stream, "  (from %s)\n\n", o->where);
	list_text_put_count(out, o->functions, "functions", "in the kernel and modules",
			    "fathom list functions 'vfs_*'");
	if (o->events < 0)
		snprintf(words, sizeof(words), "tracepoints");
	else
		snprintf(words, sizeof(words), "in %ld subsystems, %ld enabled", o->systems,
			 o->events_enabled);
	list_text_put_count(out, o->events, "events", words, "fathom list events sched");
	snprintf(words, sizeof(words), "current: %s", o->tracer);
	list_text_put_count(out, o->tracers, "tracers", words, "fathom list tracers");
	snprintf(words, sizeof(words), "current: %s", o->clock);
	list_text_put_count(out, o->clocks, "clocks", words, "fathom list clocks");
	list_text_put_count(out, o->options, "options", "of tracers and output",
			    "fathom list options stack");
	list_text_put_count(out, o->probes, "probes", "added to the kernel", "fathom list probes");
	list_text_put_count(out, o->instances, "instances", "besides the top level",
			    "fathom list instances");
	fputs("\nA word such as 'vfs' matches names that contain it, the glob 'vfs_*' the whole\n"
	      "name, and '/^vfs_(read|write)$/' is a regular expression.\n"
	      "The fields of an event: ",
	      out->stream);
	out_printf(out, OUT_FAINT, "fathom list -v events sched_switch\n");
}

const struct list_format list_text = {
	.begin = list_text_begin,
	.function = list_text_put_function,
	.event = list_text_put_event,
	.setting = list_text_put_setting,
	.probe = list_text_put_probe,
	.instance = list_text_put_instance,
	.overview = list_text_put_overview,
	.end = list_text_end,
};
