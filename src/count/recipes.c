/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/recipes.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"

#define TEXT_MAX ((size_t)1 << 20)

void recipes_done(struct recipes *recipes)
{
	free(recipes->list);
	arena_done(&recipes->arena);
	*recipes = (struct recipes){ 0 };
}

const struct recipe *recipes_find(const struct recipes *recipes, const char *name)
{
	for (size_t i = 0; i < recipes->n; i++)
		if (str_eq(recipes->list[i].name, name))
			return &recipes->list[i];
	for (size_t i = 0; i < recipes->n; i++)
		if (str_has_word(recipes->list[i].others, " ", name))
			return &recipes->list[i];
	return NULL;
}

/* Returns the recipe to be filled in: one of the same name, or a new one. */
static struct recipe *recipes_place(struct recipes *recipes, const char *name)
{
	struct recipe *recipe = NULL;

	for (size_t i = 0; i < recipes->n; i++)
		if (str_eq(recipes->list[i].name, name))
			recipe = &recipes->list[i];
	if (!recipe) {
		if (mem_reserve(&recipes->list, &recipes->cap, recipes->n + 1,
				sizeof(*recipes->list)) < 0)
			return NULL;
		recipe = &recipes->list[recipes->n++];
	}
	*recipe = (struct recipe){ .name = name };
	return recipe;
}

/* Names can be completed and typed without quotes. */
static bool recipes_is_name(const char *names)
{
	return *names && !names[strspn(names, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					      "0123456789_- ")];
}

/* "NAME [OTHER-NAME...]: QUESTION" */
static int recipes_begin(struct recipes *recipes, char *line, unsigned number,
			 struct recipe **ret_recipe, struct fathom_err *err)
{
	char *colon = strchr(line, ':'), *others;

	if (!colon)
		return err_set(err, -EINVAL,
			       "line %u: expected 'NAME [OTHER-NAME...]: QUESTION', or a tab and "
			       "'count' or 'read'",
			       number);
	*colon = '\0';
	if (!recipes_is_name(line))
		return err_set(
			err, -EINVAL,
			"line %u: invalid name '%.60s': expected letters, digits, '_' and '-'",
			number, line);
	others = strchr(line, ' ');
	if (others)
		*others++ = '\0';
	*ret_recipe = recipes_place(recipes, line);
	if (!*ret_recipe)
		return err_nomem(err);
	(*ret_recipe)->others = others ?: "";
	(*ret_recipe)->question = colon + 1 + strspn(colon + 1, " \t");
	return 0;
}

/* An indented line: "count WORDS" or "read SENTENCE". */
static int recipes_continue(struct recipe *recipe, const char *line, unsigned number,
			    struct fathom_err *err)
{
	const char *text = line + strspn(line, " \t");
	const char *plan = str_after(text, "count "), *reading = str_after(text, "read ");

	if (!recipe || (!plan && !reading))
		return err_set(
			err, -EINVAL,
			"line %u: expected a tab and 'count WORDS' or 'read SENTENCE' after a "
			"line with the name of a recipe",
			number);
	if (reading) {
		recipe->reading = reading;
		return 0;
	}
	if (recipe->n_plans == RECIPE_PLANS_MAX)
		return err_set(err, -EINVAL, "line %u: more than %d plans", number,
			       RECIPE_PLANS_MAX);
	recipe->plans[recipe->n_plans++] = plan;
	return 0;
}

static int recipes_check(const struct recipe *recipe, struct fathom_err *err)
{
	if (recipe && !recipe->n_plans)
		return err_set(err, -EINVAL, "recipe '%.60s' has no 'count' line", recipe->name);
	return 0;
}

int recipes_add(struct recipes *recipes, const char *text, size_t len, struct fathom_err *err)
{
	char *copy = len > TEXT_MAX ? NULL : arena_strndup(&recipes->arena, text, len);
	struct recipe *recipe = NULL;
	unsigned number = 0;
	int r = 0;

	if (len > TEXT_MAX)
		return err_set(err, -EINVAL, "recipes too long: more than %zu bytes", TEXT_MAX);
	if (!copy)
		return err_nomem(err);
	for (char *line; r == 0 && (line = str_next_line(&copy));) {
		size_t end = strlen(line);

		number++;
		while (end && isspace((unsigned char)line[end - 1]))
			line[--end] = '\0';
		if (!*line || *line == '#')
			continue;
		if (*line == '\t' || *line == ' ') {
			r = recipes_continue(recipe, line, number, err);
			continue;
		}
		r = recipes_check(recipe, err);
		if (r == 0)
			r = recipes_begin(recipes, line, number, &recipe, err);
	}
	return r < 0 ? r : recipes_check(recipe, err);
}

/*
 * Returns the next word of *@p as a shell would, with single and double quotes, and advances
 * *@p; NULL at the end. @p is modified.
 */
static char *recipe_next_word(char **p)
{
	char *in = *p + strspn(*p, " \t"), *out = in, *word = in, quote = '\0';

	if (!*in)
		return NULL;
	for (; *in && (quote || !strchr(" \t", *in)); in++) {
		if (quote ? *in == quote : *in == '\'' || *in == '"')
			quote = quote ? '\0' : *in;
		else
			*out++ = *in;
	}
	*p = *in ? in + 1 : in;
	*out = '\0';
	return word;
}

static const struct {
	const char *option;
	enum count_what what;
} aggregators[] = {
	{ "--sum", COUNT_SUM }, { "--min", COUNT_MIN },	    { "--max", COUNT_MAX },
	{ "--avg", COUNT_AVG }, { "--stats", COUNT_STATS }, { "--hist", COUNT_HIST },
};

/* Returns whether @word is followed by an argument, and where the argument goes. */
static const char **recipe_option(const char *word, struct count_words *words)
{
	for (size_t i = 0; i < ARRAY_SIZE(aggregators); i++) {
		if (!str_eq(word, aggregators[i].option))
			continue;
		words->aggregator = aggregators[i].what;
		return &words->value;
	}
	if (str_eq(word, "by"))
		return &words->keys;
	if (str_eq(word, "key"))
		return &words->pair;
	if (str_eq(word, "--filter") || str_eq(word, "-F"))
		return &words->filter;
	return NULL;
}

int recipe_words(const struct recipe *recipe, size_t i, struct arena *arena,
		 struct count_words *ret_words, struct fathom_err *err)
{
	char *p = arena_strdup(arena, recipe->plans[i]);
	struct count_words words = { 0 };

	if (!p)
		return err_nomem(err);
	for (const char *word; (word = recipe_next_word(&p));) {
		const char **place = recipe_option(word, &words);

		if (place) {
			*place = recipe_next_word(&p);
			if (!*place)
				return err_set(err, -EINVAL,
					       "recipe '%.60s': '%.60s' requires an argument",
					       recipe->name, word);
		} else if (str_eq(word, "--latency")) {
			words.is_latency = true;
		} else if (word[0] == '-' || words.what) {
			return err_set(
				err, -EINVAL,
				"recipe '%.60s': unexpected '%.60s': expected WHAT, 'by KEY', "
				"'key BEGIN=END', --latency, --sum, --min, --max, --avg, --stats, "
				"--hist or --filter",
				recipe->name, word);
		} else {
			words.what = word;
		}
	}
	if (!words.what)
		return err_set(err, -EINVAL, "recipe '%.60s' does not say what to count",
			       recipe->name);
	*ret_words = words;
	return 0;
}
