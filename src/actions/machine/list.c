/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists: reads items, selects them by pattern, and passes them to the writer. */
#include "actions/machine/list.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#include "actions/action.h"
#include "base/cleanup.h"
#include "base/quote.h"

/* A pattern with a colon is matched against SYSTEM:NAME, one without against each part. */
static bool event_fits(struct list *list, const char *system, const char *name)
{
	struct matches *patterns = &list->patterns;
	bool any = patterns->n == 0;
	char full[512];

	snprintf(full, sizeof(full), "%s:%s", system, name);
	for (size_t i = 0; i < patterns->n; i++) {
		const struct match *m = &patterns->list[i];
		bool fits = match_test(m, full);

		if (!strchr(list->words[i], ':'))
			fits = fits || match_test(m, name) || match_test(m, system);
		patterns->used[i] |= fits;
		any |= fits;
	}
	return any;
}

static void suggest_event(struct list *list, const struct events *events)
{
	struct nearest nearest = list_nearest(list);
	const char *colon = nearest.wanted ? strchr(nearest.wanted, ':') : NULL;

	if (!nearest.wanted)
		return;
	if (colon)
		nearest.wanted = colon + 1;
	for (size_t i = 0; i < events->n; i++) {
		nearest_offer(&nearest, events->list[i].name);
		if (!colon)
			nearest_offer(&nearest, events->list[i].system);
	}
	list_keep_nearest(list, &nearest);
}

static int list_put_event(struct list *list, const struct event *event)
{
	_cleanup_(event_layout_done) struct event_layout format = { 0 };
	struct list_writer *w = &list->writer;
	int r;

	if (!w->verbose) {
		w->format->event(w, event, NULL);
		return 0;
	}
	r = event_layout_read(list->source->tracefs, event->system, event->name, &format,
			      list->err);
	/* A module unloaded in the meantime took its events with it; some events have no format. */
	if (r < 0 && r != -ENOENT)
		return r;
	w->format->event(w, event, r < 0 ? NULL : &format);
	return 0;
}

static int list_list_events(struct list *list)
{
	_cleanup_(events_done) struct events events = { 0 };
	struct list_writer *w = &list->writer;
	size_t n = 0;
	int r;

	r = events_read(list->source->tracefs, &events, list->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < events.n; i++)
		event_fits(list, events.list[i].system, events.list[i].name);
	suggest_event(list, &events);
	for (size_t i = 0; i < events.n; i++)
		if (event_fits(list, events.list[i].system, events.list[i].name))
			events.list[n++] = events.list[i];
	w->format->begin(w, "events", n);
	for (size_t i = 0; i < n; i++) {
		r = list_put_event(list, &events.list[i]);
		if (r < 0)
			return r;
	}
	w->format->end(w);
	return 0;
}

typedef int settings_reader(int tracefs, struct settings *ret_settings, struct fathom_err *err);

static int list_settings(struct list *list, settings_reader *reader, bool is_switch)
{
	_cleanup_(settings_done) struct settings s = { 0 };
	struct list_writer *w = &list->writer;
	struct nearest nearest;
	size_t n = 0;
	int r;

	r = reader(list->source->tracefs, &s, list->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < s.n; i++)
		matches_test(&list->patterns, s.list[i].name);
	nearest = list_nearest(list);
	for (size_t i = 0; i < s.n && nearest.wanted; i++)
		nearest_offer(&nearest, s.list[i].name);
	list_keep_nearest(list, &nearest);
	for (size_t i = 0; i < s.n; i++) {
		int len = (int)strlen(s.list[i].name);

		if (!matches_test(&list->patterns, s.list[i].name))
			continue;
		w->name_width = len > w->name_width ? len : w->name_width;
		s.list[n++] = s.list[i];
	}
	w->format->begin(w, list->kind->name, n);
	for (size_t i = 0; i < n; i++)
		w->format->setting(w, &s.list[i], is_switch);
	w->format->end(w);
	return 0;
}

static int list_tracers(struct list *list)
{
	return list_settings(list, settings_read_tracers, false);
}

static int list_clocks(struct list *list)
{
	return list_settings(list, settings_read_clocks, false);
}

static int list_options(struct list *list)
{
	return list_settings(list, settings_read_options, true);
}

/* What trace-cmd calls plugins in 'trace-cmd list -p'. */
static int list_plugins(struct list *list)
{
	fputs("note: fathom has no plugins; 'trace-cmd list -p' calls the tracers plugins:\n",
	      list->notes);
	return list_tracers(list);
}

static int list_probes(struct list *list)
{
	_cleanup_(dynamic_events_done) struct dynamic_events events = { 0 };
	struct list_writer *w = &list->writer;
	size_t n = 0;
	int r;

	r = dynamic_events_read(list->source->tracefs, &events, list->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < events.n; i++) {
		const struct dynamic_event *e = &events.list[i];
		int len = (int)(strlen(e->system) + 1 + strlen(e->name));

		if (!event_fits(list, e->system, e->name))
			continue;
		w->name_width = len > w->name_width ? len : w->name_width;
		events.list[n++] = *e;
	}
	w->format->begin(w, "probes", n);
	for (size_t i = 0; i < n; i++)
		w->format->probe(w, &events.list[i]);
	w->format->end(w);
	if (!n && !list->patterns.n)
		fputs("note: no probes or synthetic events have been added to this kernel\n",
		      list->notes);
	return 0;
}

static int list_instances(struct list *list)
{
	_cleanup_(instances_done) struct instances instances = { 0 };
	struct list_writer *w = &list->writer;
	size_t n = 0;
	int r;

	r = instances_read(list->source->tracefs, &instances, list->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < instances.n; i++) {
		int len = (int)strlen(instances.list[i].name);

		if (!matches_test(&list->patterns, instances.list[i].name))
			continue;
		w->name_width = len > w->name_width ? len : w->name_width;
		instances.list[n++] = instances.list[i];
	}
	w->format->begin(w, "instances", n);
	for (size_t i = 0; i < n; i++)
		w->format->instance(w, &instances.list[i]);
	w->format->end(w);
	if (!n && !list->patterns.n)
		fputs("note: no instances; there is only the top-level buffer\n", list->notes);
	return 0;
}

/*
 * Returns the number of items, or -1; appends the name of the current one, if any, to @ret_current.
 */
static long count_settings(struct list *list, settings_reader *reader, char *ret_current,
			   size_t size)
{
	_cleanup_(settings_done) struct settings s = { 0 };

	if (reader(list->source->tracefs, &s, NULL) < 0)
		return -1;
	for (size_t i = 0; i < s.n && size; i++)
		if (s.list[i].on)
			snprintf(ret_current, size, "%s", s.list[i].name);
	return (long)s.n;
}

static void list_count_events(struct list *list, struct list_overview *o)
{
	_cleanup_(events_done) struct events events = { 0 };
	_cleanup_(dynamic_events_done) struct dynamic_events dynamic = { 0 };

	if (events_read(list->source->tracefs, &events, NULL) == 0) {
		o->events = (long)events.n;
		o->systems = (long)events.n_systems;
		o->events_enabled = (long)events.n_enabled;
	}
	if (dynamic_events_read(list->source->tracefs, &dynamic, NULL) == 0)
		o->probes = (long)dynamic.n;
}

static int list_list_overview(struct list *list)
{
	_cleanup_(functions_done) struct functions functions = { 0 };
	_cleanup_(instances_done) struct instances instances = { 0 };
	struct list_writer *w = &list->writer;
	int tracefs = list->source->tracefs;
	char tracer[64] = "?", clock[64] = "?";
	struct utsname uts = { .release = "?" };
	struct list_overview o = { .where = list->source->where,
				   .release = uts.release,
				   .tracer = tracer,
				   .clock = clock,
				   .functions = -1,
				   .events = -1,
				   .systems = -1,
				   .events_enabled = -1,
				   .probes = -1,
				   .instances = -1 };
	uname(&uts);
	list_count_events(list, &o);
	o.tracers = count_settings(list, settings_read_tracers, tracer, sizeof(tracer));
	o.clocks = count_settings(list, settings_read_clocks, clock, sizeof(clock));
	o.options = count_settings(list, settings_read_options, NULL, 0);
	if (functions_read(tracefs, false, &functions, NULL) == 0)
		o.functions = (long)functions.n;
	if (instances_read(tracefs, &instances, NULL) == 0)
		o.instances = (long)instances.n;
	w->format->begin(w, "overview", 1);
	w->format->overview(w, &o);
	w->format->end(w);
	return 0;
}

static const struct list_kind overview = { "overview", "overview", list_list_overview };

static const struct list_kind kinds[] = {
	{ "events", "event", list_list_events }, { "functions", "function", list_functions },
	{ "tracers", "tracer", list_tracers },	 { "clocks", "clock", list_clocks },
	{ "options", "option", list_options },	 { "plugins", "plugin", list_plugins },
	{ "probes", "probe", list_probes },	 { "instances", "instance", list_instances },
};

const struct list_kind *list_kind_find(const char *word)
{
	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (str_eq(kinds[i].name, word) || str_eq(kinds[i].one, word))
			return &kinds[i];
	return NULL;
}

static int unknown_kind(const char *word, FILE *notes)
{
	struct nearest nearest = { .wanted = word };
	const char *meant;

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		nearest_offer(&nearest, kinds[i].name);
	meant = nearest_pick(&nearest);
	if (meant)
		quote_printf(notes, "fathom list: no list '%s'; did you mean '%s'?\n", word, meant);
	else
		quote_printf(notes,
			     "fathom list: no list '%s'; to search for a name, use 'fathom list "
			     "functions %s' or 'fathom list events %s'\n",
			     word, word, word);
	return EXIT_USAGE;
}

/* Reports patterns that matched nothing. */
static int report_unused(const struct list *list)
{
	int code = EXIT_OK;

	for (size_t i = 0; i < list->patterns.n; i++) {
		if (list->patterns.used[i])
			continue;
		quote_printf(list->notes, "fathom list: no %s matches '%s'", list->kind->one,
			     list->words[i]);
		if (code == EXIT_OK && *list->meant)
			quote_printf(list->notes, "; did you mean '%s'?", list->meant);
		fputc('\n', list->notes);
		code = EXIT_FAILED;
	}
	return code;
}

static const struct list_format *choose_format(const struct list_args *args)
{
	if (args->json || args->csv)
		return &list_json;
	if (args->names)
		return &list_names;
	/* For scripts written for trace-cmd. */
	if (args->kind && args->kind->run == list_functions && !args->verbose)
		return &list_names_and_modules;
	return &list_text;
}

static void list_done(struct list *list)
{
	matches_done(&list->patterns);
	strbuf_done(&list->writer.buf);
	json_csv_done(&list->writer.csv);
}

static int list_fail(const struct list *list)
{
	quote_printf(list->notes, "fathom list: %s\n", fathom_err_text(list->err));
	return EXIT_FAILED;
}

int list_run(const struct list_args *args, const struct list_source *source, int argc, char **argv,
	     struct out *out, FILE *notes)
{
	unsigned flags = (args->regex || args->kind ? MATCH_REGEX : 0) |
			 (args->icase ? MATCH_ICASE : 0);
	struct fathom_err err = { 0 };
	_cleanup_(list_done) struct list list = { .args = args, .source = source, .notes = notes };
	int skip = 0;

	list.err = &err;
	list.kind = args->kind;
	if (!list.kind && argc > 0) {
		list.kind = list_kind_find(argv[0]);
		if (!list.kind)
			return unknown_kind(argv[0], notes);
		skip = 1;
	}
	if (!list.kind)
		list.kind = &overview;
	list.words = argv + skip;
	list.writer = (struct list_writer){ .out = out,
					    .verbose = args->verbose,
					    .as_csv = args->csv,
					    .format = choose_format(args) };
	if (matches_init(&list.patterns, list.words, (size_t)(argc - skip), flags, &err) < 0) {
		list_fail(&list);
		return EXIT_USAGE;
	}
	if (list.kind->run(&list) < 0)
		return list_fail(&list);
	if (list.writer.err) {
		err_nomem(&err);
		return list_fail(&list);
	}
	return report_unused(&list);
}
