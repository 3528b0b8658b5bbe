/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats a call tree as text, for comparisons in tests. */
#ifndef FATHOM_TESTS_CALL_TEXT_H
#define FATHOM_TESTS_CALL_TEXT_H

#include "analyze/calls/call-tree.h"

/*
 * "name 1+0 total 5 own 5 stolen 0 asleep 0" for each node that has calls, followed by
 * " failed 1 of 2 13 x 1" if there are results; each level is indented by a blank.
 */
void call_text(const struct call_tree *tree, struct strbuf *text);

#endif
