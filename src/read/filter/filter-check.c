/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs after a filter is compiled for all formats: reports names that no event has, and comparisons
 * that no event supports. These are errors, with their place in the text and the name that was
 * probably meant. A field that trace-cmd would ignore is only a remark.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern/pattern.h"
#include "base/str.h"
#include "read/filter/filter-check.h"
#include "read/filter/filter-compile.h"

/* No suggestions for longer names. */
#define GUESS_MAX 128

struct guess {
	struct nearest nearest;
	char best[GUESS_MAX]; /* a copy, because names of functions may be temporary */
	const struct pattern *pattern; /* also searched in the list of functions */
	bool fits;
};

static bool offer_function(void *arg, const char *name)
{
	struct guess *guess = arg;
	size_t len = strlen(name), wanted = strlen(guess->nearest.wanted);

	if (guess->pattern && pattern_match(guess->pattern, name, len)) {
		guess->fits = true;
		return true;
	}
	if (len >= GUESS_MAX || len > wanted + 3 || wanted > len + 3)
		return false;
	nearest_offer(&guess->nearest, name);
	if (guess->nearest.best == name) {
		memcpy(guess->best, name, len + 1);
		guess->nearest.best = guess->best;
	}
	return false;
}

static void offer_functions(const struct filter *filter, struct guess *guess)
{
	if (filter->env.function_each)
		filter->env.function_each(filter->env.arg, offer_function, guess);
}

static void offer_fields(const struct filter_check *check, struct nearest *nearest)
{
	for (size_t i = 0; i < check->n_formats; i++) {
		const struct event_format *format = check->formats[i];

		for (uint32_t k = 0; k < format->n_fields; k++)
			nearest_offer(nearest, format->fields[k].name);
	}
	filter_name_offer_facts(nearest);
}

static void offer_events(const struct filter_check *check, struct nearest *nearest)
{
	for (size_t i = 0; i < check->n_formats; i++) {
		nearest_offer(nearest, check->formats[i]->name);
		nearest_offer(nearest, check->formats[i]->system);
	}
}

/* Limits a length to what fits in a message. */
static int filter_check_shown(uint32_t len)
{
	return len < 100 ? (int)len : 100;
}

/* "WHAT 'TEXT' WHY; did you mean 'GUESS'?" */
static int filter_check_complain(const struct filter_check *check, uint32_t offset, uint32_t len,
				 const char *what, const char *why, const struct nearest *nearest)
{
	const char *guess = nearest ? nearest_pick(nearest) : NULL;

	return err_set_at(check->err, nearest ? -ENOENT : -EINVAL, offset, "%s'%.*s'%s%s%s%s", what,
			  filter_check_shown(len), check->filter->text + offset, why,
			  guess ? "; did you mean '" : "", guess ? guess : "", guess ? "'?" : "");
}

static bool filter_check_is_field(const struct filter_check *check, const char *name)
{
	for (size_t i = 0; i < check->n_formats; i++)
		if (event_field_find(check->formats[i], name))
			return true;
	return filter_name_is_fact(name);
}

static bool has_function_events(const struct filter_check *check)
{
	struct filter_value value;

	for (size_t i = 0; i < check->n_formats; i++)
		if (filter_name_function(check->formats[i], &value))
			return true;
	return false;
}

static int check_pattern(const struct filter_check *check, const struct filter_pattern *pattern)
{
	struct guess guess = { .nearest = { .wanted = pattern->name } };
	bool functions = !pattern->system && has_function_events(check);

	if (pattern->found)
		return 0;
	if (!pattern->system && filter_check_is_field(check, pattern->name))
		return filter_check_complain(check, pattern->offset, pattern->len, "",
					     " is a field: compare it with something", NULL);
	offer_events(check, &guess.nearest);
	if (functions) {
		const struct filter_env *env = &check->filter->env;

		/* Without a list of functions, any function may match the glob. */
		if (pattern->cache && env->function_name && !env->function_each)
			return 0;
		guess.pattern = pattern->cache ? pattern->name_pattern : NULL;
		offer_functions(check->filter, &guess);
		if (guess.fits)
			return 0;
	}
	return filter_check_complain(check, pattern->offset, pattern->len,
				     functions ? "no event or function " : "no event ",
				     " in this trace", &guess.nearest);
}

static int unknown_field(const struct filter_check *check, const struct filter_node *node)
{
	struct guess guess = { .nearest = { .wanted = node->text } };

	if (strpbrk(node->text, "*?"))
		return filter_check_complain(
			check, node->offset, node->len, "",
			" is a pattern, not a field: put spaces around '*' to multiply", NULL);
	if (strpbrk(node->text, "-/"))
		return filter_check_complain(check, node->offset, node->len,
					     "no event has a field ",
					     ": put spaces around '-' and '/' to calculate", NULL);
	if (!filter_name_is_fact(node->text))
		offer_fields(check, &guess.nearest);
	return filter_check_complain(check, node->offset, node->len,
				     filter_name_is_fact(node->text) ?
					     "not recorded in this trace: " :
					     "no event has a field ",
				     "", &guess.nearest);
}

static int unknown_word(const struct filter_check *check, const struct filter_node *node)
{
	struct guess guess = { .nearest = { .wanted = node->text } };

	if (!node->misfit)
		return unknown_field(check, node);
	if (node->kind == FILTER_NAME)
		offer_fields(check, &guess.nearest);
	offer_functions(check->filter, &guess);
	return filter_check_complain(check, node->offset, node->len, "",
				     node->kind == FILTER_NAME ?
					     " is neither a field nor a function" :
					     " is not a function name",
				     &guess.nearest);
}

/* Returns whether any event has this name, even if never together with the names next to it. */
static bool filter_check_is_known(const struct filter_check *check, struct filter_node *node)
{
	struct filter_compiler compiler = { .filter = check->filter };

	for (size_t i = 0; i < check->n_formats && !node->found; i++) {
		compiler.format = check->formats[i];
		filter_name_resolve(&compiler, node);
	}
	return node->found;
}

/* Returns the first name in a value that no event has. */
static struct filter_node *find_unknown(const struct filter_check *check, struct filter_node *node)
{
	struct filter_node *found = NULL;

	if (node->kind == FILTER_NAME && !filter_check_is_known(check, node))
		return node;
	for (struct filter_node *child = node->first; child && !found; child = child->next)
		found = find_unknown(check, child);
	return found;
}

static const struct filter_node *find_misfit(const struct filter_node *node)
{
	const struct filter_node *found = NULL;

	for (const struct filter_node *child = node->first; child && !found; child = child->next)
		found = find_misfit(child);
	return found ? found : node->misfit ? node : NULL;
}

static void set_note(struct filter_check *check, const struct filter_node *node)
{
	struct nearest nearest = { .wanted = node->text };
	const char *guess;
	char text[300];

	if (check->filter->note)
		return;
	offer_fields(check, &nearest);
	guess = nearest_pick(&nearest);
	snprintf(text, sizeof(text), "no event has a field '%.*s'%s%s%s",
		 filter_check_shown(node->len), node->text, guess ? "; did you mean '" : "",
		 guess ? guess : "", guess ? "'?" : "");
	/* If memory is exhausted, there is no remark. */
	check->filter->note = arena_strdup(check->filter->arena, text);
	check->filter->note_offset = node->offset;
}

/* Returns 1 if one side of the comparison is an unknown name, which is recorded. */
static int filter_check_names(struct filter_check *check, struct filter_node *node)
{
	for (struct filter_node *side = node->first; side; side = side->next) {
		struct filter_node *unknown = find_unknown(check, side);

		if (unknown && side == node->first && check->filter->prefixed &&
		    unknown->kind == FILTER_NAME) {
			set_note(check, unknown);
			return 1;
		}
		if (unknown && unknown == side && side != node->first)
			return unknown_word(check, unknown);
		if (unknown)
			return unknown_field(check, unknown);
		if (side->kind == FILTER_STRING && side->misfit && !side->found)
			return unknown_word(check, side);
	}
	return 0;
}

static int check_test(struct filter_check *check, struct filter_node *node)
{
	const struct filter_node *misfit;
	char why[200];
	int r = filter_check_names(check, node);

	if (r != 0 || node->found)
		return r < 0 ? r : 0;
	misfit = find_misfit(node);
	if (!misfit)
		return 0;
	snprintf(why, sizeof(why), " %s", misfit->misfit);
	return filter_check_complain(check, misfit->offset, misfit->len, "", why, NULL);
}

int filter_check_node(struct filter_check *check, struct filter_node *node)
{
	int r = 0;

	switch (node->kind) {
	case FILTER_AND:
	case FILTER_OR:
	case FILTER_NOT:
		for (struct filter_node *child = node->first; child && r == 0; child = child->next)
			r = filter_check_node(check, child);
		return r;
	case FILTER_EVENTS:
		for (const struct filter_pattern *p = node->events; p && r == 0; p = p->next)
			r = check_pattern(check, p);
		return r;
	default:
		return check_test(check, node);
	}
}
