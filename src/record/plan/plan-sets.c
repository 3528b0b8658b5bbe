/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sets of probes on many functions: "kr:vfs_*", and those that add return values and arguments to
 * function_graph on kernels whose tracer has none.
 *
 * Words are matched with the kernel's list of traceable functions, which includes variants created
 * by the compiler (".isra.0") and all functions of the same name. All matches are counted, and the
 * results are noted.
 */
#include "record/plan/plan-parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/events/function-hint.h"
#include "kernel/events/functions.h"
#include "kernel/events/kprobe-profile.h"
#include "record/file/kernel-lists.h"
#include "record/price/probe-cost.h"
#include "record/session/session-env.h"
#include "record/session/session.h"
#include "symbols/kernel/kallsyms.h"
#include "symbols/probe/probe.h"

/* Creating this many takes some kernels a minute. */
#define SITES_MAX  500
#define NAME_CHARS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_."
/* How many tasks can be in a function at the same time before returns are missed. */
#define MAXACTIVE 128
/* How long to count hits of probes. */
#define COUNT_MS 200

struct sets {
	struct plan *plan;
	const struct session_env *env;
	struct types *types; /* NULL: none available */
	struct functions functions;
	bool has_functions, is_located;
	bool *taken; /* functions that have a probe of --returns, or of --args */
	uint64_t text; /* address of _text; 0: unknown */
	struct strbuf blacklist;
	struct fathom_err *err;
};

static void sets_done(struct sets *sets)
{
	if (sets->has_functions)
		functions_done(&sets->functions);
	strbuf_done(&sets->blacklist);
	free(sets->taken);
}

/*
 * Functions with the same name need addresses. If those cannot be determined, that is noted for
 * each function. Takes long.
 */
static int locate(struct sets *sets)
{
	_cleanup_strbuf_ struct strbuf kallsyms = { 0 };
	int r;

	if (sets->is_located)
		return 0;
	sets->is_located = true;
	r = kernel_lists_symbols(sets->env, false, &kallsyms);
	if (r < 0 || !kallsyms.s)
		return r == -ENOMEM ? err_nomem(sets->err) : 0;
	sets->text = kallsyms_start(kallsyms.s);
	r = functions_locate(&sets->functions, kallsyms.s);
	return r == -ENOMEM ? err_nomem(sets->err) : 0;
}

static int plan_sets_need_functions(struct sets *sets)
{
	const struct session_env *env = sets->env;
	int r;

	if (sets->has_functions)
		return 0;
	r = kernel_lists_functions(env, false, &sets->functions, sets->err);
	if (r < 0)
		return r;
	sets->has_functions = true;
	/* debugfs may not be available; then the kernel rejects blacklisted functions. */
	if (kprobe_blacklist_read(env->root, &sets->blacklist) == -ENOMEM)
		return err_nomem(sets->err);
	return 0;
}

/* A word also matches variants of a function that the compiler has created. */
static bool plan_sets_fits(const struct match *match, const char *name)
{
	size_t len = strcspn(name, ".");
	char base[256];

	if (match_test(match, name))
		return true;
	if (!name[len] || len >= sizeof(base))
		return false;
	memcpy(base, name, len);
	base[len] = '\0';
	return match_test(match, base);
}

/* Returns whether no other function of its module has the same name. */
static bool plan_sets_is_unique(const struct sets *sets, const struct function *f)
{
	size_t n, same = 0;
	const struct function *first = functions_find(&sets->functions, f->name, &n);

	for (size_t i = 0; i < n; i++)
		same += first[i].module && str_eq(first[i].module, f->module);
	return same == 1;
}

/* Returns 0 if a probe can identify @f, by name or by *@ret_from_text, or -ENOENT. */
static int plan_sets_find_place(const struct sets *sets, const struct function *f,
				uint64_t *ret_from_text)
{
	*ret_from_text = 0;
	if (f->same <= 1 || (f->module && plan_sets_is_unique(sets, f)))
		return 0;
	if (f->module || !f->addr || !sets->text || f->addr < sets->text)
		return -ENOENT;
	*ret_from_text = f->addr - sets->text;
	return 0;
}

/* Lists the parameters that can be recorded: "(a, b, $arg3)". Returns false if there are none. */
static bool plan_sets_put_parameters(const struct type_function *function, struct strbuf *text)
{
	size_t n = 0;

	for (uint32_t i = 0; i < function->n; i++) {
		struct type_parameter p;

		type_function_parameter(function, i, type_abi_native(), &p);
		if (p.why)
			continue;
		strbuf_adds(text, n++ ? ", " : "(");
		if (*p.name)
			strbuf_adds(text, p.name);
		else
			strbuf_addf(text, "$arg%u", i + 1);
	}
	if (n)
		strbuf_addc(text, ')');
	return n;
}

/*
 * Writes the probe of --returns or --args for a function. Returns 0, and counts the function, if
 * there is nothing to record.
 */
static int put_graph_probe(struct sets *sets, struct plan_set *set, const struct function *f,
			   struct strbuf *text)
{
	struct type_function function = { 0 };
	int r = sets->types ? types_find_function(sets->types, f->module, f->name, &function) :
			      -ENOENT;

	if (r == -ENOMEM)
		return r;
	strbuf_addf(text, "%s:%s%s%s", set->is_return ? "kr" : "k", f->module ?: "",
		    f->module ? ":" : "", f->name);
	if (set->is_return) {
		if (r == 0 && (set->errors_only ? !type_can_hold_errno(type_look(function.result)) :
						  type_look(function.result).kind == TYPE_VOID))
			return set->nothing++, 0;
		strbuf_adds(text, " => ret");
		return 1;
	}
	if (r < 0)
		return set->untyped++, 0;
	if (!plan_sets_put_parameters(&function, text))
		return set->nothing++, 0;
	return 1;
}

/* Writes the user's expression for one function. */
static void put_expression(const struct probe *probe, const struct function *f, struct strbuf *text)
{
	const char *whole = probe_text(probe);
	size_t at = probe_function_at(probe);

	strbuf_add(text, whole, at);
	if (f->module && !probe_module(probe))
		strbuf_addf(text, "%s:", f->module);
	strbuf_adds(text, f->name);
	strbuf_adds(text, whole + at + strlen(probe_function(probe)));
}

/* Adds an event for the function; @like has the expression and filter, or is NULL. */
static int add_site(struct sets *sets, struct plan_buffer *buffer, struct plan_set *set,
		    const struct function *f, const struct plan_event *like)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct arena *arena = &sets->plan->arena;
	const struct probe *probe;
	struct plan_event event = { .set = set };
	const char *copy;
	uint64_t from_text;
	int r = 1;

	/* Several words can match it. */
	if (!like && sets->taken[f - sets->functions.list])
		return set->made++, 0;
	if (kprobe_blacklist_has(&sets->blacklist, f->name))
		return set->blacklisted++, 0;
	if (plan_sets_find_place(sets, f, &from_text) < 0) {
		if (!set->refused++)
			snprintf(set->reason, sizeof(set->reason),
				 "there are several '%.60s', which cannot be told apart", f->name);
		return 0;
	}
	if (like)
		put_expression(like->expression, f, &text);
	else
		r = put_graph_probe(sets, set, f, &text);
	if (r == 0)
		return 0;
	copy = r < 0 || text.err ? NULL : arena_strdup(arena, strbuf_str(&text));
	if (!copy)
		return err_nomem(sets->err);
	r = probe_parse(copy, arena, &probe, sets->err);
	if (r < 0)
		return r;
	if (like)
		event.filter = like->filter;
	event.expression = probe_placed(probe, arena, from_text, MAXACTIVE);
	event.name = event.probe = copy;
	if (!event.expression || plan_add_event(buffer, copy, false) < 0)
		return err_nomem(sets->err);
	buffer->events[buffer->n_events - 1] = event;
	if (!like)
		sets->taken[f - sets->functions.list] = true;
	return 0;
}

static struct plan_set *plan_sets_add(struct sets *sets, const char *text, bool is_return)
{
	struct plan_set *set = arena_zalloc(&sets->plan->arena, 1, sizeof(*set));
	struct plan_set **end = &sets->plan->sets;

	if (!set) {
		err_nomem(sets->err);
		return NULL;
	}
	set->text = text;
	set->is_return = is_return;
	/* Function addresses need symbols to be shown as names. */
	sets->plan->wants_symbols = true;
	while (*end)
		end = &(*end)->next;
	*end = set;
	return set;
}

static bool plan_sets_is_of_module(const struct function *f, const char *module)
{
	return !f->dropped && (!module || (f->module && str_eq(f->module, module)));
}

static int check_size(const struct sets *sets, const struct plan_set *set, const char *pattern)
{
	const char *hint;

	if (!set->fit && !sets->plan->ignore_missing) {
		hint = function_hint(&sets->functions, pattern);
		return err_set(sets->err, -ENOENT, "no kernel function matches '%.80s'%s%.80s%s",
			       pattern, hint ? "; did you mean '" : "", hint ?: "",
			       hint ? "'?" : "");
	}
	if (set->fit > SITES_MAX && !sets->plan->yes)
		return err_set(sets->err, -E2BIG,
			       "'%.80s' matches %zu functions, and placing so many probes takes "
			       "minutes: select fewer, or use --yes",
			       set->text, set->fit);
	return 0;
}

/*
 * Finds the range of functions that @pattern can match in the list, which is sorted: variants
 * created by the compiler immediately follow the function.
 */
static int plan_sets_find_range(struct sets *sets, const char *pattern, size_t *ret_from,
				size_t *ret_to)
{
	const struct functions *all = &sets->functions;
	size_t len = strlen(pattern), low, high;

	*ret_from = 0;
	*ret_to = all->n;
	/* Anything but a plain name. */
	if (pattern[strspn(pattern, NAME_CHARS)])
		return locate(sets);
	low = high = *ret_from = functions_place(all, pattern);
	for (; high < all->n && strncmp(all->list[high].name, pattern, len) == 0; high++)
		if (all->list[high].name[len] && all->list[high].name[len] != '.')
			break;
	*ret_to = high;
	for (size_t i = low; i < high; i++)
		if (all->list[i].same > 1)
			return locate(sets);
	return 0;
}

/* @like is the index of the event with @pattern in the buffer; -1: none. */
static int plan_sets_expand(struct sets *sets, struct plan_buffer *buffer, struct plan_set *set,
			    const char *pattern, const char *module, ssize_t like)
{
	struct match match;
	size_t from = 0, to = 0;
	int r = plan_sets_need_functions(sets);

	if (r == 0)
		r = plan_sets_find_range(sets, pattern, &from, &to);
	if (r == 0)
		r = match_init(&match, pattern, MATCH_WHOLE, sets->err);
	if (r < 0)
		return r;
	for (size_t i = from; i < to; i++)
		set->fit += plan_sets_is_of_module(&sets->functions.list[i], module) &&
			    plan_sets_fits(&match, sets->functions.list[i].name);
	r = check_size(sets, set, pattern);
	for (size_t i = from; i < to && r == 0; i++) {
		const struct function *f = &sets->functions.list[i];
		struct plan_event event;

		if (!plan_sets_is_of_module(f, module) || !plan_sets_fits(&match, f->name))
			continue;
		/* Adding events can move the list. */
		if (like >= 0)
			event = buffer->events[like];
		r = add_site(sets, buffer, set, f, like >= 0 ? &event : NULL);
	}
	match_done(&match);
	return r;
}

/* Some kernels' function_graph records this itself, for all functions and at no further cost. */
static bool is_option_of(const struct sets *sets, const struct plan_buffer *buffer,
			 const char *option)
{
	char path[64];

	snprintf(path, sizeof(path), "options/%s", option);
	return buffer->tracer && str_eq(buffer->tracer, "function_graph") &&
	       plan_has_file(sets->env->tracefs.fd, path);
}

static int expand_list(struct sets *sets, struct plan_buffer *buffer,
		       const struct plan_words *words, bool is_return)
{
	int r = 0;

	for (size_t i = 0; i < words->n && r == 0; i++) {
		const char *text = arena_printf(&sets->plan->arena, "--%s %s",
						is_return ? "returns" : "args", words->list[i]);
		struct plan_set *set = text ? plan_sets_add(sets, text, is_return) : NULL;

		if (!set)
			return err_nomem(sets->err);
		set->errors_only = words == &buffer->errors;
		r = plan_sets_expand(sets, buffer, set, words->list[i], buffer->module, -1);
	}
	return r;
}

static int expand_words(struct sets *sets, struct plan_buffer *buffer, bool is_return)
{
	const struct plan_words *words = is_return ? &buffer->returns : &buffer->args;
	const char *option = is_return ? "funcgraph-retval" : "funcgraph-args";
	int r;

	if (!words->n && !(is_return && buffer->errors.n))
		return 0;
	if (is_option_of(sets, buffer, option)) {
		plan_note(sets->plan,
			  "function_graph records %s itself in this kernel, for all functions",
			  is_return ? "results" : "arguments");
		return plan_words_add(&buffer->options, option) < 0 ? err_nomem(sets->err) : 0;
	}
	r = plan_sets_need_functions(sets);
	if (r < 0)
		return r;
	free(sets->taken);
	sets->taken = mem_zalloc(sets->functions.n ?: 1, sizeof(*sets->taken));
	if (!sets->taken)
		return err_nomem(sets->err);
	r = expand_list(sets, buffer, words, is_return);
	if (r == 0 && is_return)
		r = expand_list(sets, buffer, &buffer->errors, true);
	return r;
}

static int expand_expressions(struct sets *sets, struct plan_buffer *buffer)
{
	size_t n = buffer->n_events;
	int r = 0;

	for (size_t k = 0; k < n && r == 0; k++) {
		const struct probe *probe = buffer->events[k].expression;
		enum probe_kind kind;
		struct plan_set *set;

		if (!probe || !probe_is_glob(probe))
			continue;
		kind = probe_kind(probe);
		if (buffer->events[k].triggers.n)
			return err_set(sets->err, -EINVAL,
				       "triggers require a single probe, but '%.80s' matches "
				       "several functions",
				       probe_text(probe));
		buffer->events[k].off = true;
		set = plan_sets_add(sets, probe_text(probe),
				    kind == PROBE_RETURN || kind == PROBE_FPROBE_RETURN);
		r = set ? plan_sets_expand(sets, buffer, set, probe_function(probe),
					   probe_module(probe), (ssize_t)k) :
			  -ENOMEM;
	}
	return r;
}

int plan_expand_sets(struct plan *plan, struct types *types, const struct session_env *env,
		     struct fathom_err *err)
{
	_cleanup_(sets_done) struct sets sets = {
		.plan = plan, .env = env, .types = types, .err = err
	};
	int r = 0;

	plan->sets = NULL;
	for (size_t i = 0; i < plan->n && r == 0; i++) {
		r = expand_expressions(&sets, &plan->buffers[i]);
		if (r == 0)
			r = expand_words(&sets, &plan->buffers[i], false);
		if (r == 0)
			r = expand_words(&sets, &plan->buffers[i], true);
	}
	return r;
}

static void plan_sets_put_count(struct strbuf *text, size_t n, const char *what)
{
	if (n)
		strbuf_addf(text, "; %zu %s", n, what);
}

int plan_tell_sets(struct plan *plan, struct fathom_err *err)
{
	for (const struct plan_set *set = plan->sets; set; set = set->next) {
		_cleanup_strbuf_ struct strbuf text = { 0 };

		strbuf_addf(&text, "'%s': probing %zu of %zu functions", set->text, set->made,
			    set->fit);
		plan_sets_put_count(&text, set->nothing,
				    set->is_return ? "without return value" : "without parameters");
		plan_sets_put_count(&text, set->untyped, "with unknown parameters");
		plan_sets_put_count(&text, set->blacklisted, "blacklisted by the kernel");
		plan_sets_put_count(&text, set->refused, "rejected by the kernel");
		if (set->refused)
			strbuf_addf(&text, " (first: %s)", set->reason);
		if (text.err)
			return err_nomem(err);
		if (!set->made && !plan->ignore_missing)
			return err_set(err, -ENOENT, "%.400s", strbuf_str(&text));
		plan_note(plan, "%s", strbuf_str(&text));
	}
	return 0;
}

int plan_price_sets(struct plan *plan, struct session *session, struct fathom_err *err)
{
	static const struct timespec pause = { .tv_nsec = COUNT_MS * 1000000L };
	int tracefs = session_env(session)->tracefs.fd;
	struct kprobe_profile before, after;
	char group[PLAN_GROUP_SIZE];
	double entries, returns, percent, budget = plan->budget ?: PLAN_BUDGET;

	if (!plan->sets)
		return 0;
	plan_probe_group(session, group, sizeof(group));
	if (kprobe_profile_read(tracefs, group, &before) < 0)
		return 0;
	nanosleep(&pause, NULL);
	if (kprobe_profile_read(tracefs, group, &after) < 0)
		return 0;
	entries = (double)(after.entries - before.entries) * 1000 / COUNT_MS;
	returns = (double)(after.returns - before.returns) * 1000 / COUNT_MS;
	percent = (entries * probe_cost_ns(PROBE_COST_KPROBE) +
		   returns * probe_cost_ns(PROBE_COST_KRETPROBE)) /
		  1e7;
	if (percent > budget && !plan->yes)
		return err_set(
			err, -E2BIG,
			"at the current load, these probes are hit %.0f times per second, which "
			"takes about %.1f %% of a CPU (limit %.3g %%): select fewer, or use "
			"'--budget %.0f%%' or --yes",
			entries + returns, percent, budget, percent + 1);
	if (entries + returns > 0)
		plan_note(plan,
			  "at the current load, these probes are hit %.0f times per second, "
			  "which takes about %.2g %% of a CPU",
			  entries + returns, percent);
	else
		plan_note(plan, "at the current load, these probes are not hit");
	return 0;
}

uint64_t plan_missed(const struct plan *plan, const struct session *session)
{
	struct kprobe_profile profile;
	char group[PLAN_GROUP_SIZE];
	bool has_probes = false;

	for (size_t i = 0; i < plan->n; i++)
		for (size_t k = 0; k < plan->buffers[i].n_events; k++)
			has_probes |= plan->buffers[i].events[k].probe != NULL;
	if (!has_probes)
		return 0;
	plan_probe_group(session, group, sizeof(group));
	if (kprobe_profile_read(session_env(session)->tracefs.fd, group, &profile) < 0)
		return 0;
	return profile.missed;
}
