/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An arena allocator: many small allocations that are freed together, by arena_done(). A
 * zero-initialized arena is empty. Allocations return NULL if memory is exhausted. Not thread-safe.
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

/* Aligned for any type. The memory is not initialized. */
void *arena_alloc(struct arena *arena, size_t size) __attribute__((malloc, warn_unused_result));
/* Allocates @n zeroed elements of @size bytes. Also returns NULL on overflow. */
void *arena_zalloc(struct arena *arena, size_t n, size_t size)
	__attribute__((malloc, warn_unused_result));
char *arena_strdup(struct arena *arena, const char *s) __attribute__((malloc, warn_unused_result));
char *arena_strndup(struct arena *arena, const char *s, size_t len)
	__attribute__((malloc, warn_unused_result));
char *arena_printf(struct arena *arena, const char *fmt, ...)
	__attribute__((malloc, warn_unused_result, format(printf, 2, 3)));
char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
	__attribute__((malloc, warn_unused_result, format(printf, 2, 0)));
/* The number of bytes that the arena has allocated from the heap. */
size_t arena_size(const struct arena *arena);
/* Frees all allocations. The arena is empty then and can be reused. */
void arena_done(struct arena *arena);

#endif
