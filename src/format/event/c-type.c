/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "format/event/c-type.h"

#include <string.h>

#include "base/cleanup.h"

/* The size of types that are as wide as a long. */
#define LONG 0xff

struct named {
	const char *name;
	uint8_t size;
	bool is_signed;
};

/*
 * One-word type names of the kernel with the same width on every machine (or that of a long),
 * unchanged since 4.19.
 */
static const struct named names[] = {
	{ "u8", 1 },
	{ "u16", 2 },
	{ "u32", 4 },
	{ "u64", 8 },
	{ "s8", 1, true },
	{ "s16", 2, true },
	{ "s32", 4, true },
	{ "s64", 8, true },
	{ "__u8", 1 },
	{ "__u16", 2 },
	{ "__u32", 4 },
	{ "__u64", 8 },
	{ "__s8", 1, true },
	{ "__s16", 2, true },
	{ "__s32", 4, true },
	{ "__s64", 8, true },
	{ "uint8_t", 1 },
	{ "uint16_t", 2 },
	{ "uint32_t", 4 },
	{ "uint64_t", 8 },
	{ "int8_t", 1, true },
	{ "int16_t", 2, true },
	{ "int32_t", 4, true },
	{ "int64_t", 8, true },
	{ "__le16", 2 },
	{ "__le32", 4 },
	{ "__le64", 8 },
	{ "__be16", 2 },
	{ "__be32", 4 },
	{ "__be64", 8 },
	{ "__sum16", 2 },
	{ "__wsum", 4 },
	{ "u_char", 1 },
	{ "u_short", 2 },
	{ "u_int", 4 },
	{ "u_long", LONG },
	{ "uint", 4 },
	{ "ulong", LONG },
	{ "ushort", 2 },
	{ "unchar", 1 },
	{ "size_t", LONG },
	{ "ssize_t", LONG, true },
	{ "ptrdiff_t", LONG, true },
	{ "uintptr_t", LONG },
	{ "intptr_t", LONG, true },
	{ "pid_t", 4, true },
	{ "uid_t", 4 },
	{ "gid_t", 4 },
	{ "dev_t", 4 },
	{ "mode_t", 4 },
	{ "umode_t", 2 },
	{ "loff_t", 8, true },
	{ "off_t", LONG, true },
	{ "ino_t", LONG },
	{ "sector_t", 8 },
	{ "blkcnt_t", 8 },
	{ "pgoff_t", LONG },
	{ "gfp_t", 4 },
	{ "fmode_t", 4 },
	{ "blk_opf_t", 4 },
	{ "blk_status_t", 1 },
	{ "slab_flags_t", 4 },
	{ "time64_t", 8, true },
	{ "ktime_t", 8, true },
	{ "netdev_features_t", 8 },
	{ "key_serial_t", 4, true },
	{ "clockid_t", 4, true },
	{ "__kernel_rwf_t", 4, true },
	{ "__poll_t", 4 },
	{ "vm_fault_t", 4 },
	{ "isolate_mode_t", 4 },
	{ "compat_ulong_t", 4 },
	{ "rwf_t", 4, true },
};

/* Words that don't affect the size. */
static const char *const qualifiers[] = {
	"const",    "volatile",	 "__user",   "__rcu",  "__iomem",  "__percpu",	"__force",
	"restrict", "__bitwise", "register", "static", "__kernel", "__private", "notrace",
};

static bool word_is(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(s, word, len) == 0;
}

static bool word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

static const struct named *find_named(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (word_is(s, len, names[i].name))
			return &names[i];
	return NULL;
}

static bool is_qualifier(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(qualifiers); i++)
		if (word_is(s, len, qualifiers[i]))
			return true;
	return false;
}

/* The words of a type, counted. */
struct words {
	unsigned longs;
	bool is_short, is_char, is_int, is_signed, is_unsigned, is_record, is_enum;
};

static void add_word(struct words *w, struct c_type *t, unsigned long_size, const char *s,
		     size_t len)
{
	const struct named *named;

	if (is_qualifier(s, len) || t->is_record || w->is_enum)
		return;
	if (word_is(s, len, "unsigned")) {
		w->is_unsigned = true;
	} else if (word_is(s, len, "signed")) {
		w->is_signed = true;
	} else if (word_is(s, len, "long")) {
		w->longs++;
	} else if (word_is(s, len, "short")) {
		w->is_short = true;
	} else if (word_is(s, len, "char")) {
		w->is_char = true;
	} else if (word_is(s, len, "int")) {
		w->is_int = true;
	} else if (word_is(s, len, "struct") || word_is(s, len, "union")) {
		t->is_record = true;
	} else if (word_is(s, len, "enum")) {
		w->is_enum = true;
	} else if (word_is(s, len, "void")) {
		t->is_void = true;
	} else if (word_is(s, len, "bool") || word_is(s, len, "_Bool")) {
		t->is_bool = true;
		t->size = 1;
	} else if ((named = find_named(s, len))) {
		t->size = named->size == LONG ? (uint8_t)long_size : named->size;
		t->is_signed = named->is_signed;
		t->is_char = named->size == 1;
	}
}

static void c_type_add_up(const struct words *w, struct c_type *t, unsigned long_size)
{
	if (t->size || t->is_record || t->is_void)
		return;
	if (w->is_enum) {
		t->size = 4;
	} else if (w->is_char) {
		t->size = 1;
		t->is_char = true;
		t->is_signed = !w->is_unsigned;
	} else if (w->is_short) {
		t->size = 2;
		t->is_signed = !w->is_unsigned;
	} else if (w->longs) {
		t->size = w->longs > 1 ? 8 : (uint8_t)long_size;
		t->is_signed = !w->is_unsigned;
	} else if (w->is_int || w->is_unsigned || w->is_signed) {
		t->size = 4;
		t->is_signed = !w->is_unsigned;
	}
}

struct c_type c_type_read(const char *s, size_t len, unsigned long_size)
{
	struct c_type t = { 0 };
	struct words w = { 0 };

	for (size_t i = 0; i < len;) {
		size_t start = i;

		while (i < len && word_char(s[i]))
			i++;
		if (i > start) {
			add_word(&w, &t, long_size, s + start, i - start);
			continue;
		}
		if (s[i] == '*' && t.pointers < UINT8_MAX)
			t.pointers++;
		i++;
	}
	c_type_add_up(&w, &t, long_size);
	return t;
}

bool c_type_is_word(const char *s, size_t len)
{
	static const char *const words[] = {
		"unsigned", "signed", "long", "short", "char", "int",
		"struct",   "union",  "enum", "void",  "bool", "_Bool"
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (word_is(s, len, words[i]))
			return true;
	return is_qualifier(s, len) || find_named(s, len);
}

struct c_type c_type_promote(struct c_type t)
{
	if (t.size < 4)
		return c_type_int(4, true);
	return c_type_int(t.size, t.is_signed);
}

struct c_type c_type_common(struct c_type a, struct c_type b)
{
	a = c_type_promote(a);
	b = c_type_promote(b);
	if (a.size != b.size)
		return a.size > b.size ? a : b;
	return c_type_int(a.size, a.is_signed && b.is_signed);
}
