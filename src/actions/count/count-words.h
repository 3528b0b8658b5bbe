/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Determines what 'fathom count' counts, from operands, options and recipes. */
#ifndef FATHOM_ACTIONS_COUNT_COUNT_WORDS_H
#define FATHOM_ACTIONS_COUNT_COUNT_WORDS_H

#include "actions/action.h"
#include "actions/count/count-args.h"
#include "base/arena.h"
#include "count/plan.h"
#include "count/recipes.h"

struct count_request {
	struct count_words words; /* of the first plan of the recipe, if there is one */
	const struct recipe *recipe; /* NULL: none */
	const char *file; /* the recording; NULL: the running kernel */
	int command; /* index of the command in action->argv, or action->argc */
	struct arena arena;
	struct recipes recipes;
};

/*
 * Fills @request. Returns 0, -EINVAL with a message, or -ENOMEM; call count_request_done() in
 * either case.
 */
int count_request_init(struct count_request *request, const struct action *action,
		       struct fathom_err *err);
/* Parses plan @i of the recipe, or the only plan, with the options applied. */
int count_request_plan(struct count_request *request, size_t i, const struct count_args *args,
		       struct count_plan *plan, struct fathom_err *err);
/* Returns the number of plans, of which the first possible one is carried out. */
size_t count_request_plans(const struct count_request *request);
void count_request_done(struct count_request *request);

/* Reads all recipes: those of the program, and those of the user. */
int count_recipes_read(struct recipes *recipes, struct fathom_err *err);

#endif
