/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finds the places of a probe in its file. Errors include their place in the text. */
#include "symbols/probe/probe-parts.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/pattern/match.h"
#include "symbols/dwarf/program-types.h"
#include "symbols/elf/elf-symbols.h"
#include "symbols/probe/usdt.h"
#include "symbols/user/user-program.h"

/* Limits the casts in one probe that are looked up in debug information. */
#define CASTS_MAX 32
/* Limits names likewise. */
#define NAMES_MAX 128

#define fail(...) probe_finder_fail(__VA_ARGS__)

static int probe_sites_unknown_function(const struct probe_finder *finder)
{
	const struct probe *probe = finder->probe;
	const char *hint = user_program_nearest(finder->program, probe->function);
	const char *lack = elf_symbols_lack_text(finder->program->lack);

	if (strpbrk(probe->function, "*?["))
		return fail(finder, probe->function_at,
			    "no function in '%.80s' matches "
			    "'%.60s'%s%s",
			    finder->path, probe->function, *lack ? ": " : "", lack);
	if (hint)
		return fail(finder, probe->function_at,
			    "no function '%.60s' in '%.80s'; did you mean '%.60s'?",
			    probe->function, finder->path, hint);
	return fail(finder, probe->function_at, "no function '%.60s' in '%.80s'%s%s",
		    probe->function, finder->path,
		    *lack ? ": " : ": it may be inlined everywhere, or be in a library", lack);
}

/* Returns why a function cannot be probed; NULL: it can. */
static const char *probe_sites_obstacle(const struct probe_finder *finder,
					const struct user_function *function)
{
	if (function->is_indirect)
		return "its implementation is selected at load time (IFUNC): probe the "
		       "implementations, which have names of their own in the symbol table";
	if (function->is_piece && probe_is_return(finder->probe))
		return "part of a function that does not return";
	return NULL;
}

static int find_functions(struct probe_finder *finder)
{
	const struct probe *probe = finder->probe;
	struct probe_sites *sites = finder->sites;
	struct user_function *list;
	struct fathom_err why = { 0 };
	size_t n;
	int r = user_program_find(finder->program, probe->function, &sites->arena, &list, &n, &why);

	if (r == -ENOMEM || (r == 0 && probe_make_room(finder, n) < 0))
		return err_nomem(finder->err);
	if (r < 0)
		return fail(finder, probe->function_at, "%.100s", why.message);
	sites->matched = n;
	for (size_t i = 0; i < n; i++) {
		const char *no = probe_sites_obstacle(finder, &list[i]);
		struct probe_site site = probe_new_site(
			finder, arena_strdup(&sites->arena, list[i].name), list[i].offset);

		if (!site.function)
			return err_nomem(finder->err);
		if (no) {
			sites->why_not = no;
			continue;
		}
		if (probe->offset && list[i].size && probe->offset >= list[i].size)
			return fail(finder, probe->function_at,
				    "offset beyond the end of '%.60s', which has 0x%" PRIx64
				    " bytes",
				    site.function, list[i].size);
		site.offset += probe->offset;
		probe_add_site(finder, &site);
	}
	if (n && !sites->n)
		return fail(finder, probe->function_at, "'%.60s' cannot be probed: %s",
			    probe->function, sites->why_not);
	return n ? 0 : probe_sites_unknown_function(finder);
}

static int probe_sites_find_place(struct probe_finder *finder)
{
	const struct probe *probe = finder->probe;
	struct probe_site site = probe_new_site(finder, NULL, probe->offset);

	if (!user_program_has_code(finder->program, probe->offset))
		return fail(finder, probe->function_at, "no code at this file offset of '%.100s'",
			    finder->path);
	if (probe_make_room(finder, 1) < 0)
		return -ENOMEM;
	finder->sites->matched = 1;
	probe_add_site(finder, &site);
	return 0;
}

static int unknown_marker(const struct probe_finder *finder, const struct usdt_marker *markers,
			  size_t n)
{
	const struct probe *probe = finder->probe;
	struct nearest nearest = { .wanted = probe->function };
	size_t same = 0;

	for (size_t i = 0; i < n; i++) {
		if (str_eq(markers[i].provider, probe->provider)) {
			nearest_offer(&nearest, markers[i].name);
			same++;
		}
	}
	if (nearest_pick(&nearest))
		return fail(finder, probe->function_at,
			    "no marker '%.40s:%.40s' in '%.80s'; did you mean '%.40s'?",
			    probe->provider, probe->function, finder->path, nearest_pick(&nearest));
	nearest = (struct nearest){ .wanted = probe->provider };
	for (size_t i = 0; i < n && !same; i++)
		nearest_offer(&nearest, markers[i].provider);
	if (nearest_pick(&nearest))
		return fail(finder, probe->function_at,
			    "'%.80s' has no markers of provider '%.40s'; did you mean '%.40s'?",
			    finder->path, probe->provider, nearest_pick(&nearest));
	if (!n)
		return fail(finder, probe->function_at, "no markers in '%.100s'", finder->path);
	return fail(finder, probe->function_at, "no marker '%.40s:%.40s' in '%.80s'",
		    probe->provider, probe->function, finder->path);
}

static int add_markers(const struct probe_finder *finder, const struct usdt_marker *markers,
		       size_t n, const struct match *provider, const struct match *name)
{
	struct probe_sites *sites = finder->sites;

	for (size_t i = 0; i < n; i++) {
		struct probe_site site;

		if (!match_test(provider, markers[i].provider) ||
		    !match_test(name, markers[i].name))
			continue;
		site = probe_new_site(finder,
				      arena_printf(&sites->arena, "%s_%s", markers[i].provider,
						   markers[i].name),
				      markers[i].offset);
		site.counter = markers[i].counter;
		site.arguments = markers[i].arguments;
		if (!site.function)
			return err_nomem(finder->err);
		probe_add_site(finder, &site);
	}
	sites->matched = sites->n;
	return 0;
}

static int find_markers(struct probe_finder *finder)
{
	const struct probe *probe = finder->probe;
	struct match provider, name;
	struct usdt_marker *markers;
	struct fathom_err why = { 0 };
	size_t n;
	int r = usdt_read(&finder->program->elf, &finder->sites->arena, &markers, &n);

	if (r < 0 || probe_make_room(finder, n) < 0)
		return err_nomem(finder->err);
	r = match_init(&provider, probe->provider, MATCH_WHOLE, &why);
	if (r == 0) {
		r = match_init(&name, probe->function, MATCH_WHOLE, &why);
		if (r == 0) {
			r = add_markers(finder, markers, n, &provider, &name);
			match_done(&name);
		}
		match_done(&provider);
	}
	if (r == -ENOMEM)
		return err_nomem(finder->err);
	if (r < 0)
		return fail(finder, probe->function_at, "%.100s", why.message);
	return finder->sites->n ? 0 : unknown_marker(finder, markers, n);
}

/* Collects names in the values of the probe: types of casts, or possible variables. */
static size_t list_nodes(const struct probe *probe, enum node_op op, const char **list, size_t room)
{
	size_t n = 0;

	for (const struct probe_arg *arg = probe->args; arg; arg = arg->next)
		for (const struct probe_node *node = arg->node; node; node = node->inner)
			if (node->op == op && n < room)
				list[n++] = node->name;
	return n;
}

/* Returns the address of a place, as in the file. */
static bool address_of(const struct probe_finder *finder, const struct probe_site *site,
		       uint64_t *ret)
{
	if (site->symbol)
		return user_program_symbol(finder->program, site->symbol, ret) &&
		       !__builtin_add_overflow(*ret, site->offset, ret);
	return elf_file_address(&finder->program->elf, site->offset, ret);
}

/* At the start of a function, its parameters are available; elsewhere, variables. */
static int want_sites(const struct probe_finder *finder, struct program_wanted *wanted)
{
	const struct probe *probe = finder->probe;
	const struct probe_sites *sites = finder->sites;
	struct arena *arena = &finder->sites->arena;
	struct program_function *functions = arena_zalloc(arena, sites->n + 1, sizeof(*functions));
	bool inside = probe->offset || probe->is_place || probe->source;

	wanted->places = arena_zalloc(arena, sites->n + 1, sizeof(*wanted->places));
	if (!functions || !wanted->places)
		return err_nomem(finder->err);
	wanted->functions = functions;
	for (size_t i = 0; i < sites->n && probe->kind != PROBE_MARKER; i++) {
		struct probe_site *site = &sites->list[i];
		uint64_t address;

		if (!address_of(finder, site, &address))
			continue;
		if (inside) {
			site->scope = arena_printf(arena, "__place_%zu", i);
			if (!site->scope)
				return err_nomem(finder->err);
			wanted->places[wanted->n_places++] =
				(struct program_place){ address, site->scope, NULL, 0 };
		} else if (!strchr(site->function, '.')) {
			/* A clone made by the compiler may have other parameters. */
			functions[wanted->n_functions++] =
				(struct program_function){ site->function, address };
		}
	}
	return 0;
}

/*
 * Stores the variables in their places. A fixed address becomes relative to the probe, or to the
 * start of the kernel.
 */
static void place_variables(const struct probe_finder *finder, const struct program_wanted *wanted)
{
	struct probe_sites *sites = finder->sites;
	uint64_t text = 0;

	if (!probe_is_user(finder->probe))
		user_program_symbol(finder->program, "_text", &text);
	for (size_t i = 0, k = 0; i < sites->n; i++) {
		struct probe_site *site = &sites->list[i];
		const struct program_place *place = &wanted->places[k];

		if (!site->scope)
			continue;
		k++;
		site->variables = place->variables;
		if (!place->variables) {
			site->scope = NULL;
			continue;
		}
		for (size_t j = 0; j < place->n; j++) {
			struct variable_place *v = &place->variables[j];

			if (v->kind == VARIABLE_FIXED && site->symbol && !text)
				*v = (struct variable_place){ .why = "the file has no '_text'" };
			if (v->kind == VARIABLE_FIXED)
				v->number -= (int64_t)(site->symbol ? text : place->address);
		}
	}
}

/* Types are needed only if the probe has values. */
static int find_types(struct probe_finder *finder)
{
	const struct probe *probe = finder->probe;
	struct probe_sites *sites = finder->sites;
	const char *casts[CASTS_MAX], *names[NAMES_MAX];
	_cleanup_close_ int fd = probe->args ? user_program_open_debug(finder->program) : -1;
	struct program_wanted wanted = { .fd = fd,
					 .program_fd = finder->program->fd,
					 .types = casts,
					 .names = names,
					 .arena = &sites->arena };
	int r = fd == -ENOMEM ? err_nomem(finder->err) : want_sites(finder, &wanted);

	if (r < 0)
		return r;
	wanted.n_types = list_nodes(probe, NODE_CAST, casts, CASTS_MAX);
	wanted.n_names = list_nodes(probe, NODE_NAME, names, NAMES_MAX);
	r = program_types_new(fd >= 0 ? &wanted : NULL, &sites->types);
	if (r < 0)
		return err_nomem(finder->err);
	sites->has_debug_information = r > 0;
	place_variables(finder, &wanted);
	return 0;
}

static int find_in_program(struct probe_finder *finder, const struct probe_where *where)
{
	const struct probe *probe = finder->probe;
	int r = probe_is_user(probe) ? probe_finder_open(finder, where) :
				       probe_open_kernel(finder, where);

	if (r < 0)
		return r;
	if (probe->kind == PROBE_USER_RETURN && user_program_is_go(finder->program))
		return fail(finder, probe->file_at,
			    "return probes crash Go programs, which move their stacks: use 'u:'");
	if (probe->kind == PROBE_MARKER)
		r = find_markers(finder);
	else if (probe->source)
		r = probe_find_lines(finder);
	else
		r = probe->is_place ? probe_sites_find_place(finder) : find_functions(finder);
	return r < 0 ? r : find_types(finder);
}

int probe_sites_find(const struct probe_where *where, const struct probe *probe,
		     struct probe_sites *ret_sites, struct fathom_err *err)
{
	_cleanup_probe_sites_ struct probe_sites sites = { .n = 1, .matched = 1 };
	_cleanup_(probe_finder_done) struct probe_finder finder = { .probe = probe,
								    .sites = &sites,
								    .err = err };
	int r;

	if (probe_is_user(probe) || probe->source) {
		sites.n = 0;
		r = find_in_program(&finder, where);
	} else {
		sites.list = arena_zalloc(&sites.arena, 1, sizeof(*sites.list));
		r = sites.list ? 0 : err_nomem(err);
	}
	if (r < 0)
		return r;
	*ret_sites = TAKE_STRUCT(sites, { 0 });
	return 0;
}

void probe_sites_done(struct probe_sites *sites)
{
	types_free(sites->types);
	arena_done(&sites->arena);
	*sites = (struct probe_sites){ 0 };
}

struct probe_machine probe_sites_machine(const struct probe_sites *sites, size_t i,
					 const struct probe_machine *kernel)
{
	if (!sites->types)
		return *kernel;
	return (struct probe_machine){ kernel->abi, sites->types, &sites->list[i],
				       sites->has_debug_information };
}

/* Returns the name and the type of the next value at or after *@p in a line. False: no more. */
static bool next_value(const char **p, const char **name, size_t *name_len, const char **type)
{
	const char *start = strchr(*p, ' ');
	const char *end, *equals;

	if (!start)
		return false;
	start++;
	end = start + strcspn(start, " ");
	equals = memchr(start, '=', (size_t)(end - start));
	*name = start;
	*name_len = (size_t)((equals ? equals : end) - start);
	*type = memrchr(start, ':', (size_t)(end - start));
	*p = end;
	return true;
}

bool probe_lines_are_alike(const char *a, const char *b)
{
	const char *name_a, *name_b, *type_a, *type_b;
	size_t len_a, len_b;

	/* The place follows the first space. */
	a = strchr(a, ' ') ? strchr(a, ' ') + 1 : "";
	b = strchr(b, ' ') ? strchr(b, ' ') + 1 : "";
	for (;;) {
		bool more_a = next_value(&a, &name_a, &len_a, &type_a);
		bool more_b = next_value(&b, &name_b, &len_b, &type_b);

		if (!more_a || !more_b)
			return more_a == more_b;
		if (len_a != len_b || strncmp(name_a, name_b, len_a) != 0 || !type_a != !type_b)
			return false;
		len_a = type_a ? (size_t)(a - type_a) : 0;
		len_b = type_b ? (size_t)(b - type_b) : 0;
		if (len_a != len_b || (type_a && strncmp(type_a, type_b, len_a) != 0))
			return false;
	}
}
