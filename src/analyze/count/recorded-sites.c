/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/count/recorded-sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/pattern/pattern.h"
#include "base/str.h"

static const struct event_format *recorded_format(struct recorded_sites *sites, size_t i)
{
	return event_table_format(sites->events, &sites->events->entries[i], NULL);
}

static bool is_tracer(const struct event_format *format, const char *name)
{
	return str_eq(format->system, "ftrace") && str_eq(format->name, name);
}

/* The first value of a probe at a return, if it is a number; see analyze/stream/decoded-event.c. */
static const struct event_field *find_result(const struct event_format *format)
{
	const struct event_field *field = event_field_find(format, "__probe_ret_ip") + 1;

	if (field >= format->fields + format->n_fields)
		return NULL;
	return field->kind == EVENT_FIELD_INT || field->kind == EVENT_FIELD_POINTER ? field : NULL;
}

static struct recorded_role recorded_role_of(const struct event_format *format)
{
	struct recorded_role role = { .kind = RECORDED_NONE };

	if (is_tracer(format, "funcgraph_entry") || is_tracer(format, "fgraph_retaddr_entry") ||
	    is_tracer(format, "function")) {
		role.kind = RECORDED_ENTRY;
	} else if (is_tracer(format, "funcgraph_exit")) {
		role.kind = RECORDED_RETURN;
		role.result = event_field_find(format, "retval");
	} else if (event_field_find(format, "__probe_func") &&
		   event_field_find(format, "__probe_ret_ip")) {
		role.kind = RECORDED_PROBE_RETURN;
		role.func = event_field_find(format, "__probe_func");
		role.result = find_result(format);
	} else if (event_field_find(format, "__probe_ip")) {
		role.kind = RECORDED_PROBE;
		role.func = event_field_find(format, "__probe_ip");
	}
	return role;
}

const struct recorded_role *recorded_sites_role(struct recorded_sites *sites, uint16_t id)
{
	struct recorded_role *role = &sites->roles[id];
	const struct event_entry *entry;

	if (role->kind != RECORDED_UNKNOWN)
		return role;
	entry = event_table_find(sites->events, id);
	if (entry && entry->format)
		*role = recorded_role_of(entry->format);
	else
		role->kind = RECORDED_NONE;
	return role;
}

static bool is_entry(enum recorded_kind kind)
{
	return kind == RECORDED_ENTRY || kind == RECORDED_PROBE;
}

static bool is_return(enum recorded_kind kind)
{
	return kind == RECORDED_RETURN || kind == RECORDED_PROBE_RETURN;
}

static int recorded_sites_add(struct recorded_sites *sites, const struct count_site *site)
{
	if (mem_reserve(&sites->list, &sites->cap, sites->n + 1, sizeof(*sites->list)) < 0 ||
	    mem_reserve(&sites->next, &sites->cap_next, sites->n + 1, sizeof(*sites->next)) < 0)
		return -ENOMEM;
	sites->list[sites->n] = *site;
	sites->next[sites->n++] = RECORDED_NO_SITE;
	return 0;
}

static int recorded_sites_add_event(struct recorded_sites *sites, const struct count_source *source,
				    const struct event_format *format, bool is_begin)
{
	const struct count_site site = { .source = source, .format = format, .is_begin = is_begin };
	uint32_t *first = &sites->by_id[(uint16_t)format->id], at = *first - 1U;

	if (recorded_sites_add(sites, &site) < 0)
		return -ENOMEM;
	/* Last: an event that ends something and begins the next does so in this order. */
	while (at != RECORDED_NO_SITE && sites->next[at] != RECORDED_NO_SITE)
		at = sites->next[at];
	if (at == RECORDED_NO_SITE)
		*first = (uint32_t)sites->n;
	else
		sites->next[at] = (uint32_t)sites->n - 1;
	return 0;
}

static int recorded_compile(struct recorded_sites *sites, const char *glob,
			    const struct pattern **ret_pattern, struct fathom_err *err)
{
	return pattern_compile(&sites->arena, PATTERN_GLOB, 0, glob, strlen(glob), ret_pattern,
			       err);
}

/* Like counting in the kernel, a glob for systems does not mean the events of tracers. */
static bool is_ordinary(const struct event_format *format)
{
	return !str_eq(format->system, "ftrace") && !str_after(format->system, "fathom");
}

static int recorded_sites_add_events(struct recorded_sites *sites,
				     const struct count_source *source, bool is_begin,
				     struct fathom_err *err)
{
	const bool any_system = pattern_is_glob(source->system, strlen(source->system));
	const struct pattern *system, *name;
	size_t before = sites->n;
	int r = recorded_compile(sites, source->system, &system, err);

	if (r == 0)
		r = recorded_compile(sites, source->name, &name, err);
	for (size_t i = 0; r == 0 && i < sites->events->n; i++) {
		const struct event_entry *entry = &sites->events->entries[i];
		const struct event_format *format;

		if (!pattern_match(system, entry->text->system, strlen(entry->text->system)))
			continue;
		format = recorded_format(sites, i);
		/* Some files have a format twice. */
		if (format && event_table_find(sites->events, (unsigned)format->id) == entry &&
		    (!any_system || is_ordinary(format)) &&
		    pattern_match(name, format->name, strlen(format->name)) &&
		    recorded_sites_add_event(sites, source, format, is_begin) < 0)
			r = err_nomem(err);
	}
	if (r == 0 && sites->n == before)
		r = err_set(err, -ENOENT, "no event '%s' in the recording", source->text);
	return r;
}

/* Adds the fields with which a probe records values. */
static void recorded_add_fields(struct event_format *to, const struct event_format *from)
{
	for (uint32_t i = 0; i < from->n_fields; i++) {
		const struct event_field *field = &from->fields[i];

		if (!field->is_common && !str_after(field->name, "__probe_") &&
		    !event_field_find(to, field->name))
			to->fields[to->n_fields++] = *field;
	}
}

/*
 * Creates a format with all values that calls of a function may have: arguments, or "ret" of its
 * return. Those of the probes named after the function come first.
 */
static struct event_format *recorded_function_format(struct recorded_sites *sites,
						     const struct count_source *source)
{
	static const struct event_field ret = { .name = "ret",
						.type = "long",
						.size = 8,
						.elem_size = 8,
						.kind = EVENT_FIELD_INT,
						.is_signed = true };
	struct event_format *made = arena_zalloc(&sites->arena, 1, sizeof(*made));
	size_t room = 1;

	for (size_t i = 0; i < sites->events->n; i++) {
		const struct event_format *format = recorded_format(sites, i);

		if (format && recorded_sites_role(sites, (uint16_t)format->id)->func)
			room += format->n_fields;
	}
	if (!made)
		return NULL;
	*made = (struct event_format){ .system = "function",
				       .name = source->name,
				       .fields = arena_zalloc(&sites->arena, room, sizeof(ret)) };
	if (!made->fields)
		return NULL;
	for (size_t i = 0; i < 2 * sites->events->n; i++) {
		const bool named = i < sites->events->n;
		const struct event_format *format = recorded_format(sites, i % sites->events->n);
		const struct recorded_role *role =
			format ? recorded_sites_role(sites, (uint16_t)format->id) : NULL;

		if (!role || !(source->is_return ? is_return(role->kind) : is_entry(role->kind)))
			continue;
		if (role->result && !event_field_find(made, "ret"))
			made->fields[made->n_fields++] = ret;
		if (role->func && named == (strstr(format->name, source->name) != NULL))
			recorded_add_fields(made, format);
	}
	return made;
}

static int recorded_sites_add_functions(struct recorded_sites *sites,
					const struct count_source *source, bool is_begin,
					struct fathom_err *err)
{
	const struct event_format *format = recorded_function_format(sites, source);
	const struct count_site site = { .source = source, .format = format, .is_begin = is_begin };

	if (!format || recorded_sites_add(sites, &site) < 0)
		return err_nomem(err);
	return 0;
}

static int recorded_sites_add_profile(struct recorded_sites *sites,
				      const struct count_source *source, bool is_begin,
				      struct fathom_err *err)
{
	static const struct event_format profile = { .system = "perf", .name = "profile" };
	const struct count_site site = { .source = source,
					 .format = &profile,
					 .is_begin = is_begin };

	return recorded_sites_add(sites, &site) < 0 ? err_nomem(err) : 0;
}

static int recorded_sites_add_list(struct recorded_sites *sites, const struct count_source *list,
				   size_t n, bool is_begin, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (list[i].kind == COUNT_EVENT)
			r = recorded_sites_add_events(sites, &list[i], is_begin, err);
		else if (list[i].kind == COUNT_FUNCTION)
			r = recorded_sites_add_functions(sites, &list[i], is_begin, err);
		else
			r = recorded_sites_add_profile(sites, &list[i], is_begin, err);
	}
	return r;
}

static int recorded_compile_all(struct recorded_sites *sites, struct fathom_err *err)
{
	int r = 0;

	sites->n_first = sites->n;
	sites->patterns = arena_zalloc(&sites->arena, sites->n + 1, sizeof(void *));
	if (!sites->patterns)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < sites->n; i++)
		if (sites->list[i].source->kind == COUNT_FUNCTION)
			r = recorded_compile(sites, sites->list[i].source->name,
					     &sites->patterns[i], err);
	return r;
}

/* The formats to which a filter is bound. */
struct binding {
	const struct event_format **list;
	size_t n, cap;
};

static void binding_done(struct binding *binding)
{
	free(binding->list);
}

static int binding_add(struct binding *binding, const struct event_format *format)
{
	if (mem_reserve(&binding->list, &binding->cap, binding->n + 1, sizeof(void *)) < 0)
		return -ENOMEM;
	binding->list[binding->n++] = format;
	return 0;
}

/* Adds the formats of the events that can be a call or a sample of this source. */
static int binding_add_site(struct binding *binding, struct recorded_sites *sites,
			    const struct count_site *site)
{
	if (site->source->kind == COUNT_EVENT)
		return binding_add(binding, site->format);
	for (size_t i = 0; i < sites->events->n; i++) {
		const struct event_format *format = recorded_format(sites, i);
		enum recorded_kind kind;
		bool fits;

		if (!format)
			continue;
		kind = recorded_sites_role(sites, (uint16_t)format->id)->kind;
		if (site->source->kind == COUNT_PROFILE)
			fits = str_eq(format->system, "fathom") && str_eq(format->name, "sample");
		else
			fits = site->source->is_return ? is_return(kind) : is_entry(kind);
		if (fits && binding_add(binding, format) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Binds @filter to the sites of @source or, if that is NULL, of one side. */
static int recorded_bind(struct recorded_sites *sites, struct filter *filter,
			 const struct count_source *source, bool is_begin, struct fathom_err *err)
{
	_cleanup_(binding_done) struct binding binding = { 0 };

	for (size_t i = 0; i < sites->n; i++) {
		const struct count_site *site = &sites->list[i];

		if ((source ? site->source == source : site->is_begin == is_begin) &&
		    binding_add_site(&binding, sites, site) < 0)
			return err_nomem(err);
	}
	return filter_bind(filter, binding.list, binding.n, sites->env, err);
}

static int recorded_bind_sources(struct recorded_sites *sites, const struct count_source *list,
				 size_t n, struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		if (list[i].filter) {
			r = recorded_bind(sites, list[i].filter, &list[i], false, err);
			if (r < 0)
				err_prefix(err, "filter '%s'", list[i].filter_text);
		}
	return r;
}

/* The filter of the plan is about what is counted, or else about where that begins. */
static int recorded_bind_plan(struct recorded_sites *sites, struct fathom_err *err)
{
	const struct count_plan *plan = sites->plan;
	int r;

	if (!plan->filter)
		return 0;
	r = recorded_bind(sites, plan->filter, NULL, false, err);
	if (r == -ENOENT && plan->n_begins) {
		sites->plan_filter_at_begin = true;
		r = recorded_bind(sites, plan->filter, NULL, true, err);
	}
	if (r < 0)
		err_prefix(err, "filter '%s'", plan->filter_text);
	return r;
}

static int recorded_sites_fill(struct recorded_sites *sites, struct fathom_err *err)
{
	const struct count_plan *plan = sites->plan;
	int r = recorded_sites_add_list(sites, plan->sources, plan->n_sources, false, err);

	if (r == 0)
		r = recorded_sites_add_list(sites, plan->begins, plan->n_begins, true, err);
	if (r == 0)
		r = recorded_compile_all(sites, err);
	if (r == 0)
		r = count_columns_init(&sites->columns, plan, sites->list, sites->n, err);
	if (r == 0)
		r = recorded_bind_sources(sites, plan->sources, plan->n_sources, err);
	if (r == 0)
		r = recorded_bind_sources(sites, plan->begins, plan->n_begins, err);
	return r < 0 ? r : recorded_bind_plan(sites, err);
}

int recorded_sites_init(struct recorded_sites *sites, const struct count_plan *plan,
			struct event_table *events, const struct kallsyms *kallsyms,
			const struct filter_env *env, struct fathom_err *err)
{
	int r = 0;

	*sites = (struct recorded_sites){
		.plan = plan,
		.events = events,
		.kallsyms = kallsyms,
		.env = env,
		.by_id = mem_zalloc(EVENT_TABLE_IDS, sizeof(*sites->by_id)),
		.roles = mem_zalloc(EVENT_TABLE_IDS, sizeof(*sites->roles)),
		.cache = mem_zalloc(1, sizeof(*sites->cache)),
	};
	if (!sites->by_id || !sites->roles || !sites->cache)
		r = err_nomem(err);
	if (r == 0)
		r = recorded_sites_fill(sites, err);
	if (r == 0 && events->nomem)
		r = err_nomem(err);
	if (r < 0)
		recorded_sites_done(sites);
	return r;
}

void recorded_sites_done(struct recorded_sites *sites)
{
	free(sites->list);
	free(sites->next);
	free(sites->by_id);
	free(sites->roles);
	free(sites->cache);
	free(sites->functions);
	u64_map_done(&sites->addresses);
	arena_done(&sites->arena);
	*sites = (struct recorded_sites){ 0 };
}

/* Adds the sites of one function, which has the name @name. */
static int recorded_function_match(struct recorded_sites *sites, struct recorded_function *function,
				   const char *name)
{
	for (size_t i = sites->n_first; i-- > 0;) {
		struct count_site site = sites->list[i];
		struct event_format *format;

		if (!sites->patterns[i] || !pattern_match(sites->patterns[i], name, strlen(name)))
			continue;
		format = arena_zalloc(&sites->arena, 1, sizeof(*format));
		if (!format)
			return -ENOMEM;
		*format = *site.format;
		format->name = name;
		site.format = format;
		if (recorded_sites_add(sites, &site) < 0)
			return -ENOMEM;
		sites->next[sites->n - 1] = function->first;
		function->first = (uint32_t)sites->n - 1;
	}
	return 0;
}

struct recorded_function *recorded_sites_function(struct recorded_sites *sites, uint64_t address)
{
	struct recorded_function *function =
		u64_map_element(&sites->addresses, address, &sites->functions, &sites->n_functions,
				&sites->cap_functions, sizeof(*function));
	const struct kallsyms_symbol *symbol;

	if (!function || function->is_known)
		return function;
	function->is_known = true;
	function->first = RECORDED_NO_SITE;
	function->address = address;
	symbol = sites->kallsyms ? kallsyms_function(sites->kallsyms, sites->cache, address) : NULL;
	if (!symbol)
		return function;
	function->address = symbol->address;
	if (recorded_function_match(sites, function, kallsyms_name(sites->kallsyms, symbol)) < 0)
		return NULL;
	return function;
}
