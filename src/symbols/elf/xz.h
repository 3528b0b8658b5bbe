/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The xz compression of .gnu_debugdata, where the program was built with liblzma. */
#ifndef FATHOM_SYMBOLS_ELF_XZ_H
#define FATHOM_SYMBOLS_ELF_XZ_H

#include <stddef.h>

#include "base/strbuf.h"

/* What is unpacked at the most; more is -EFBIG. */
#define XZ_UNPACKED_MAX ((size_t)256 << 20)

/* Appends the unpacked bytes to @out. -ENOTSUP without liblzma, -EBADMSG when they are damaged. */
int xz_unpack(const void *bytes, size_t size, struct strbuf *out);

#endif
