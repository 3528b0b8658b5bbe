/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Decompresses the xz data in .gnu_debugdata, if liblzma is built in. The data is untrusted. */
#ifndef FATHOM_SYMBOLS_ELF_XZ_H
#define FATHOM_SYMBOLS_ELF_XZ_H

#include <stddef.h>

#include "base/strbuf.h"

/* Limit of the decompressed size in bytes; -EFBIG beyond that. */
#define XZ_UNPACKED_MAX ((size_t)256 << 20)

/*
 * Appends the decompressed bytes to @out. Returns 0, -ENOTSUP without liblzma, -EBADMSG if the data
 * is damaged, or another negative errno.
 */
int xz_unpack(const void *bytes, size_t size, struct strbuf *out);

#endif
