/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/probe/usdt.h"

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"

#define OWNER	"stapsdt"
#define VERSION 3 /* of the notes; there is only this one */

/*
 * Returns how far the file was relocated after the notes were written, as recorded by the section
 * .stapsdt.base.
 */
static uint64_t moved_by(const struct elf_file *file, uint64_t base)
{
	const struct elf_section *section = elf_file_named(file, ".stapsdt.base");

	return section && base ? section->address - base : 0;
}

/* Returns the string at *@at and advances it; NULL if it is not terminated. */
static const char *next_string(const unsigned char *bytes, size_t size, size_t *at)
{
	const char *s = (const char *)bytes + *at;
	size_t len = strnlen(s, size - *at);

	if (len == size - *at)
		return NULL;
	*at += len + 1;
	return s;
}

/* Returns false if it is not a supported marker. */
static bool usdt_parse_marker(const struct elf_file *file, const unsigned char *bytes, size_t size,
			      struct usdt_marker *ret)
{
	size_t word = file->is_64 ? 8 : 4, at = 3 * word;
	uint64_t address, base, counter;

	if (size < at)
		return false;
	address = elf_file_number(file, bytes, word);
	base = elf_file_number(file, bytes + word, word);
	counter = elf_file_number(file, bytes + 2 * word, word);
	*ret = (struct usdt_marker){ .provider = next_string(bytes, size, &at) };
	ret->name = ret->provider ? next_string(bytes, size, &at) : NULL;
	if (!ret->name || !*ret->name || !*ret->provider)
		return false;
	/* Without arguments, the text may be missing. */
	ret->arguments = at < size ? next_string(bytes, size, &at) : "";
	if (!ret->arguments)
		return false;
	if (counter && !elf_file_offset(file, counter + moved_by(file, base), &ret->counter))
		return false;
	return elf_file_offset(file, address + moved_by(file, base), &ret->offset);
}

/* A list of markers under construction. */
struct list {
	struct usdt_marker *markers;
	size_t n, cap;
};

static int add_marker(struct list *list, struct arena *arena, const struct usdt_marker *marker)
{
	struct usdt_marker own = *marker;

	own.provider = arena_strdup(arena, marker->provider);
	own.name = arena_strdup(arena, marker->name);
	own.arguments = arena_strdup(arena, marker->arguments);
	if (!own.provider || !own.name || !own.arguments ||
	    mem_reserve(&list->markers, &list->cap, list->n + 1, sizeof(own)) < 0)
		return -ENOMEM;
	list->markers[list->n++] = own;
	return 0;
}

static int read_notes(const struct elf_file *file, const unsigned char *notes, size_t size,
		      struct list *list, struct arena *arena)
{
	size_t at = 0;
	int r = 0;

	/* Three 32-bit numbers for both ELF classes, then name and contents, padded. */
	while (r == 0 && size - at >= sizeof(Elf64_Nhdr)) {
		uint64_t name = elf_file_number(file, notes + at, 4);
		uint64_t len = elf_file_number(file, notes + at + 4, 4);
		uint64_t type = elf_file_number(file, notes + at + 8, 4);
		uint64_t name_room = (name + 3) & ~3ULL, room = (len + 3) & ~3ULL;
		struct usdt_marker marker;

		at += sizeof(Elf64_Nhdr);
		if (name_room > size - at || len > size - at - name_room)
			return 0;
		if (type == VERSION && name == sizeof(OWNER) &&
		    memcmp(notes + at, OWNER, sizeof(OWNER)) == 0 &&
		    usdt_parse_marker(file, notes + at + name_room, (size_t)len, &marker))
			r = add_marker(list, arena, &marker);
		at += (size_t)name_room;
		at += room > size - at ? size - at : (size_t)room;
	}
	return r;
}

int usdt_read(const struct elf_file *file, struct arena *arena, struct usdt_marker **ret_markers,
	      size_t *ret_n)
{
	const struct elf_section *section = elf_file_named(file, ".note.stapsdt");
	_cleanup_free_ unsigned char *notes = NULL;
	_cleanup_free_ struct usdt_marker *found = NULL;
	struct usdt_marker *copy;
	struct list list = { 0 };
	size_t size = 0;
	int r = section ? elf_file_bytes(file, section, &notes, &size) : 0;

	if (r == -ENOMEM)
		return r;
	r = notes ? read_notes(file, notes, size, &list, arena) : 0;
	found = list.markers;
	if (r < 0)
		return r;
	copy = arena_zalloc(arena, list.n + 1, sizeof(*copy));
	if (!copy)
		return -ENOMEM;
	if (list.n)
		memcpy(copy, found, list.n * sizeof(*copy));
	*ret_markers = copy;
	*ret_n = list.n;
	return 0;
}

/* Returns the length of the argument at @p: up to a space outside brackets. */
static size_t argument_length(const char *p)
{
	size_t n = 0;
	int depth = 0;

	for (; p[n] && (p[n] != ' ' || depth > 0); n++)
		depth += (p[n] == '[') - (p[n] == ']');
	return n;
}

unsigned usdt_count_arguments(const char *arguments)
{
	const char *p = arguments + strspn(arguments, " ");
	unsigned n = 0;

	for (; *p; n++) {
		p += argument_length(p);
		p += strspn(p, " ");
	}
	return n;
}

/* Names of parts of registers, and the kernel's name of the whole register. */
static const struct {
	const char *names[4];
	const char *whole;
} x86_registers[] = {
	{ { "rax", "eax", "ax", "al" }, "ax" },	      { { "rbx", "ebx", "bx", "bl" }, "bx" },
	{ { "rcx", "ecx", "cx", "cl" }, "cx" },	      { { "rdx", "edx", "dx", "dl" }, "dx" },
	{ { "rsi", "esi", "si", "sil" }, "si" },      { { "rdi", "edi", "di", "dil" }, "di" },
	{ { "rbp", "ebp", "bp", "bpl" }, "bp" },      { { "rsp", "esp", "sp", "spl" }, "sp" },
	{ { "r8", "r8d", "r8w", "r8b" }, "r8" },      { { "r9", "r9d", "r9w", "r9b" }, "r9" },
	{ { "r10", "r10d", "r10w", "r10b" }, "r10" }, { { "r11", "r11d", "r11w", "r11b" }, "r11" },
	{ { "r12", "r12d", "r12w", "r12b" }, "r12" }, { { "r13", "r13d", "r13w", "r13b" }, "r13" },
	{ { "r14", "r14d", "r14w", "r14b" }, "r14" }, { { "r15", "r15d", "r15w", "r15b" }, "r15" },
};

static bool usdt_is_text(const char *p, size_t len, const char *text)
{
	return strlen(text) == len && strncmp(p, text, len) == 0;
}

static bool find_x86_register(const char *p, size_t len, char base[8])
{
	for (size_t i = 0; i < ARRAY_SIZE(x86_registers); i++)
		for (size_t k = 0; k < ARRAY_SIZE(x86_registers[i].names); k++)
			if (usdt_is_text(p, len, x86_registers[i].names[k])) {
				snprintf(base, 8, "%s", x86_registers[i].whole);
				return true;
			}
	return false;
}

/* Parses an integer of @len characters. */
static bool usdt_parse_number(const char *p, size_t len, int64_t *ret)
{
	char text[32], *end;

	if (!len || len >= sizeof(text))
		return false;
	memcpy(text, p, len);
	text[len] = '\0';
	errno = 0;
	/* As in C: large unsigned numbers become negative. */
	*ret = text[0] == '-' ? strtoll(text, &end, 0) : (int64_t)strtoull(text, &end, 0);
	return !errno && !*end && strspn(text, "-+0123456789abcdefABCDEFxX") == len;
}

/* "%rdi", "$5", "-16(%rbp)" */
static int parse_x86(const char *p, size_t len, struct usdt_argument *argument, const char **why)
{
	const char *open = memchr(p, '(', len);

	*why = "in a register that the kernel cannot read";
	if (len && *p == '%' && !memchr(p, ':', len)) {
		argument->operand = USDT_REGISTER;
		return find_x86_register(p + 1, len - 1, argument->base) ? 0 : -EINVAL;
	}
	*why = "invalid marker note in the file";
	if (len && *p == '$') {
		argument->operand = USDT_NUMBER;
		return usdt_parse_number(p + 1, len - 1, &argument->number) ? 0 : -EINVAL;
	}
	if (!open || p[len - 1] != ')' || open[1] != '%')
		return -EINVAL;
	argument->operand = USDT_MEMORY;
	*why = "its address is computed from several registers";
	if (open > p && !usdt_parse_number(p, (size_t)(open - p), &argument->number))
		return -EINVAL;
	return find_x86_register(open + 2, (size_t)(p + len - 1 - (open + 2)), argument->base) ?
		       0 :
		       -EINVAL;
}

/* "x0", "w0", "sp" */
static bool find_arm64_register(const char *p, size_t len, char base[8])
{
	int64_t n;

	if (usdt_is_text(p, len, "sp")) {
		snprintf(base, 8, "sp");
		return true;
	}
	if (len < 2 || (*p != 'x' && *p != 'w') || !usdt_parse_number(p + 1, len - 1, &n) ||
	    n < 0 || n > 30)
		return false;
	snprintf(base, 8, "x%d", (int)n);
	return true;
}

/* "x0", "5", "[sp]", "[x29, -20]" */
static int parse_arm64(const char *p, size_t len, struct usdt_argument *argument, const char **why)
{
	const char *comma;
	size_t name;

	if (find_arm64_register(p, len, argument->base)) {
		argument->operand = USDT_REGISTER;
		return 0;
	}
	if (usdt_parse_number(p, len, &argument->number)) {
		argument->operand = USDT_NUMBER;
		return 0;
	}
	*why = "in a register that the kernel cannot read";
	if (len < 3 || *p != '[' || p[len - 1] != ']')
		return -EINVAL;
	*why = "its address is computed from several registers";
	argument->operand = USDT_MEMORY;
	comma = memchr(p, ',', len);
	name = (size_t)((comma ? comma : p + len - 1) - p - 1);
	if (comma) {
		const char *number = comma + 1;

		number += strspn(number, " #");
		if (number >= p + len - 1 ||
		    !usdt_parse_number(number, (size_t)(p + len - 1 - number), &argument->number))
			return -EINVAL;
	}
	return find_arm64_register(p + 1, name, argument->base) ? 0 : -EINVAL;
}

/* Parses "SIZE@", negative for signed numbers. Returns its length; 0: there is none. */
static size_t parse_size(const char *p, size_t len, struct usdt_argument *argument)
{
	const char *at = memchr(p, '@', len);
	int64_t size;

	if (!at || !usdt_parse_number(p, (size_t)(at - p), &size) || size < -8 || size > 8)
		return 0;
	argument->is_signed = size < 0;
	size = size < 0 ? -size : size;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return 0;
	argument->size = (unsigned)size;
	return (size_t)(at - p) + 1;
}

int usdt_find_argument(const char *arguments, uint16_t machine, unsigned i,
		       struct usdt_argument *ret_argument, const char **ret_why)
{
	const char *p = arguments + strspn(arguments, " ");
	struct usdt_argument argument = { .size = 8 };
	size_t len, skip;
	int r;

	for (; i && *p; i--) {
		p += argument_length(p);
		p += strspn(p, " ");
	}
	if (!*p)
		return -ENOENT;
	len = argument_length(p);
	skip = parse_size(p, len, &argument);
	*ret_why = "not an integer, or an invalid marker note in the file";
	if (!skip)
		return -EINVAL;
	*ret_why = "registers are not supported on this architecture";
	if (machine == EM_X86_64)
		r = parse_x86(p + skip, len - skip, &argument, ret_why);
	else
		r = machine == EM_AARCH64 ? parse_arm64(p + skip, len - skip, &argument, ret_why) :
					    -EINVAL;
	if (r == 0)
		*ret_argument = argument;
	return r;
}
