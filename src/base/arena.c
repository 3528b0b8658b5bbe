/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Large enough that chunk headers do not count, small enough for a short-lived arena. */
#define CHUNK_SIZE 16384

struct arena_chunk {
	struct arena_chunk *next;
	size_t size;
	alignas(max_align_t) unsigned char data[];
};

void *arena_alloc(struct arena *arena, size_t size)
{
	const size_t align = alignof(max_align_t);
	struct arena_chunk *chunk = arena->chunks;
	size_t room = chunk ? chunk->size - arena->used : 0;
	void *p;

	if (size > SIZE_MAX - align - sizeof(*chunk))
		return NULL;
	size = (size + align - 1) & ~(align - 1);
	if (!chunk || size > room) {
		size_t want = size > CHUNK_SIZE ? size : CHUNK_SIZE;

		chunk = mem_alloc(sizeof(*chunk) + want);
		if (!chunk)
			return NULL;
		chunk->next = arena->chunks;
		chunk->size = want;
		arena->chunks = chunk;
		arena->used = 0;
	}
	p = chunk->data + arena->used;
	arena->used += size;
	return p;
}

void *arena_zalloc(struct arena *arena, size_t n, size_t size)
{
	size_t bytes;
	void *p;

	if (__builtin_mul_overflow(n, size, &bytes))
		return NULL;
	p = arena_alloc(arena, bytes);
	if (p)
		memset(p, 0, bytes);
	return p;
}

static char *copy_string(struct arena *arena, const char *s, size_t len)
{
	char *copy = arena_alloc(arena, len + 1);

	if (copy) {
		memcpy(copy, s, len);
		copy[len] = '\0';
	}
	return copy;
}

char *arena_strndup(struct arena *arena, const char *s, size_t len)
{
	return copy_string(arena, s, strnlen(s, len));
}

char *arena_strdup(struct arena *arena, const char *s)
{
	return copy_string(arena, s, strlen(s));
}

char *arena_vprintf(struct arena *arena, const char *fmt, va_list ap)
{
	va_list again;
	char *text = NULL;
	int len;

	va_copy(again, ap);
	len = vsnprintf(NULL, 0, fmt, ap);
	if (len >= 0)
		text = arena_alloc(arena, (size_t)len + 1);
	if (text)
		vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	return text;
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = arena_vprintf(arena, fmt, ap);
	va_end(ap);
	return text;
}

size_t arena_size(const struct arena *arena)
{
	size_t sum = 0;

	for (const struct arena_chunk *c = arena->chunks; c; c = c->next)
		sum += sizeof(*c) + c->size;
	return sum;
}

void arena_done(struct arena *arena)
{
	while (arena->chunks) {
		struct arena_chunk *next = arena->chunks->next;

		free(arena->chunks);
		arena->chunks = next;
	}
	arena->used = 0;
}
