/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/machine/explain-find.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"
#include "kernel/events/events.h"
#include "kernel/events/function-hint.h"
#include "kernel/events/functions.h"
#include "kernel/events/kprobe-profile.h"
#include "kernel/tracefs/tracefs.h"
#include "symbols/btf/btf.h"
#include "symbols/btf/types.h"
#include "symbols/kernel/kallsyms.h"

/* Maximum distance of the traced instruction from the start of the function. */
#define ENTRY_MAX 32

/* State of one query. */
struct finder {
	const struct explain_query *query;
	struct explanation *e;
	const char *name; /* the function, which for a system call differs from the name */
	const char *source_name; /* name in the source; NULL: @name */
	struct strbuf kallsyms, blacklist, readme;
	struct tracefs tracefs;
	struct functions functions;
	struct events events;
	bool has_functions, has_events, has_blacklist;
	size_t n_traceable;
	bool has_btf; /* the kernel has type information */
	bool is_typed; /* and it contains the function */
	struct fathom_err *err;
};

static void explain_find_finder_done(struct finder *f)
{
	if (f->has_functions)
		functions_done(&f->functions);
	if (f->has_events)
		events_done(&f->events);
	strbuf_done(&f->kallsyms);
	strbuf_done(&f->blacklist);
	strbuf_done(&f->readme);
	tracefs_done(&f->tracefs);
}

static int explain_find_note(struct finder *f, const char *text)
{
	f->e->notes = arena_printf(&f->e->arena, "%s%s\n", f->e->notes, text);
	return f->e->notes ? 0 : -ENOMEM;
}

/* Reads what can be read, and reports what cannot. */
static int look_around(struct finder *f)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/kallsyms", f->query->root);
	struct fathom_err why = { 0 };
	int r = path ? 0 : -ENOMEM;

	if (r == 0 && !f->query->plain)
		r = tracefs_find(f->query->root, &f->tracefs, f->err);
	if (r == 0 && !strchr(f->name, ':') && file_read(AT_FDCWD, path, &f->kallsyms) == -ENOMEM)
		r = -ENOMEM;
	if (r < 0 || f->query->plain)
		return r;
	r = kprobe_blacklist_read(f->query->root, &f->blacklist);
	f->has_blacklist = r == 0;
	if (r == -ENOMEM)
		return r;
	if (!tracefs_readable(&f->tracefs)) {
		char text[400];

		snprintf(text, sizeof(text), "unknown whether it can be traced: %s%s%s",
			 tracefs_obstacle(&f->tracefs), *tracefs_advice(&f->tracefs) ? "; " : "",
			 tracefs_advice(&f->tracefs));
		return explain_find_note(f, text);
	}
	f->has_events = events_read(f->tracefs.fd, &f->events, &why) == 0;
	return file_read(f->tracefs.fd, "README", &f->readme) == -ENOMEM || why.code == -ENOMEM ?
		       -ENOMEM :
		       0;
}

static bool explain_find_is_code(char type)
{
	return strchr("tTwW", type) != NULL;
}

/* Returns whether @symbol is the name, or a variant of it made by the compiler. */
static bool explain_find_is_meant(const char *symbol, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len >= n && strncmp(symbol, name, n) == 0 && (len == n || symbol[n] == '.');
}

/* Parses "ADDRESS TYPE NAME[\t[MODULE]]". */
static int explain_find_add_symbol(struct finder *f, const char *line, const char *symbol,
				   size_t len)
{
	struct explanation *e = f->e;
	struct explained_symbol s = { .address = strtoull(line, NULL, 16), .type = symbol[-2] };

	s.name = arena_strndup(&e->arena, symbol, len);
	if (symbol[len] == '\t' && symbol[len + 1] == '[') {
		s.module = arena_strndup(&e->arena, symbol + len + 2,
					 strcspn(symbol + len + 2, "]\n"));
		if (!s.module)
			return -ENOMEM;
	}
	if (!s.name || mem_reserve(&e->symbols, &e->cap_symbols, e->n_symbols + 1, sizeof(s)) < 0)
		return -ENOMEM;
	e->has_hidden |= !s.address;
	e->is_function |= explain_find_is_code(s.type);
	e->symbols[e->n_symbols++] = s;
	return 0;
}

/* Goes line by line: the list has some 200,000 lines, most of which contain a short name somewhere. */
static int find_symbols(struct finder *f, const char *name)
{
	const char *line = strbuf_str(&f->kallsyms), *end;
	int r = 0;

	for (; *name && *line && r == 0; line = *end ? end + 1 : end) {
		const char *symbol = line + strspn(line, "0123456789abcdef");
		size_t len;

		end = strchrnul(line, '\n');
		if (end - symbol < 4 || symbol[0] != ' ' || symbol[2] != ' ')
			continue;
		symbol += 3;
		len = strcspn(symbol, "\t\n");
		if (explain_find_is_meant(symbol, len, name))
			r = explain_find_add_symbol(f, line, symbol, len);
	}
	return r;
}

/* Counts the symbols with the name of @s in its module. */
static size_t count_same(const struct explanation *e, const struct explained_symbol *s)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_symbols; i++)
		n += explain_find_is_code(e->symbols[i].type) &&
		     str_eq(e->symbols[i].name, s->name) && !e->symbols[i].module == !s->module &&
		     (!s->module || str_eq(e->symbols[i].module, s->module));
	return n;
}

/*
 * Returns whether it is a traceable function. Functions with the same name are distinguished by
 * their addresses, if known: those in the kernel's list are of the first instruction that it
 * patches.
 */
static enum explained_answer is_traceable(const struct finder *f, const struct explained_symbol *s)
{
	size_t n, same = count_same(f->e, s), fit = 0;
	const struct function *list = functions_find(&f->functions, s->name, &n);

	for (size_t i = 0; i < n; i++) {
		bool same_module = list[i].module ? s->module && str_eq(s->module, list[i].module) :
						    !s->module;

		if (list[i].dropped || !same_module)
			continue;
		fit++;
		if (same > 1 && list[i].addr && s->address && list[i].addr >= s->address &&
		    list[i].addr < s->address + ENTRY_MAX)
			return EXPLAINED_YES;
	}
	if (!fit)
		return EXPLAINED_NO;
	if (fit >= same)
		return EXPLAINED_YES;
	return f->functions.has_addrs && s->address ? EXPLAINED_NO : EXPLAINED_UNKNOWN;
}

/* The list is slow to read, and slower with addresses, which a unique name does not need. */
static int read_functions(struct finder *f)
{
	const struct explanation *e = f->e;
	bool has_same = false;
	int r;

	if (!tracefs_readable(&f->tracefs) || strchr(f->name, ':'))
		return 0;
	for (size_t i = 0; i < e->n_symbols && !has_same; i++)
		has_same = count_same(e, &e->symbols[i]) > 1;
	r = functions_read(f->tracefs.fd, has_same, &f->functions, NULL);
	f->has_functions = r == 0;
	return r == -ENOMEM ? r : 0;
}

/* Determines which of the functions can be traced. */
static int find_traceable(struct finder *f)
{
	struct explanation *e = f->e;
	bool has_same = false;
	int r;

	if (!f->has_functions || !e->is_function)
		return 0;
	/* Slow, and only needed for functions with the same name. */
	for (size_t i = 0; i < e->n_symbols && !has_same; i++)
		has_same = count_same(e, &e->symbols[i]) > 1;
	r = has_same && f->kallsyms.s && !f->functions.has_addrs ?
		    functions_locate(&f->functions, f->kallsyms.s) :
		    0;
	if (r < 0)
		return r;
	for (size_t i = 0; i < e->n_symbols; i++) {
		if (!explain_find_is_code(e->symbols[i].type))
			continue;
		e->symbols[i].traceable = is_traceable(f, &e->symbols[i]);
		f->n_traceable += e->symbols[i].traceable != EXPLAINED_NO;
	}
	return 0;
}

static int open_btf(const struct finder *f)
{
	_cleanup_free_ char *path = mem_printf("%s/sys/kernel/btf", f->query->root);

	return path ? open(path, O_PATH | O_DIRECTORY | O_CLOEXEC) : -1;
}

static int print_prototypes(struct finder *f, struct prototypes *prototypes, struct strbuf *text)
{
	const struct explanation *e = f->e;
	int r = 0;

	for (size_t i = 0; i < e->n_symbols && r == 0; i++) {
		const struct explained_symbol *s = &e->symbols[i];
		bool is_first = true;

		for (size_t k = 0; k < i && is_first; k++)
			is_first = !s->module != !e->symbols[k].module ||
				   (s->module && !str_eq(s->module, e->symbols[k].module));
		if (!explain_find_is_code(s->type) || !is_first)
			continue;
		if (text->len)
			strbuf_addc(text, '\n');
		r = prototypes_print(prototypes, s->module, f->name, text);
		r = r < 0 ? r : 0;
	}
	return r;
}

static int find_prototypes(struct finder *f)
{
	_cleanup_(prototypes_free_p) struct prototypes *prototypes = NULL;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_close_ int dir = -1;
	struct fathom_err why = { 0 };
	int r;

	if (!f->e->is_function)
		return 0;
	dir = open_btf(f);
	r = dir < 0 ? -ENOENT : prototypes_new(dir, &prototypes, &why);
	if (r < 0) {
		f->e->no_prototype = "this kernel has no type information (BTF)";
		return r == -ENOMEM ? r : 0;
	}
	f->has_btf = true;
	r = print_prototypes(f, prototypes, &text);
	if (r < 0 || text.err)
		return -ENOMEM;
	if (!text.len)
		f->e->no_prototype = "not in the type information (BTF) of the kernel";
	f->is_typed = text.len;
	f->e->prototypes = text.len ? arena_strdup(&f->e->arena, strbuf_str(&text)) : NULL;
	return text.len && !f->e->prototypes ? -ENOMEM : 0;
}

/* Appends "(file, buf, count)" for a probe, or "" if the parameters are unknown. */
static int find_parameters(struct finder *f, const struct explained_symbol *best,
			   const char **ret_text, bool *ret_is_void)
{
	_cleanup_(types_free_p) struct types *types = NULL;
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_close_ int dir = f->is_typed ? open_btf(f) : -1;
	struct type_function function;
	size_t n = 0;

	*ret_text = "";
	*ret_is_void = false;
	if (dir < 0 || types_new(dir, &types, NULL) < 0 ||
	    types_find_function(types, best->module, best->name, &function) < 0)
		return 0;
	*ret_is_void = type_look(function.result).kind == TYPE_VOID;
	for (uint32_t i = 0; i < function.n; i++) {
		struct type_parameter p;

		type_function_parameter(&function, i, type_abi_native(), &p);
		if (!p.why && *p.name)
			quote_addf(&text, "%s%s", n++ ? ", " : "(", p.name);
	}
	if (!n)
		return 0;
	strbuf_addc(&text, ')');
	*ret_text = text.err ? NULL : arena_strdup(&f->e->arena, strbuf_str(&text));
	return *ret_text ? 0 : -ENOMEM;
}

/* Returns the function to trace: the one of exactly this name, or the first traceable one. */
static const struct explained_symbol *find_best(const struct finder *f)
{
	const struct explanation *e = f->e;
	const struct explained_symbol *best = NULL;

	for (size_t i = 0; i < e->n_symbols; i++) {
		const struct explained_symbol *s = &e->symbols[i];
		bool is_exact = str_eq(s->name, f->name);

		if (!explain_find_is_code(s->type))
			continue;
		if (!best || (best->traceable == EXPLAINED_NO && s->traceable != EXPLAINED_NO) ||
		    (is_exact && !str_eq(best->name, f->name) &&
		     (s->traceable != EXPLAINED_NO || best->traceable == EXPLAINED_NO)))
			best = s;
	}
	return best;
}

static int add_way(struct finder *f, const char *name, enum explained_answer answer,
		   const char *text)
{
	if (!text)
		return -ENOMEM;
	f->e->ways[f->e->n_ways++] = (struct explained_way){ name, answer, text };
	return 0;
}

static int add_probe_ways(struct finder *f, const struct explained_symbol *best)
{
	const char *module = best->module ?: "", *colon = best->module ? ":" : "";
	const char *name = best->name;
	struct arena *arena = &f->e->arena;
	bool is_black = kprobe_blacklist_has(&f->blacklist, f->name), is_void;
	bool can = tracefs_readable(&f->tracefs) &&
		   faccessat(f->tracefs.fd, "kprobe_events", F_OK, 0) == 0;
	enum explained_answer answer = is_black || (tracefs_readable(&f->tracefs) && !can) ?
					       EXPLAINED_NO :
				       can ? EXPLAINED_YES :
					     EXPLAINED_UNKNOWN;
	const char *why = is_black		 ? "on the kprobe blacklist of the kernel" :
			  answer == EXPLAINED_NO ? "this kernel has no kprobes" :
						   "unknown without root";
	const char *parameters;
	int r = find_parameters(f, best, &parameters, &is_void);

	if (r == 0)
		r = add_way(f, "kprobe", answer,
			    answer == EXPLAINED_YES ?
				    arena_printf(arena, "fathom record -e 'k:%s%s%s%s'", module,
						 colon, name, parameters) :
				    why);
	if (r == 0)
		r = add_way(f, "kretprobe", answer,
			    answer == EXPLAINED_YES ?
				    arena_printf(arena, "fathom record -e 'kr:%s%s%s%s'", module,
						 colon, name, is_void ? "" : " => ret") :
				    why);
	if (r < 0 || !f->readme.len)
		return r;
	if (!strstr(strbuf_str(&f->readme), "f[:["))
		return add_way(f, "fprobe", EXPLAINED_NO, "this kernel has no fprobes");
	return add_way(f, "fprobe", f->n_traceable ? EXPLAINED_YES : EXPLAINED_NO,
		       f->n_traceable ? arena_printf(arena, "fathom record -e 'f:%s%s%s%s'", module,
						     colon, name, parameters) :
					"requires a traceable function");
}

static int find_ways(struct finder *f)
{
	struct explanation *e = f->e;
	const struct explained_symbol *best = find_best(f);
	int r;

	if (!best || f->query->plain)
		return 0;
	if (!f->has_functions && tracefs_readable(&f->tracefs))
		r = add_way(f, "function_graph", EXPLAINED_NO,
			    "this kernel does not list traceable functions");
	else if (!f->has_functions)
		r = add_way(f, "function_graph", EXPLAINED_UNKNOWN, "unknown without root");
	else if (!f->n_traceable)
		r = add_way(f, "function_graph", EXPLAINED_NO,
			    "excluded by the kernel (notrace, noinstr, or no ftrace entry)");
	else
		r = add_way(f, "function_graph", EXPLAINED_YES,
			    arena_printf(&e->arena, "fathom record -p function_graph -g %s",
					 best->name));
	if (r == 0)
		r = add_probe_ways(f, best);
	if (r < 0 || !f->has_functions)
		return r;
	return add_way(f, "BPF fentry/fexit",
		       f->n_traceable && f->is_typed ? EXPLAINED_YES : EXPLAINED_NO,
		       !f->n_traceable ? "requires a traceable function" :
		       !f->is_typed    ? "its types are unknown" :
					 "attach a program to its entry or exit");
}

static int explain_find_add_event(struct finder *f, const struct event *event)
{
	struct explanation *e = f->e;
	struct explained_event found = { 0 };
	struct event_layout layout = { 0 };
	int r = 0;

	if (mem_reserve(&e->events, &e->cap_events, e->n_events + 1, sizeof(found)) < 0)
		return -ENOMEM;
	found.system = arena_strdup(&e->arena, event->system);
	found.name = arena_strdup(&e->arena, event->name);
	if (!found.system || !found.name)
		return -ENOMEM;
	r = event_layout_read(f->tracefs.fd, event->system, event->name, &layout, NULL);
	if (r == 0) {
		found.fields = arena_zalloc(&e->arena, layout.n_fields + 1, sizeof(char *));
		for (size_t i = 0; found.fields && i < layout.n_fields; i++) {
			if (layout.fields[i].common)
				continue;
			found.fields[found.n_fields] = arena_printf(
				&e->arena, "%s %s", layout.fields[i].type, layout.fields[i].name);
			r = found.fields[found.n_fields++] ? r : -ENOMEM;
		}
		r = found.fields ? r : -ENOMEM;
		event_layout_done(&layout);
	}
	e->events[e->n_events++] = found;
	return r == -ENOMEM ? r : 0;
}

/* Matches NAME, SYSTEM:NAME, or the system call of sys_enter_NAME. */
static bool is_event(struct finder *f, const struct event *event)
{
	const char *name = f->query->name, *colon = strchr(name, ':');
	const char *call = str_after(event->name, "sys_enter_") ?:
								  str_after(event->name, "sys_exit_");

	if (colon)
		return strlen(event->system) == (size_t)(colon - name) &&
		       strncmp(event->system, name, (size_t)(colon - name)) == 0 &&
		       str_eq(event->name, colon + 1);
	if (call && str_eq(event->system, "syscalls") &&
	    str_eq(call, str_after(name, "sys_") ?: name)) {
		f->e->is_syscall = true;
		return true;
	}
	return str_eq(event->name, name);
}

static int find_events(struct finder *f)
{
	int r = 0;

	for (size_t i = 0; f->has_events && i < f->events.n && r == 0; i++)
		if (is_event(f, &f->events.list[i]))
			r = explain_find_add_event(f, &f->events.list[i]);
	return r;
}

/* Finds the function of a system call, and its name in the source. */
static int find_function_of_call(struct finder *f)
{
	const char *found;
	char name[128];

	snprintf(name, sizeof(name), "sys_%s", str_after(f->name, "sys_") ?: f->name);
	found = f->has_functions ? function_hint(&f->functions, name) : NULL;
	if (!found || !strstr(found, name))
		return 0;
	f->name = arena_strdup(&f->e->arena, found);
	f->source_name = arena_strdup(&f->e->arena, name);
	return f->name && f->source_name ? find_symbols(f, f->name) : -ENOMEM;
}

/* Likewise, if only symbols are available. */
static int guess_function_of_call(struct finder *f)
{
	static const char *const before[] = { "__x64_sys_",   "__arm64_sys_", "__riscv_sys_",
					      "__s390x_sys_", "__se_sys_",    "sys_" };
	char name[128];
	int r = 0;

	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]) && !f->e->n_symbols && r == 0;
	     i++) {
		snprintf(name, sizeof(name), "%s%s", before[i],
			 str_after(f->query->name, "sys_") ?: f->query->name);
		r = find_symbols(f, name);
	}
	if (r < 0 || !f->e->n_symbols)
		return r;
	f->e->is_syscall = true;
	f->name = f->e->symbols[0].name;
	f->source_name = strstr(f->name, "sys_");
	return 0;
}

static int nothing_found(struct finder *f)
{
	struct nearest nearest = { .wanted = f->query->name };
	const char *hint = f->has_functions ? function_hint(&f->functions, f->query->name) : NULL;
	const char *colon = strchr(f->query->name, ':');

	if (colon)
		nearest.wanted = colon + 1;
	for (size_t i = 0; !hint && f->has_events && i < f->events.n; i++)
		nearest_offer(&nearest, f->events.list[i].name);
	hint = hint ?: nearest_pick(&nearest);
	if (f->query->plain)
		return err_set(f->err, -ENOENT, "no kernel function '%.80s'", f->query->name);
	if (hint)
		return err_set(f->err, -ENOENT,
			       "no kernel function or event '%.80s' (did you mean '%.80s'?)",
			       f->query->name, hint);
	if (!tracefs_readable(&f->tracefs))
		return err_set(f->err, -ENOENT,
			       "no kernel function '%.80s'; cannot list events: %s", f->query->name,
			       tracefs_obstacle(&f->tracefs));
	return err_set(f->err, -ENOENT,
		       "no kernel function or event '%.80s': the function may be inlined "
		       "everywhere, or in a module that is not loaded",
		       f->query->name);
}

static int find_all(struct finder *f)
{
	struct explanation *e = f->e;
	int r = look_around(f);

	if (r == 0)
		r = find_events(f);
	if (r == 0 && !strchr(f->name, ':'))
		r = find_symbols(f, f->name);
	if (r == 0)
		r = read_functions(f);
	if (r == 0 && e->is_syscall && !e->n_symbols)
		r = find_function_of_call(f);
	if (r == 0 && f->query->plain && !e->n_symbols)
		r = guess_function_of_call(f);
	if (r == 0 && !e->n_symbols && !e->n_events) {
		r = nothing_found(f);
		/* The source may have a definition that this kernel lacks. */
		if (explain_find_source(f->query, f->name, e) < 0)
			return -ENOMEM;
		return r;
	}
	if (r == 0)
		r = find_prototypes(f);
	e->text_address = kallsyms_start(strbuf_str(&f->kallsyms));
	/* Splits the text of kallsyms. */
	if (r == 0)
		r = find_traceable(f);
	if (r == 0)
		r = find_ways(f);
	if (r == 0 && e->n_symbols)
		r = explain_find_source(f->query, f->source_name ?: f->name, e);
	if (r == 0 && e->has_hidden)
		r = explain_find_note(
			f, "addresses are hidden from this user: run as root to see them");
	return r;
}

int explain_find(const struct explain_query *query, struct explanation *ret_explanation,
		 struct fathom_err *err)
{
	_cleanup_(explain_find_finder_done) struct finder finder = { .query = query,
								     .e = ret_explanation,
								     .name = query->name,
								     .tracefs = TRACEFS_NONE,
								     .err = err };
	int r;

	ret_explanation->name = query->name;
	ret_explanation->release = query->release;
	ret_explanation->notes = "";
	r = find_all(&finder);
	return r == -ENOMEM ? err_nomem(err) : r;
}
