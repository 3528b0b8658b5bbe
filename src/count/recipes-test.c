/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recipes as text, and the plans of the program's own recipes. */
#include "test.h"

#include "base/str.h"
#include "count/recipes.h"

static const char sample[] = "# comment\n"
			     "\n"
			     "reads rd r2: which tasks read\n"
			     "\tcount 'vfs_read/count > 1 and comm != \"a b\"/' by comm,cpu\n"
			     "\tcount b:i[x]..b:d --sum latency key a=b --filter \"pid == 1\"   \n"
			     "\t"
			     "read Zero means none.\n"
			     "other reads2: nothing\r\n"
			     "    count a:b --latency\n";

static int add(struct recipes *recipes, const char *text, struct fathom_err *err)
{
	return recipes_add(recipes, text, strlen(text), err);
}

static void parses_recipes(void **state)
{
	_cleanup_recipes_ struct recipes recipes = { 0 };
	struct arena arena = { 0 };
	struct count_words words = { 0 };
	const struct recipe *recipe;

	require(add(&recipes, sample, NULL) == 0);
	assert_int_equal(recipes.n, 2);
	recipe = recipes_find(&recipes, "reads");
	assert_non_null(recipe);
	assert_ptr_equal(recipes_find(&recipes, "r2"), recipe);
	assert_null(recipes_find(&recipes, "r"));
	assert_string_equal(recipe->question, "which tasks read");
	assert_string_equal(recipe->reading, "Zero means none.");
	assert_int_equal(recipe->n_plans, 2);
	require(recipe_words(recipe, 0, &arena, &words, NULL) == 0);
	assert_string_equal(words.what, "vfs_read/count > 1 and comm != \"a b\"/");
	assert_string_equal(words.keys, "comm,cpu");
	assert_false(words.is_latency);
	require(recipe_words(recipe, 1, &arena, &words, NULL) == 0);
	assert_string_equal(words.what, "b:i[x]..b:d");
	assert_string_equal(words.value, "latency");
	assert_int_equal(words.aggregator, COUNT_SUM);
	assert_string_equal(words.pair, "a=b");
	assert_string_equal(words.filter, "pid == 1");
	recipe = recipes_find(&recipes, "reads2");
	assert_non_null(recipe);
	assert_null(recipe->reading);
	require(recipe_words(recipe, 0, &arena, &words, NULL) == 0);
	assert_true(words.is_latency);
	arena_done(&arena);
}

static void later_recipes_replace_earlier_ones(void **state)
{
	_cleanup_recipes_ struct recipes recipes = { 0 };

	require(add(&recipes, sample, NULL) == 0);
	require(add(&recipes, "other: mine\n\tcount x\nreads2: also mine\n\tcount y\n", NULL) == 0);
	assert_int_equal(recipes.n, 3);
	assert_string_equal(recipes_find(&recipes, "other")->question, "mine");
	assert_string_equal(recipes_find(&recipes, "reads2")->question, "also mine");
}

static void assert_rejected(const char *text, const char *expected)
{
	_cleanup_recipes_ struct recipes recipes = { 0 };
	struct fathom_err err = { 0 };
	int r = add(&recipes, text, &err);

	if (r == -ENOMEM && mem_fault)
		return;
	assert_int_equal(r, -EINVAL);
	assert_string_equal(err.message, expected);
}

static void rejects_text(void **state)
{
	assert_rejected("a\n", "line 1: expected 'NAME [OTHER-NAME...]: QUESTION', or a tab and "
			       "'count' or 'read'");
	assert_rejected("\n\033x: y\n",
			"line 2: invalid name '\\x1bx': expected letters, digits, '_' and '-'");
	assert_rejected("a: b\nc: d\n\tcount x\n", "recipe 'a' has no 'count' line");
	assert_rejected("a: b\n", "recipe 'a' has no 'count' line");
	assert_rejected(
		"\tcount a\n",
		"line 1: expected a tab and 'count WORDS' or 'read SENTENCE' after a line with "
		"the name of a recipe");
	assert_rejected(
		"a: b\n\tsum x\n",
		"line 2: expected a tab and 'count WORDS' or 'read SENTENCE' after a line with "
		"the name of a recipe");
	assert_rejected("a: b\n\tcount x\n\tcount x\n\tcount x\n\tcount x\n\tcount x\n",
			"line 6: more than 4 plans");
}

static void assert_no_words(const char *plan, const char *expected)
{
	const struct recipe recipe = { .name = "a", .plans = { plan }, .n_plans = 1 };
	struct count_words words = { 0 };
	struct fathom_err err = { 0 };
	struct arena arena = { 0 };
	int r = recipe_words(&recipe, 0, &arena, &words, &err);

	arena_done(&arena);
	if (r == -ENOMEM && mem_fault)
		return;
	assert_int_equal(r, -EINVAL);
	assert_string_equal(err.message, expected);
}

static void rejects_words(void **state)
{
	assert_no_words("x by", "recipe 'a': 'by' requires an argument");
	assert_no_words("by x", "recipe 'a' does not say what to count");
	assert_no_words("x y",
			"recipe 'a': unexpected 'y': expected WHAT, 'by KEY', 'key BEGIN=END', "
			"--latency, --sum, --min, --max, --avg, --stats, --hist or --filter");
	assert_no_words("--pid x",
			"recipe 'a': unexpected '--pid': expected WHAT, 'by KEY', 'key BEGIN=END', "
			"--latency, --sum, --min, --max, --avg, --stats, --hist or --filter");
}

/* Names are unique, every plan parses, and every text is a line. */
static void built_in_recipes_are_valid(void **state)
{
	_cleanup_recipes_ struct recipes recipes = { 0 };
	struct count_plan *plan = calloc(1, sizeof(*plan));
	struct arena arena = { 0 };

	require(plan);
	require(recipes_add(&recipes, recipes_default, recipes_default_len, NULL) == 0);
	assert_true(recipes.n >= 40);
	for (size_t i = 0; i < recipes.n; i++) {
		const struct recipe *recipe = &recipes.list[i];

		assert_true(strlen(recipe->question) > 10);
		assert_ptr_equal(recipes_find(&recipes, recipe->name), recipe);
		for (size_t k = 0; k < recipes.n; k++)
			if (str_has_word(recipes.list[k].others, " ", recipe->name))
				fail_msg("'%s' is also another name of '%s'", recipe->name,
					 recipes.list[k].name);
		for (size_t k = 0; k < recipe->n_plans; k++) {
			struct count_words words = { 0 };
			struct fathom_err err = { 0 };
			int r = recipe_words(recipe, k, &arena, &words, &err);

			if (r == 0)
				r = count_plan_parse(&words, &arena, plan, &err);
			if (r < 0 && !(r == -ENOMEM && mem_fault))
				fail_msg("%s: %s", recipe->name, err.message);
		}
	}
	free(plan);
	arena_done(&arena);
}

static int parse_sample(void *arg)
{
	_cleanup_recipes_ struct recipes recipes = { 0 };
	struct count_words words = { 0 };
	struct arena arena = { 0 };
	int r = add(&recipes, sample, NULL);

	if (r == 0)
		r = recipe_words(&recipes.list[0], 1, &arena, &words, NULL);
	arena_done(&arena);
	return r;
}

static void survives_lack_of_memory(void **state)
{
	oom_check(parse_sample, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses_recipes),
		cmocka_unit_test(later_recipes_replace_earlier_ones),
		cmocka_unit_test(rejects_text),
		cmocka_unit_test(rejects_words),
		cmocka_unit_test(built_in_recipes_are_valid),
		cmocka_unit_test(survives_lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
