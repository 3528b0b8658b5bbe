/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only way to the heap. Sizes are checked for overflow. All functions return NULL if memory is
 * exhausted; the caller releases what they return with free(). Tests set mem_fault to make chosen
 * allocations fail.
 */
#ifndef FATHOM_BASE_MEM_H
#define FATHOM_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Returns whether the next allocation is to fail. NULL outside tests. */
extern bool (*mem_fault)(void);

void *mem_alloc(size_t size) __attribute__((malloc, warn_unused_result));
/* Allocates @n zeroed elements of @size bytes. */
void *mem_zalloc(size_t n, size_t size) __attribute__((malloc, warn_unused_result));
/* As reallocarray(3): on failure, @p is still valid and belongs to the caller. */
void *mem_resize(void *p, size_t n, size_t size) __attribute__((warn_unused_result));
void *mem_dup(const void *p, size_t size) __attribute__((malloc, warn_unused_result));
char *mem_strdup(const char *s) __attribute__((malloc, warn_unused_result));
char *mem_strndup(const char *s, size_t len) __attribute__((malloc, warn_unused_result));
char *mem_printf(const char *fmt, ...)
	__attribute__((malloc, warn_unused_result, format(printf, 1, 2)));

/*
 * Grows the array *@array (a pointer to a pointer), which has room for *@cap elements of @size
 * bytes, to at least @need elements, by doubling. Returns 0 or -ENOMEM, with the array unchanged.
 */
int mem_reserve(void *array, size_t *cap, size_t need, size_t size)
	__attribute__((warn_unused_result));

#endif
