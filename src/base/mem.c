/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool (*mem_fault)(void);

void *mem_alloc(size_t size)
{
	if (mem_fault && mem_fault())
		return NULL;
	return malloc(size ?: 1);
}

void *mem_zalloc(size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || (mem_fault && mem_fault()))
		return NULL;
	return calloc(1, bytes ?: 1);
}

void *mem_resize(void *p, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes) || (mem_fault && mem_fault()))
		return NULL;
	return realloc(p, bytes ?: 1);
}

void *mem_dup(const void *p, size_t size)
{
	void *copy = mem_alloc(size);

	if (copy && size)
		memcpy(copy, p, size);
	return copy;
}

char *mem_strndup(const char *s, size_t len)
{
	size_t n = strnlen(s, len);
	char *copy = n < SIZE_MAX ? mem_alloc(n + 1) : NULL;

	if (copy) {
		memcpy(copy, s, n);
		copy[n] = '\0';
	}
	return copy;
}

char *mem_strdup(const char *s)
{
	return mem_dup(s, strlen(s) + 1);
}

char *mem_printf(const char *fmt, ...)
{
	va_list ap, again;
	char *s = NULL;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n >= 0)
		s = mem_alloc((size_t)n + 1);
	if (s)
		vsnprintf(s, (size_t)n + 1, fmt, again);
	va_end(again);
	va_end(ap);
	return s;
}

int mem_reserve(void *array, size_t *cap, size_t need, size_t size)
{
	void **p = array;
	size_t n = *cap ?: 8;
	void *grown;

	if (need <= *cap)
		return 0;
	while (n < need) {
		if (n > SIZE_MAX / 2 / size)
			return -ENOMEM;
		n *= 2;
	}
	grown = mem_resize(*p, n, size);
	if (!grown)
		return -ENOMEM;
	*p = grown;
	*cap = n;
	return 0;
}
