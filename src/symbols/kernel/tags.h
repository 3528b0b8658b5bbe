/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locations in source code: `tags` files as written by ctags, and the versions under which kernel
 * sources are published. The texts are untrusted; invalid lines are skipped. No function keeps
 * state.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_TAGS_H
#define FATHOM_SYMBOLS_KERNEL_TAGS_H

#include <stdbool.h>
#include <stddef.h>

#define TAG_FILE_SIZE	 512
#define TAG_PATTERN_SIZE 512

struct tag {
	char file[TAG_FILE_SIZE]; /* as in the tags file, usually relative to it */
	char kind; /* 'f' for a function, 0: unknown */
	unsigned line; /* 0: given by @pattern */
	char pattern[TAG_PATTERN_SIZE]; /* the line, or its beginning */
	bool to_end; /* @pattern is the whole line */
};

/* Finds up to @max tags of @name, functions first. Returns the number of elements in @ret_tags. */
size_t tags_find(const char *text, size_t size, const char *name, struct tag *ret_tags, size_t max);
/* Returns the number of the line in the source @text to which the tag refers; 0: none. */
unsigned tag_line(const struct tag *tag, const char *text, size_t size);

/*
 * Derives the version under which the kernel's source is tagged ("6.12.90", "5.10", "7.3-rc1") from
 * uname's release and version; distributors put it in either. Returns false if it cannot be
 * determined.
 */
bool source_version(const char *release, const char *version, char *ret_version, size_t size);

#endif
