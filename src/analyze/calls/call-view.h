/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Derived views of a call tree, which are also trees: the callees of a function over all its calls,
 * its callers, and a flat list of functions. Recursive calls are all counted, but their time only
 * once.
 *
 * A view is released with call_tree_done(). The tree may be freed first, but not the owners of its
 * names: kallsyms, tasks, phases and user symbols. Not thread-safe.
 */
#ifndef FATHOM_ANALYZE_CALLS_CALL_VIEW_H
#define FATHOM_ANALYZE_CALLS_CALL_VIEW_H

#include "analyze/calls/call-tree.h"

struct phases;

/* Returns whether the function is to be shown. */
typedef bool call_view_match(const void *data, const struct func *func);

/* Each of these makes a view. They return 0, or -ENOMEM with *@ret_view untouched. */
int call_view_below(const struct call_tree *tree, call_view_match *match, const void *data,
		    struct call_tree *ret_view);
/* The matching functions, with their callers below them, up to the outermost. */
int call_view_callers(const struct call_tree *tree, call_view_match *match, const void *data,
		      struct call_tree *ret_view);
int call_view_flat(const struct call_tree *tree, struct call_tree *ret_view);
/*
 * The same tree, with all calls from one function to the noise functions of a phase, including
 * their callees, folded into one node. Noise at the outermost level is folded only if
 * @with_outermost. @phases must outlive the view.
 */
int call_view_folded(const struct call_tree *tree, const struct phases *phases, bool with_outermost,
		     struct call_tree *ret_view);

#endif
