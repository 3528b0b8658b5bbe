/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks up terms in docs/glossary.md, which is compiled into the program. */
#ifndef FATHOM_ACTIONS_MACHINE_GLOSSARY_H
#define FATHOM_ACTIONS_MACHINE_GLOSSARY_H

#include <stddef.h>

#include "base/strbuf.h"

extern const char glossary_default[];
extern const size_t glossary_default_len;

/*
 * Finds the entry of @term, ignoring case, in @glossary: paragraphs that start with their terms in
 * bold, as in "**event, tracepoint** Text." Appends all terms of the entry and, without markup and
 * line breaks, its text. Returns 1 if found, otherwise 0, or -ENOMEM.
 */
int glossary_find(const char *glossary, const char *term, struct strbuf *ret_terms,
		  struct strbuf *ret_text);

#endif
