/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Representation of compiled patterns, shared by the compilers of all kinds. Private to pattern.c
 * and pattern-regex.c.
 */
#ifndef FATHOM_BASE_PATTERN_PATTERN_CODE_H
#define FATHOM_BASE_PATTERN_PATTERN_CODE_H

#include <stdint.h>

#include "base/pattern/pattern.h"

#define PATTERN_CODE_MAX 1024
#define PATTERN_SETS_MAX 128

enum pattern_op {
	PATTERN_OP_CHAR, /* the byte c */
	PATTERN_OP_ANY, /* any byte */
	PATTERN_OP_SET, /* a byte in set number x */
	PATTERN_OP_STAR, /* globs only: any number of bytes */
	PATTERN_OP_SPLIT, /* continue at x and at y, both relative */
	PATTERN_OP_JUMP, /* continue at x, relative */
	PATTERN_OP_BEGIN, /* start of the text */
	PATTERN_OP_END, /* end of the text */
	PATTERN_OP_WORD_BEGIN,
	PATTERN_OP_WORD_END,
	PATTERN_OP_WORD_EDGE,
	PATTERN_OP_NO_WORD_EDGE,
	PATTERN_OP_MATCH,
};

struct pattern_code {
	uint8_t op;
	uint8_t c;
	int16_t x;
	int16_t y;
};

struct pattern_set {
	uint64_t bits[4];
};

struct pattern {
	uint8_t kind; /* enum pattern_kind; a glob without wildcards is exact */
	bool icase;
	uint16_t n_code;
	const char *text; /* of an exact one */
	size_t len;
	const struct pattern_code *code;
	const struct pattern_set *sets;
	bool takes_bytes; /* regular expressions: no match is empty, and each starts with... */
	struct pattern_set first; /* ...one of these */
};

struct pattern_compiler {
	const char *text;
	size_t len;
	size_t at;
	bool icase;
	bool extended; /* regular expressions only */
	unsigned depth;
	unsigned n_code;
	unsigned n_sets;
	struct fathom_err *err;
	struct pattern_code code[PATTERN_CODE_MAX];
	struct pattern_code copy[PATTERN_CODE_MAX]; /* of the part that is repeated */
	struct pattern_set sets[PATTERN_SETS_MAX];
};

static inline bool pattern_set_has(const struct pattern_set *set, unsigned char c)
{
	return set->bits[c / 64] >> (c % 64) & 1;
}

static inline unsigned char pattern_fold(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? (unsigned char)(c + 'a' - 'A') : c;
}

static inline bool pattern_word_char(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

int pattern_emit(struct pattern_compiler *compiler, struct pattern_code code);
/*
 * Parses the set at @at, just after '[', and moves @at past its ']'. Returns the number of the set,
 * -ENOENT if ']' is missing, or -EINVAL.
 */
int pattern_read_set(struct pattern_compiler *compiler, bool bang_negates);
int pattern_add_set(struct pattern_compiler *compiler, const struct pattern_set *set);

#endif
