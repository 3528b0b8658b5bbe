/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists as plain names, for scripts. */
#include "render/machine/list.h"

static void list_names_nothing(struct list_writer *w, const char *kind, size_t n)
{
}

static void list_names_end(struct list_writer *w)
{
}

static void list_names_put_line(struct list_writer *w, const char *name)
{
	list_put_text(w->out, name);
	fputc('\n', w->out->stream);
}

static void list_names_put_function(struct list_writer *w, const struct list_function *f)
{
	list_names_put_line(w, f->function->name);
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

static void list_names_put_event(struct list_writer *w, const struct event *e,
				 const struct event_layout *format)
{
	list_put_text(w->out, e->system);
	fputc(':', w->out->stream);
	list_names_put_line(w, e->name);
}

static void list_names_put_setting(struct list_writer *w, const struct setting *s, bool is_switch)
{
	list_names_put_line(w, s->name);
}

static void list_names_put_probe(struct list_writer *w, const struct dynamic_event *e)
{
	list_put_text(w->out, e->system);
	fputc(':', w->out->stream);
	list_names_put_line(w, e->name);
}

static void list_names_put_instance(struct list_writer *w, const struct instance *i)
{
	list_names_put_line(w, i->name);
}

/* The kinds of lists. */
static void list_names_put_overview(struct list_writer *w, const struct list_overview *o)
{
	fputs("events\nfunctions\ntracers\nclocks\noptions\nprobes\ninstances\n", w->out->stream);
}

const struct list_format list_names = {
	.begin = list_names_nothing,
	.function = list_names_put_function,
	.event = list_names_put_event,
	.setting = list_names_put_setting,
	.probe = list_names_put_probe,
	.instance = list_names_put_instance,
	.overview = list_names_put_overview,
	.end = list_names_end,
};

const struct list_format list_names_and_modules = {
	.begin = list_names_nothing,
	.function = put_function_and_module,
	.event = list_names_put_event,
	.setting = list_names_put_setting,
	.probe = list_names_put_probe,
	.instance = list_names_put_instance,
	.overview = list_names_put_overview,
	.end = list_names_end,
};
