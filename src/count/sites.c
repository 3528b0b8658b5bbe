/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/sites.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/pattern/pattern.h"
#include "base/str.h"
#include "base/strbuf.h"
#include "count/function-format.h"
#include "kernel/events/events.h"
#include "kernel/events/functions.h"
#include "read/filter.h"
#include "symbols/btf/types.h"

struct count_finder {
	struct count_sites *sites;
	const struct count_plan *plan;
	int tracefs;
	struct types *types; /* NULL: no BTF */
	/*
	 * The probes of BPF_TRACE_KPROBE_MULTI use the function graph tracer, which has no limit on
	 * the number of calls in progress. Unlike traced functions, they cannot be preempted, which
	 * would make the kernel skip the program on that CPU.
	 */
	bool has_graph;
	bool is_begin;
	enum count_functions how;
	struct fathom_err *err;
};

void count_sites_done(struct count_sites *sites)
{
	free(sites->list);
	free(sites->targets);
	arena_done(&sites->arena);
	*sites = (struct count_sites){ 0 };
}

static int count_sites_add(struct count_finder *finder, const struct count_source *source,
			   const struct event_format *format, struct count_target target)
{
	struct count_sites *sites = finder->sites;

	if (mem_reserve(&sites->list, &sites->cap, sites->n + 1, sizeof(*sites->list)) < 0 ||
	    mem_reserve(&sites->targets, &sites->cap_targets, sites->n + 1,
			sizeof(*sites->targets)) < 0)
		return err_nomem(finder->err);
	sites->list[sites->n] = (struct count_site){ .source = source,
						     .format = format,
						     .is_begin = finder->is_begin };
	sites->targets[sites->n++] = target;
	return 0;
}

static int count_sites_add_event(struct count_finder *finder, const struct count_source *source,
				 const char *system, const char *name)
{
	const struct event_abi abi = { .long_size = sizeof(long),
				       .big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct event_format *format;
	char path[256];
	int r;

	if ((size_t)snprintf(path, sizeof(path), "events/%s/%s/format", system, name) >=
	    sizeof(path))
		return err_set(finder->err, -ENOENT, "no event '%s:%s'", system, name);
	r = file_read(finder->tracefs, path, &text);
	if (r == -EACCES || r == -EPERM)
		return err_set_errno(finder->err, r, "cannot read the format of event '%s:%s'",
				     system, name);
	if (r < 0)
		return err_set(finder->err, -ENOENT,
			       "no event '%s:%s' in this kernel; see 'fathom list -e'", system,
			       name);
	system = arena_strdup(&finder->sites->arena, system);
	if (!system)
		return err_nomem(finder->err);
	r = event_format_parse(text.s, text.len, system, abi, &finder->sites->arena, &format,
			       finder->err);
	return r < 0 ? r : count_sites_add(finder, source, format, (struct count_target){ 0 });
}

static int count_sites_add_events(struct count_finder *finder, const struct count_source *source)
{
	struct arena arena = { 0 };
	struct events events = { 0 };
	const struct pattern *system, *name;
	size_t before = finder->sites->n;
	int r;

	if (!pattern_is_glob(source->system, strlen(source->system)) &&
	    !pattern_is_glob(source->name, strlen(source->name)))
		return count_sites_add_event(finder, source, source->system, source->name);
	r = events_read(finder->tracefs, &events, finder->err);
	if (r == 0)
		r = pattern_compile(&arena, PATTERN_GLOB, 0, source->system, strlen(source->system),
				    &system, finder->err);
	if (r == 0)
		r = pattern_compile(&arena, PATTERN_GLOB, 0, source->name, strlen(source->name),
				    &name, finder->err);
	for (size_t i = 0; r == 0 && i < events.n; i++) {
		const struct event *event = &events.list[i];

		/* Programs cannot be attached to events of the tracers. */
		if (!str_eq(event->system, "ftrace") &&
		    pattern_match(system, event->system, strlen(event->system)) &&
		    pattern_match(name, event->name, strlen(event->name)))
			r = count_sites_add_event(finder, source, event->system, event->name);
	}
	if (r == 0 && finder->sites->n == before)
		r = err_set(finder->err, -ENOENT, "no event matches '%s'; see 'fathom list -e'",
			    source->text);
	events_done(&events);
	arena_done(&arena);
	return r;
}

/* Adds the site of one function: its entry or its return. */
static int count_sites_add_function(struct count_finder *finder, const struct count_source *source,
				    const char *module, const char *name, uint64_t pair)
{
	const bool is_traced = finder->how == COUNT_TRACED;
	const enum function_context context =
		is_traced ? source->is_return ? FUNCTION_TRACED_EXIT : FUNCTION_TRACED_ENTRY :
		source->is_return ? FUNCTION_RETURN :
				    FUNCTION_ENTRY;
	struct event_format *format;
	const char *copy = arena_strdup(&finder->sites->arena, name), **names = NULL;
	uint32_t id;

	if (!copy || function_format_new(finder->types, module, copy, context,
					 &finder->sites->arena, &format, &id) < 0)
		return err_nomem(finder->err);
	if (is_traced && finder->has_graph)
		return err_set(finder->err, -ENOTSUP, "not needed in this kernel");
	if (is_traced && !id)
		return err_set(finder->err, -ENOTSUP, "function '%s' cannot be traced by BPF",
			       name);
	if (finder->has_graph && finder->plan->n_begins) {
		names = arena_alloc(&finder->sites->arena, sizeof(*names));
		if (!names)
			return err_nomem(finder->err);
		*names = copy;
	}
	return count_sites_add(finder, source, format,
			       (struct count_target){ .function = copy,
						      .is_return = source->is_return,
						      .traced = is_traced ? id : 0,
						      .functions = names,
						      .n_functions = names ? 1 : 0,
						      .pair = pair });
}

/* Adds one site for all of @names, which becomes part of it. */
static int count_sites_add_shared(struct count_finder *finder, const struct count_source *source,
				  const char **names, size_t n)
{
	struct event_format *format = arena_zalloc(&finder->sites->arena, 1, sizeof(*format));

	if (!format)
		return err_nomem(finder->err);
	format->system = "kernel";
	format->name = source->name;
	format->abi.long_size = sizeof(long);
	return count_sites_add(finder, source, format,
			       (struct count_target){ .function = source->name,
						      .is_return = source->is_return,
						      .functions = names,
						      .n_functions = n });
}

static int count_sites_add_matching(struct count_finder *finder, const struct count_source *source,
				    const struct functions *functions,
				    const struct pattern *pattern)
{
	struct arena *arena = &finder->sites->arena;
	const char **names = arena_zalloc(arena, COUNT_FUNCTIONS_MAX, sizeof(*names));
	size_t n = 0;
	int r = 0;

	if (!names)
		return err_nomem(finder->err);
	for (size_t i = 0; r == 0 && i < functions->n; i++) {
		const struct function *function = &functions->list[i];

		/* A name that several functions have cannot be probed by name. */
		if (function->same > 1 || function->dropped ||
		    !pattern_match(pattern, function->name, strlen(function->name)))
			continue;
		if (n == COUNT_FUNCTIONS_MAX)
			return err_set(finder->err, -E2BIG,
				       "'%s' matches more than %d functions: use a narrower "
				       "pattern",
				       source->text, COUNT_FUNCTIONS_MAX);
		names[n++] = arena_strdup(arena, function->name);
		if (!names[n - 1])
			return err_nomem(finder->err);
		if (finder->how != COUNT_SHARED)
			r = count_sites_add_function(finder, source, function->module,
						     function->name, n);
	}
	if (r == 0 && n == 0)
		return err_set(finder->err, -ENOENT,
			       "no kernel function matches '%s'; see 'fathom list -f'",
			       source->text);
	return r == 0 && finder->how == COUNT_SHARED ?
		       count_sites_add_shared(finder, source, names, n) :
		       r;
}

static int count_sites_add_functions(struct count_finder *finder, const struct count_source *source)
{
	struct arena arena = { 0 };
	struct functions functions = { 0 };
	const struct pattern *pattern;
	int r;

	if (!pattern_is_glob(source->name, strlen(source->name)))
		return count_sites_add_function(finder, source, NULL, source->name, 1);
	r = functions_read(finder->tracefs, false, &functions, finder->err);
	if (r == 0)
		r = pattern_compile(&arena, PATTERN_GLOB, 0, source->name, strlen(source->name),
				    &pattern, finder->err);
	if (r == 0)
		r = count_sites_add_matching(finder, source, &functions, pattern);
	functions_done(&functions);
	arena_done(&arena);
	return r;
}

static int count_sites_add_source(struct count_finder *finder, const struct count_source *source)
{
	static const struct event_format profile = { .system = "perf", .name = "profile" };

	switch (source->kind) {
	case COUNT_EVENT:
		return count_sites_add_events(finder, source);
	case COUNT_FUNCTION:
		return count_sites_add_functions(finder, source);
	default:
		return count_sites_add(finder, source, &profile, (struct count_target){ 0 });
	}
}

/* Tasks are known in the kernel. Never called: programs ask the kernel. */
static const char *count_sites_comm(void *arg, const struct filter_event *event)
{
	(void)arg;
	(void)event;
	return NULL;
}

static bool count_sites_tgid(void *arg, const struct filter_event *event, int32_t *ret_tgid)
{
	(void)arg;
	(void)event;
	(void)ret_tgid;
	return false;
}

/*
 * Binds @filter to the formats of the sites of @source or, if that is NULL, of all begins or all
 * others.
 */
static int count_sites_bind(const struct count_sites *sites, struct filter *filter,
			    const struct count_source *source, bool is_begin,
			    struct fathom_err *err)
{
	_cleanup_free_ const struct event_format **formats =
		mem_zalloc(sites->n + 1, sizeof(void *));
	const struct filter_env env = { .comm = count_sites_comm, .tgid = count_sites_tgid };
	size_t n = 0;

	if (!formats)
		return err_nomem(err);
	for (size_t i = 0; i < sites->n; i++)
		if (source ? sites->list[i].source == source : sites->list[i].is_begin == is_begin)
			formats[n++] = sites->list[i].format;
	return filter_bind(filter, formats, n, &env, err);
}

static int count_sites_bind_sources(const struct count_sites *sites,
				    const struct count_source *sources, size_t n,
				    struct fathom_err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		if (sources[i].filter) {
			r = count_sites_bind(sites, sources[i].filter, &sources[i], false, err);
			if (r < 0)
				err_prefix(err, "filter '%s'", sources[i].filter_text);
		}
	return r;
}

/* The filter of the plan is about what is counted, or else about where that begins. */
static int count_sites_bind_plan(struct count_sites *sites, const struct count_plan *plan,
				 struct fathom_err *err)
{
	bool is_begin = false;
	int r;

	if (!plan->filter)
		return 0;
	r = count_sites_bind(sites, plan->filter, NULL, false, err);
	if (r == -ENOENT && plan->n_begins) {
		is_begin = true;
		r = count_sites_bind(sites, plan->filter, NULL, true, err);
	}
	if (r < 0) {
		err_prefix(err, "filter '%s'", plan->filter_text);
		return r;
	}
	for (size_t i = 0; i < sites->n; i++)
		if (sites->list[i].is_begin == is_begin)
			sites->list[i].filter = plan->filter;
	return 0;
}

/* At its exit, a traced function still has its arguments: begins are only needed for times. */
static bool count_sites_needs_begins(const struct count_plan *plan, enum count_functions how)
{
	if (how != COUNT_TRACED || plan->is_latency)
		return true;
	for (size_t i = 0; i < plan->n_begins; i++)
		if (plan->begins[i].filter)
			return true;
	return false;
}

int count_sites_find(struct count_sites *sites, const struct count_plan *plan,
		     enum count_functions how, int tracefs, int btf, struct fathom_err *err)
{
	_cleanup_(types_free_p) struct types *types = NULL;
	struct count_finder finder = {
		.sites = sites, .plan = plan, .tracefs = tracefs, .how = how, .err = err
	};
	struct type graph;
	int r = 0;

	if (btf >= 0 && types_new(btf, &types, NULL) == 0) {
		finder.types = types;
		finder.has_graph = types_find(types, NULL, "struct fprobe_hlist", &graph) == 0;
	}
	for (size_t i = 0; r == 0 && i < plan->n_sources; i++)
		r = count_sites_add_source(&finder, &plan->sources[i]);
	finder.is_begin = true;
	for (size_t i = 0; r == 0 && count_sites_needs_begins(plan, how) && i < plan->n_begins; i++)
		r = count_sites_add_source(&finder, &plan->begins[i]);
	if (r == 0)
		r = count_sites_bind_sources(sites, plan->sources, plan->n_sources, err);
	if (r == 0)
		r = count_sites_bind_sources(sites, plan->begins, plan->n_begins, err);
	return r < 0 ? r : count_sites_bind_plan(sites, plan, err);
}

static int count_target_compare(const void *a, const void *b)
{
	const struct count_target *const *x = a, *const *y = b;

	return strcmp((*x)->function, (*y)->function);
}

int count_sites_locate(struct count_sites *sites, char *kallsyms)
{
	_cleanup_free_ struct count_target **sorted = mem_zalloc(sites->n + 1, sizeof(void *));
	size_t n = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < sites->n; i++)
		if (sites->targets[i].function && sites->targets[i].n_functions <= 1)
			sorted[n++] = &sites->targets[i];
	qsort(sorted, n, sizeof(void *), count_target_compare);
	for (char *line; n && (line = str_next_line(&kallsyms));) {
		const char *p = line;
		const uint64_t address = str_hex(&p);
		struct count_target wanted = { 0 }, *key = &wanted, **found;

		/* "ADDRESS TYPE NAME", for modules followed by a tab and the module. */
		if (p[0] != ' ' || !p[1] || p[2] != ' ')
			continue;
		line[strcspn(line, "\t")] = '\0';
		wanted.function = p + 3;
		found = bsearch(&key, sorted, n, sizeof(void *), count_target_compare);
		if (!found)
			continue;
		while (found > sorted && count_target_compare(found - 1, &key) == 0)
			found--;
		for (; found < sorted + n && count_target_compare(found, &key) == 0; found++)
			if (!(*found)->address)
				(*found)->address = address;
	}
	return 0;
}
