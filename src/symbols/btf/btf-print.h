/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Formats BTF types as C. BTF is untrusted: invalid BTF yields invalid text, but has no other
 * effect. Running out of memory is recorded in the strbuf.
 */
#ifndef FATHOM_SYMBOLS_BTF_BTF_PRINT_H
#define FATHOM_SYMBOLS_BTF_BTF_PRINT_H

#include <stdint.h>

#include "base/strbuf.h"

struct btf;

/* A longer declaration is truncated, with "..." at its end. */
#define BTF_PRINT_MAX 4096

/*
 * Appends the declaration of @name ("": none) with type @type, such as "void (*fn)(void *arg)", to
 * @text. For the type of a function, this is its prototype.
 */
void btf_print_declaration(const struct btf *btf, uint32_t type, const char *name,
			   struct strbuf *text);

#endif
