/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Other looks at a tree of calls, each a tree again: what is below one function wherever it
 * was called, who called it, and all functions side by side. A function that is in itself
 * again counts as often as it was called, but its time only once.
 */
#ifndef FATHOM_ANALYZE_CALLS_CALL_VIEW_H
#define FATHOM_ANALYZE_CALLS_CALL_VIEW_H

#include "analyze/calls/call-tree.h"
#include "analyze/calls/phases.h"

/* Is this function meant? */
typedef bool call_view_match(const void *data, const struct func *func);

/* Each makes @ret_view, to be released with call_tree_done(). 0 or -ENOMEM. */
int call_view_below(const struct call_tree *tree, call_view_match *match, const void *data,
		    struct call_tree *ret_view);
/* The chosen functions with those that called them below, and so on up to the outermost. */
int call_view_callers(const struct call_tree *tree, call_view_match *match, const void *data,
		      struct call_tree *ret_view);
int call_view_flat(const struct call_tree *tree, struct call_tree *ret_view);
/*
 * The same tree, in which calls that are noise by the rules are one child of their caller for each
 * phase, with all that they called. Those outermost stay when @with_outermost is false. @phases must
 * outlive the view.
 */
int call_view_folded(const struct call_tree *tree, const struct phases *phases, bool with_outermost,
		     struct call_tree *ret_view);

#endif
