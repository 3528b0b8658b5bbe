/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Counting plans with names, from plain text; see fathom-recipes(5) and data/recipes. A recipe is
 *
 *	NAME [OTHER-NAME...]: QUESTION
 *		count WORDS
 *		count WORDS
 *		read SENTENCE
 *
 * where WORDS are those of the command. Of several plans, the first one that the kernel or the
 * recording can carry out is used. The text is that of a user: names and words are checked.
 */
#ifndef FATHOM_COUNT_RECIPES_H
#define FATHOM_COUNT_RECIPES_H

#include <stddef.h>

#include <fathom/err.h>

#include "base/arena.h"
#include "count/plan.h"

#define RECIPE_PLANS_MAX 4

struct recipe {
	const char *name;
	const char *others; /* further names, separated by spaces; "" for none */
	const char *question;
	const char *plans[RECIPE_PLANS_MAX]; /* the words after "count" */
	size_t n_plans;
	const char *reading; /* how to read the result; NULL: not said */
};

/* Zero-initialized: empty. */
struct recipes {
	struct recipe *list;
	size_t n, cap;
	struct arena arena;
};

/* The recipes that are part of the program. */
extern const char recipes_default[];
extern const size_t recipes_default_len;

/*
 * Adds the recipes of a text. A recipe replaces an earlier one of the same name. Returns 0, -EINVAL
 * with the line in @err, or -ENOMEM.
 */
int recipes_add(struct recipes *recipes, const char *text, size_t len, struct fathom_err *err);
/* Returns the recipe of this name, or NULL. Names have precedence over other names. */
const struct recipe *recipes_find(const struct recipes *recipes, const char *name);
void recipes_done(struct recipes *recipes);
#define _cleanup_recipes_ __attribute__((cleanup(recipes_done)))

/*
 * Parses plan @i of @recipe into words, which live in @arena. Returns 0, -EINVAL with a message, or
 * -ENOMEM.
 */
int recipe_words(const struct recipe *recipe, size_t i, struct arena *arena,
		 struct count_words *ret_words, struct fathom_err *err);

#endif
