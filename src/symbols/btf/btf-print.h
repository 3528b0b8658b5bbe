/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* C text for BTF types. The BTF may be wrong in any way; the text is then too, and no more. */
#ifndef FATHOM_SYMBOLS_BTF_BTF_PRINT_H
#define FATHOM_SYMBOLS_BTF_BTF_PRINT_H

#include <stdint.h>

#include "base/strbuf.h"

struct btf;

/* One declaration is cut here, with "..." in place of the rest. */
#define BTF_PRINT_MAX 4096

/*
 * Adds the declaration of something of type @type called @name ("" for none), such as
 * "void (*fn)(void *arg)", to @text. A function's type gives its prototype.
 */
void btf_print_declaration(const struct btf *btf, uint32_t type, const char *name,
			   struct strbuf *text);

#endif
