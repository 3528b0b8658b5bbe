/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists as bare names, for scripts. */
#include "render/machine/list.h"

static void nothing(struct list_writer *w, const char *kind, size_t n)
{
}

static void end(struct list_writer *w)
{
}

static void put_line(struct list_writer *w, const char *name)
{
	list_put_text(w->out, name);
	fputc('\n', w->out->stream);
}

static void put_function(struct list_writer *w, const struct list_function *f)
{
	put_line(w, f->function->name);
}

static void put_function_and_module(struct list_writer *w, const struct list_function *f)
{
	list_put_text(w->out, f->function->name);
	if (f->function->module) {
		fputs(" [", w->out->stream);
		list_put_text(w->out, f->function->module);
		fputc(']', w->out->stream);
	}
	fputc('\n', w->out->stream);
}

static void put_event(struct list_writer *w, const struct event *e,
		      const struct event_layout *format)
{
	list_put_text(w->out, e->system);
	fputc(':', w->out->stream);
	put_line(w, e->name);
}

static void put_setting(struct list_writer *w, const struct setting *s, bool is_switch)
{
	put_line(w, s->name);
}

static void put_probe(struct list_writer *w, const struct dynamic_event *e)
{
	list_put_text(w->out, e->system);
	fputc(':', w->out->stream);
	put_line(w, e->name);
}

static void put_instance(struct list_writer *w, const struct instance *i)
{
	put_line(w, i->name);
}

/* What there is to list. */
static void put_overview(struct list_writer *w, const struct list_overview *o)
{
	fputs("events\nfunctions\ntracers\nclocks\noptions\nprobes\ninstances\n", w->out->stream);
}

const struct list_format list_names = {
	.begin = nothing,
	.function = put_function,
	.event = put_event,
	.setting = put_setting,
	.probe = put_probe,
	.instance = put_instance,
	.overview = put_overview,
	.end = end,
};

const struct list_format list_names_and_modules = {
	.begin = nothing,
	.function = put_function_and_module,
	.event = put_event,
	.setting = put_setting,
	.probe = put_probe,
	.instance = put_instance,
	.overview = put_overview,
	.end = end,
};
