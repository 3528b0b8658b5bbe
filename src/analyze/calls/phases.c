/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/calls/phases.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/pattern/match.h"
#include "base/mem.h"
#include "base/str.h"

#define TEXT_MAX ((size_t)1 << 20)

struct rule {
	struct match match;
	int phase;
};

struct phases {
	struct phase *list;
	size_t n, cap;
	struct rule *rules;
	size_t n_rules, cap_rules;
	struct arena arena;
};

DEFINE_CLEANUP(struct phases, phases_free);

void phases_free(struct phases *phases)
{
	if (!phases)
		return;
	for (size_t i = 0; i < phases->n_rules; i++)
		match_done(&phases->rules[i].match);
	free(phases->rules);
	free(phases->list);
	arena_done(&phases->arena);
	free(phases);
}

/* Parses "[noise: NAME] TEXT"; @line begins after the bracket. */
static int add_phase(struct phases *phases, char *line, unsigned number, struct fathom_err *err)
{
	char *end = strchr(line, ']');
	struct phase *phase;
	const char *name;

	if (!end)
		return err_set(err, -EINVAL, "line %u: unclosed '[': expected '[NAME] TEXT'",
			       number);
	*end++ = '\0';
	if (mem_reserve(&phases->list, &phases->cap, phases->n + 1, sizeof(*phases->list)) < 0)
		return err_nomem(err);
	phase = &phases->list[phases->n];
	name = str_after(line, "noise:");
	phase->noise = name != NULL;
	name = name ?: line;
	name += strspn(name, " \t");
	if (!*name)
		return err_set(err, -EINVAL, "line %u: empty phase name: expected '[NAME] TEXT'",
			       number);
	phase->name = arena_strdup(&phases->arena, name);
	phase->text = arena_strdup(&phases->arena, end + strspn(end, " \t"));
	if (!phase->name || !phase->text)
		return err_nomem(err);
	phases->n++;
	return 0;
}

static int phases_add_rule(struct phases *phases, const char *glob, unsigned number,
			   struct fathom_err *err)
{
	struct rule *rule;
	int r;

	if (!phases->n)
		return err_set(
			err, -EINVAL,
			"line %u: function '%s' outside of a phase: begin one with '[NAME] TEXT'",
			number, glob);
	if (mem_reserve(&phases->rules, &phases->cap_rules, phases->n_rules + 1,
			sizeof(*phases->rules)) < 0)
		return err_nomem(err);
	rule = &phases->rules[phases->n_rules];
	rule->phase = (int)phases->n - 1;
	r = match_init(&rule->match, glob, MATCH_WHOLE, err);
	if (r < 0)
		return err_prefix(err, "line %u", number), r;
	phases->n_rules++;
	return 0;
}

static int phases_parse_line(struct phases *phases, char *line, unsigned number,
			     struct fathom_err *err)
{
	int r = 0;

	line += strspn(line, " \t");
	if (*line == '#')
		return 0;
	if (*line == '[')
		return add_phase(phases, line + 1, number, err);
	for (char *word; r == 0 && (word = str_next_word(&line, " \t"));)
		r = phases_add_rule(phases, word, number, err);
	return r;
}

int phases_parse(const char *text, size_t len, struct phases **ret_phases, struct fathom_err *err)
{
	_cleanup_(phases_free_p) struct phases *phases = NULL;
	_cleanup_free_ char *copy = NULL;
	unsigned number = 0;
	char *rest;

	if (len > TEXT_MAX)
		return err_set(err, -EFBIG, "rules too large: expected at most 1 MB");
	phases = mem_zalloc(1, sizeof(*phases));
	copy = mem_zalloc(len + 1, 1);
	if (!phases || !copy)
		return err_nomem(err);
	memcpy(copy, text, len);
	rest = copy;
	for (char *line; (line = str_next_line(&rest));) {
		int r = phases_parse_line(phases, line, ++number, err);

		if (r < 0)
			return r;
	}
	*ret_phases = TAKE_PTR(phases);
	return 0;
}

int phases_find(const struct phases *phases, const char *function)
{
	for (size_t i = 0; i < phases->n_rules; i++)
		if (match_test(&phases->rules[i].match, function))
			return phases->rules[i].phase;
	return PHASE_NONE;
}

int phases_count(const struct phases *phases)
{
	return (int)phases->n;
}

const struct phase *phases_get(const struct phases *phases, int number)
{
	return &phases->list[number];
}

const char *phases_prefix(const char *function, size_t *ret_len)
{
	const char *start = function + strspn(function, "_");

	*ret_len = strcspn(start, "_.");
	return start;
}
