/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where things are in source code: `tags` files as ctags makes them, and public places where the
 * source of a kernel can be read. The text is not trusted: what does not look as it should is
 * passed over.
 */
#ifndef FATHOM_SYMBOLS_KERNEL_TAGS_H
#define FATHOM_SYMBOLS_KERNEL_TAGS_H

#include <stdbool.h>
#include <stddef.h>

#define TAG_FILE_SIZE	 512
#define TAG_PATTERN_SIZE 512

struct tag {
	char file[TAG_FILE_SIZE]; /* as in the tags file: mostly relative to it */
	char kind; /* 'f' for a function, 0: not said */
	unsigned line; /* 0: @pattern tells */
	char pattern[TAG_PATTERN_SIZE]; /* the line itself, or how it begins */
	bool to_end; /* @pattern is the whole line */
};

/* Finds up to @max tags of @name, functions first. How many there are in @ret_tags. */
size_t tags_find(const char *text, size_t size, const char *name, struct tag *ret_tags, size_t max);
/* The number of the line in the source @text that the tag means; 0: none. */
unsigned tag_line(const struct tag *tag, const char *text, size_t size);

/*
 * The version of the kernel as its source is tagged, "6.12.90", "5.10", "7.3-rc1", out of uname's release
 * and version, of which distributors put one or the other somewhere. False: there is no telling.
 */
bool source_version(const char *release, const char *version, char *ret_version, size_t size);

#endif
