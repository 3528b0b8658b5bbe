/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists as JSON; fathom-list(1) documents the members. */
#include "render/machine/list.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

/* The buffer is written when it exceeds this size, in bytes. */
#define BLOCK 65536

static void list_json_flush(struct list_writer *w, size_t limit)
{
	if (w->buf.len < limit && !w->buf.err)
		return;
	w->err = out_write(w->out, &w->buf) ?: w->err;
}

/* The members of items, in the order in which they are written. */
static const char *list_json_columns(const char *kind, bool verbose)
{
	static const struct {
		const char *kind, *columns;
	} lists[] = {
		{ "functions", "name module address same_name_count nth prototypes "
			       "is_prototype_of_source dropped_count" },
		{ "tracers", "name is_current description" },
		{ "clocks", "name is_current description" },
		{ "options", "name is_on description" },
		{ "probes", "kind system name enabled definition" },
		{ "instances", "name is_recording tracer enabled_event_count per_cpu_kb total_kb" },
		{ "overview", "kernel_release tracefs function_count event_count subsystem_count "
			      "enabled_event_count tracer_count clock_count option_count "
			      "probe_count instance_count current_tracer current_clock" },
	};

	if (str_eq(kind, "events"))
		return verbose ? "system name enabled id print_fmt" : "system name enabled";
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		if (str_eq(kind, lists[i].kind))
			return lists[i].columns;
	return "";
}

static void list_json_begin(struct list_writer *w, const char *kind, size_t n)
{
	w->csv.member = "items";
	w->csv.columns = list_json_columns(kind, w->verbose);
	json_document_begin_csv(&w->json, &w->buf, w->as_csv ? &w->csv : NULL);
	json_string(&w->json, "list", kind);
	json_u64(&w->json, "count", n);
	json_begin_array(&w->json, "items");
}

static void list_json_end(struct list_writer *w)
{
	json_end_array(&w->json);
	json_document_end(&w->json, NULL);
	list_json_flush(w, 0);
}

static void list_json_put_lines(struct json *j, const char *key, const char *text)
{
	json_begin_array(j, key);
	while (*text) {
		size_t len = strcspn(text, "\n");

		json_string_len(j, NULL, text, len);
		text += len + (text[len] == '\n');
	}
	json_end_array(j);
}

static void list_json_put_function(struct list_writer *w, const struct list_function *f)
{
	struct json *j = &w->json;
	char addr[32];

	json_begin_object(j, NULL);
	json_string(j, "name", f->function->name);
	json_string(j, "module", f->function->module);
	snprintf(addr, sizeof(addr), "0x%" PRIx64, f->function->addr);
	json_string(j, "address", f->function->addr ? addr : NULL);
	json_u64(j, "same_name_count", f->function->same);
	json_u64(j, "nth", f->function->nth);
	list_json_put_lines(j, "prototypes", f->n_prototypes ? f->prototypes : "");
	json_bool(j, "is_prototype_of_source", f->of_source);
	json_u64(j, "dropped_count", f->dropped);
	json_end_object(j);
	list_json_flush(w, BLOCK);
}

static void put_format(struct json *j, const struct event_layout *format)
{
	json_u64(j, "id", format->id);
	json_begin_array(j, "fields");
	for (size_t i = 0; i < format->n_fields; i++) {
		const struct layout_field *f = &format->fields[i];

		json_begin_object(j, NULL);
		json_string(j, "type", f->type);
		json_string(j, "name", f->name);
		json_u64(j, "offset_bytes", f->offset);
		json_u64(j, "size_bytes", f->size);
		json_bool(j, "is_signed", f->is_signed);
		json_bool(j, "is_common", f->common);
		json_end_object(j);
	}
	json_end_array(j);
	json_string(j, "print_fmt", format->print_fmt);
}

static void list_json_put_event(struct list_writer *w, const struct event *e,
				const struct event_layout *format)
{
	json_begin_object(&w->json, NULL);
	json_string(&w->json, "system", e->system);
	json_string(&w->json, "name", e->name);
	json_bool(&w->json, "enabled", e->enabled);
	if (format)
		put_format(&w->json, format);
	json_end_object(&w->json);
	list_json_flush(w, BLOCK);
}

static void list_json_put_setting(struct list_writer *w, const struct setting *s, bool is_switch)
{
	json_begin_object(&w->json, NULL);
	json_string(&w->json, "name", s->name);
	json_bool(&w->json, is_switch ? "is_on" : "is_current", s->on);
	json_string(&w->json, "description", s->what);
	json_end_object(&w->json);
}

static void list_json_put_probe(struct list_writer *w, const struct dynamic_event *e)
{
	json_begin_object(&w->json, NULL);
	json_string(&w->json, "kind", e->kind);
	json_string(&w->json, "system", e->system);
	json_string(&w->json, "name", e->name);
	json_bool(&w->json, "enabled", e->enabled);
	json_string(&w->json, "definition", e->definition);
	json_end_object(&w->json);
}

static void list_json_put_instance(struct list_writer *w, const struct instance *i)
{
	json_begin_object(&w->json, NULL);
	json_string(&w->json, "name", i->name);
	json_bool(&w->json, "is_recording", i->recording);
	json_string(&w->json, "tracer", i->tracer);
	json_u64(&w->json, "enabled_event_count", i->events_enabled);
	json_u64(&w->json, "per_cpu_kb", i->kb_per_cpu);
	json_u64(&w->json, "total_kb", i->kb_total);
	json_end_object(&w->json);
}

static void list_json_put_number(struct json *j, const char *key, long n)
{
	if (n < 0)
		json_null(j, key);
	else
		json_u64(j, key, (uint64_t)n);
}

static void list_json_put_overview(struct list_writer *w, const struct list_overview *o)
{
	struct json *j = &w->json;

	json_begin_object(j, NULL);
	json_string(j, "kernel_release", o->release);
	json_string(j, "tracefs", o->where);
	list_json_put_number(j, "function_count", o->functions);
	list_json_put_number(j, "event_count", o->events);
	list_json_put_number(j, "subsystem_count", o->systems);
	list_json_put_number(j, "enabled_event_count", o->events_enabled);
	list_json_put_number(j, "tracer_count", o->tracers);
	list_json_put_number(j, "clock_count", o->clocks);
	list_json_put_number(j, "option_count", o->options);
	list_json_put_number(j, "probe_count", o->probes);
	list_json_put_number(j, "instance_count", o->instances);
	json_string(j, "current_tracer", *o->tracer ? o->tracer : NULL);
	json_string(j, "current_clock", *o->clock ? o->clock : NULL);
	json_end_object(j);
}

const struct list_format list_json = {
	.begin = list_json_begin,
	.function = list_json_put_function,
	.event = list_json_put_event,
	.setting = list_json_put_setting,
	.probe = list_json_put_probe,
	.instance = list_json_put_instance,
	.overview = list_json_put_overview,
	.end = list_json_end,
};
