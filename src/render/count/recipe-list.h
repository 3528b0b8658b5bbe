/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The recipes of fathom-recipes(5), as text or JSON. */
#ifndef FATHOM_RENDER_COUNT_RECIPE_LIST_H
#define FATHOM_RENDER_COUNT_RECIPE_LIST_H

#include <stdbool.h>
#include <stddef.h>

#include "count/recipes.h"
#include "render/kit/out.h"

/*
 * Prints a line for each recipe or, with @names, all about those, which exist. Returns 0 or -ENOMEM.
 */
int recipe_list_print(const struct recipes *recipes, char *const *names, size_t n_names, bool json,
		      struct out *out);

#endif
