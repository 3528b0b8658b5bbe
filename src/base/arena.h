/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An arena: many small allocations that live and die together. Zero-initialised
 * is empty. What comes from it is never freed by itself.
 */
#ifndef FATHOM_BASE_ARENA_H
#define FATHOM_BASE_ARENA_H

#include <stdarg.h>
#include <stddef.h>

struct arena_chunk;

struct arena {
	struct arena_chunk *chunks; /* newest first */
	size_t used; /* in the newest chunk */
};

/* Aligned for any type; NULL when there is no memory. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc, warn_unused_result));
/* The same, zeroed, for @n elements; NULL on overflow too. */
void *arena_zalloc(struct arena *arena, size_t n, size_t size)
	__attribute__((malloc, warn_unused_result));
char *arena_strdup(struct arena *arena, const char *s) __attribute__((malloc, warn_unused_result));
char *arena_strndup(struct arena *arena, const char *s, size_t len)
	__attribute__((malloc, warn_unused_result));
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((malloc, warn_unused_result, format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
	__attribute__((malloc, warn_unused_result, format(printf, 2, 0)));
/* Bytes taken from the system so far. */
size_t arena_size(const struct arena *arena);
/* Releases everything; the arena is empty and can be used again. */
void arena_done(struct arena *arena);

#endif
