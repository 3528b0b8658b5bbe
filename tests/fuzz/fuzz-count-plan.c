/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes counting plans. The first byte says what the rest is: lines with the words of a command, a
 * script of bpftrace, or recipes, of which each plan is parsed. A plan that is accepted has sources,
 * and each of its sources has a name.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "count/bpftrace.h"
#include "count/plan.h"
#include "count/recipes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_sources(const struct count_source *list, size_t n)
{
	if (n > COUNT_SOURCES_MAX)
		abort();
	for (size_t i = 0; i < n; i++)
		if (!list[i].text || !list[i].name || !*list[i].name ||
		    !list[i].filter != !list[i].filter_text ||
		    (list[i].kind == COUNT_EVENT && !*list[i].system) ||
		    (list[i].kind == COUNT_PROFILE && !list[i].hz))
			abort();
}

static void parse_plan(const struct count_words *words, struct arena *arena)
{
	struct fathom_err err = { 0 };
	struct count_plan plan;
	int r = count_plan_parse(words, arena, &plan, &err);

	if (r < 0) {
		if (r != -EINVAL || err.code != r || !err.message[0])
			abort();
		return;
	}
	if (!plan.n_sources || plan.n_keys > COUNT_KEYS_MAX || !plan.filter != !plan.filter_text)
		abort();
	check_sources(plan.sources, plan.n_sources);
	check_sources(plan.begins, plan.n_begins);
}

/* Returns the next line, or NULL if there is none or it is empty. */
static const char *next_line(char **text)
{
	char *line = strsep(text, "\n");

	return line && *line ? line : NULL;
}

static void parse_words(char *text, struct arena *arena)
{
	struct count_words words = { .what = strsep(&text, "\n") };

	words.keys = next_line(&text);
	words.pair = next_line(&text);
	words.filter = next_line(&text);
	words.value = next_line(&text);
	parse_plan(&words, arena);
	words.is_latency = true;
	parse_plan(&words, arena);
	words.is_latency = false;
	words.aggregator = COUNT_HIST;
	parse_plan(&words, arena);
}

static void parse_script(const char *text, struct arena *arena)
{
	struct count_words words = { 0 };
	struct fathom_err err = { 0 };
	int r = bpftrace_words(text, arena, &words, &err);

	if (r == 0)
		parse_plan(&words, arena);
	else if (r != -EINVAL || !strchr(err.message, '^'))
		abort();
}

static void parse_recipes(const char *text, size_t len, struct arena *arena)
{
	_cleanup_recipes_ struct recipes recipes = { 0 };
	struct fathom_err err = { 0 };

	if (recipes_add(&recipes, text, len, &err) < 0)
		return;
	for (size_t i = 0; i < recipes.n; i++) {
		if (!recipes_find(&recipes, recipes.list[i].name))
			abort();
		for (size_t k = 0; k < recipes.list[i].n_plans; k++) {
			struct count_words words;

			if (recipe_words(&recipes.list[i], k, arena, &words, &err) == 0)
				parse_plan(&words, arena);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = size ? mem_strndup((const char *)data + 1, size - 1) : NULL;
	struct arena arena = { 0 };

	if (!text)
		return 0;
	switch (data[0] % 3) {
	case 0:
		parse_words(text, &arena);
		break;
	case 1:
		parse_script(text, &arena);
		break;
	default:
		parse_recipes(text, strlen(text), &arena);
		break;
	}
	arena_done(&arena);
	free(text);
	return 0;
}
