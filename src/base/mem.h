/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The only way to the heap. Sizes are checked for overflow; all return NULL when
 * there is no memory, and what they return is released with free(). Tests put a
 * function into mem_fault to make a chosen allocation fail.
 */
#ifndef FATHOM_BASE_MEM_H
#define FATHOM_BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>

/* Returns true when the allocation about to be made must fail. NULL outside of tests. */
extern bool (*mem_fault)(void);

void *mem_alloc(size_t size) __attribute__((malloc, warn_unused_result));
/* @n zeroed elements of @size bytes. */
void *mem_zalloc(size_t n, size_t size) __attribute__((malloc, warn_unused_result));
/* @p is untouched when this fails. */
void *mem_resize(void *p, size_t n, size_t size) __attribute__((warn_unused_result));
void *mem_dup(const void *p, size_t size) __attribute__((malloc, warn_unused_result));
char *mem_strdup(const char *s) __attribute__((malloc, warn_unused_result));
char *mem_strndup(const char *s, size_t len) __attribute__((malloc, warn_unused_result));
char *mem_printf(const char *fmt, ...)
	__attribute__((malloc, warn_unused_result, format(printf, 1, 2)));

/*
 * Makes room for at least @need elements in the array *@array (a pointer to a
 * pointer), which has room for *@cap now; grows by doubling. 0 or -ENOMEM.
 */
int mem_reserve(void *array, size_t *cap, size_t need, size_t size)
	__attribute__((warn_unused_result));

#endif
