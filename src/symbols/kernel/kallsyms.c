/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/kernel/kallsyms.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"

/* Offsets in the text have 32 bits; the text of a kernel has 10 to 30 MB. */
#define TEXT_MAX ((size_t)1 << 30)

static bool kallsyms_is_space(char c)
{
	/* For most characters, one comparison suffices; other control characters are not spaces. */
	return (unsigned char)c <= ' ' && (c == ' ' || c == '\t' || c == '\r' || c == '\n');
}

/* Returns the end of the word at @p: a space or the NUL. */
static char *word_end(char *p)
{
	while ((unsigned char)*p > ' ' || (*p && !kallsyms_is_space(*p)))
		p++;
	return p;
}

/*
 * Parses eight digits at once, in lower case as the kernel writes them. Returns false for anything
 * else. At least 7 bytes after the end of the text must be readable.
 */
static bool read_hex_8(const char *p, uint64_t *ret_value)
{
	const uint64_t ones = 0x0101010101010101;
	uint64_t digits, n;

	memcpy(&digits, p, sizeof(digits));
	if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
		digits = __builtin_bswap64(digits);
	/* Letters have bit 6 set and count from 1. */
	n = (digits & 0x0f * ones) + (digits >> 6 & ones) * 9;
	if (n & 0xf0 * ones || n + '0' * ones + ((n + 6 * ones) >> 4 & ones) * 39 != digits)
		return false;
	n = (n | n >> 4) & 0x00ff00ff00ff00ff;
	n = (n | n >> 8) & 0x0000ffff0000ffff;
	*ret_value = (n | n >> 16) & UINT32_MAX;
	return true;
}

/* Parses up to 16 digits at *@p, and advances it. Returns their number. */
static unsigned read_address(char **p, uint64_t *ret_address)
{
	uint64_t address = 0, low;
	unsigned digits = 0;

	if (read_hex_8(*p, &address)) {
		digits = 8;
		if (read_hex_8(*p + 8, &low)) {
			digits = 16;
			address = address << 32 | low;
		}
	}
	for (int d; digits < 16 && (d = str_hex_digit((*p)[digits])) >= 0; digits++)
		address = address << 4 | (unsigned)d;
	*p += digits;
	*ret_address = address;
	return digits;
}

/* Parses "ADDRESS TYPE NAME[\t[MODULE]]". Returns false if it is invalid or without an address. */
static bool kallsyms_read_line(const struct kallsyms *kallsyms, char *p,
			       struct kallsyms_symbol *ret)
{
	uint64_t address;
	char type, separator;
	char *name;

	if (!read_address(&p, &address) || !kallsyms_is_space(*p))
		return false;
	while (kallsyms_is_space(*p))
		p++;
	type = *p;
	if (!type || !kallsyms_is_space(p[1]))
		return false;
	name = p + 1;
	while (kallsyms_is_space(*name))
		name++;
	/*
	 * 'a' are numbers and offsets of per-CPU variables; "$x" are markers of the ARM toolchain.
	 */
	if (!*name || *name == '$' || type == 'A' || type == 'a')
		return false;
	p = word_end(name);
	separator = *p;
	if (separator)
		*p++ = '\0';
	*ret = (struct kallsyms_symbol){ .address = address,
					 .name = (uint32_t)(name - kallsyms->text) };
	if (separator == '\t' && *p == '[') {
		char *module = p + 1;
		char *end = word_end(module);

		*end = '\0';
		if (end > module && end[-1] == ']')
			end[-1] = '\0';
		ret->module = (uint32_t)(module - kallsyms->text);
	}
	return true;
}

static int kallsyms_read_text(struct kallsyms *kallsyms)
{
	size_t cap = 0;

	for (char *line = kallsyms->text; *line;) {
		char *end = strchrnul(line, '\n');
		char *next = *end ? end + 1 : end;
		int r;

		*end = '\0';
		r = mem_reserve(&kallsyms->symbols, &cap, kallsyms->n + (size_t)1,
				sizeof(kallsyms->symbols[0]));
		if (r < 0)
			return r;
		if (kallsyms_read_line(kallsyms, line, &kallsyms->symbols[kallsyms->n]))
			kallsyms->n++;
		else
			kallsyms->skipped++;
		line = next;
	}
	return 0;
}

static void reverse(struct kallsyms_symbol *symbols, uint32_t n)
{
	for (uint32_t i = 0; i < n / 2; i++) {
		struct kallsyms_symbol symbol = symbols[i];

		symbols[i] = symbols[n - 1 - i];
		symbols[n - 1 - i] = symbol;
	}
}

/*
 * A stable sort by address in linear time for any input: a radix sort, one byte at a time from the
 * lowest. Bytes that are equal in all addresses, as most of the upper ones are, need no pass.
 */
static int sort_symbols(struct kallsyms_symbol *symbols, uint32_t n)
{
	_cleanup_free_ struct kallsyms_symbol *room = mem_zalloc(n, sizeof(*room));
	struct kallsyms_symbol *from = symbols, *to = room;
	uint64_t differ = 0;

	if (!room)
		return -ENOMEM;
	for (uint32_t i = 1; i < n; i++)
		differ |= symbols[i].address ^ symbols[0].address;
	for (unsigned shift = 0; shift < 64; shift += 8) {
		uint32_t at[256] = { 0 };
		uint32_t sum = 0;

		if (!(differ >> shift & 0xff))
			continue;
		for (uint32_t i = 0; i < n; i++)
			at[from[i].address >> shift & 0xff]++;
		for (unsigned i = 0; i < 256; i++) {
			uint32_t count = at[i];

			at[i] = sum;
			sum += count;
		}
		for (uint32_t i = 0; i < n; i++)
			to[at[from[i].address >> shift & 0xff]++] = from[i];
		to = from;
		from = from == symbols ? room : symbols;
	}
	if (from != symbols)
		memcpy(symbols, from, n * sizeof(*symbols));
	return 0;
}

const char *const kallsyms_marks[] = {
	"__irqentry_text_start",
	"__irqentry_text_end",
	"__softirqentry_text_start",
	"__softirqentry_text_end",
	"_text",
	"_stext",
	"_etext",
	"vmemmap_base",
	"mem_map",
	"page_offset_base",
	NULL,
};

int kallsyms_init(struct kallsyms *kallsyms, const char *text, size_t len)
{
	int r;

	memset(kallsyms, 0, sizeof(*kallsyms));
	if (len > TEXT_MAX)
		return -EFBIG;
	/* Offset 0 means no module, so the text begins at 1. */
	kallsyms->text = mem_zalloc(1, len + 2 + KALLSYMS_NAME_PAD);
	if (!kallsyms->text)
		return -ENOMEM;
	kallsyms->text[0] = '\n';
	memcpy(kallsyms->text + 1, text, len);
	kallsyms->text[len + 1] = '\0';
	kallsyms->is_odd = quote_plain_lines(text, len) < len;
	r = kallsyms_read_text(kallsyms);
	/* Of several names, the last one in the text sorts first. */
	reverse(kallsyms->symbols, kallsyms->n);
	if (r == 0 && kallsyms->n)
		r = sort_symbols(kallsyms->symbols, kallsyms->n);
	if (r < 0)
		kallsyms_done(kallsyms);
	return r;
}

void kallsyms_done(struct kallsyms *kallsyms)
{
	free(kallsyms->text);
	free(kallsyms->symbols);
	memset(kallsyms, 0, sizeof(*kallsyms));
}

/*
 * Returns the index of the symbol + 1; 0 for none. The choice among equal addresses matters, see
 * the header.
 */
static uint32_t kallsyms_search(const struct kallsyms *kallsyms, uint64_t address)
{
	const struct kallsyms_symbol *symbols = kallsyms->symbols;
	uint32_t low = 0, high = kallsyms->n;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (address < symbols[middle].address)
			high = middle;
		else if (address == symbols[middle].address ||
			 (middle + 1 < kallsyms->n && address < symbols[middle + 1].address))
			return middle + 1;
		else
			low = middle + 1;
	}
	return 0;
}

const struct kallsyms_symbol *kallsyms_find(const struct kallsyms *kallsyms,
					    struct kallsyms_cache *cache, uint64_t address)
{
	uint32_t slot, place;

	if (!cache) {
		place = kallsyms_search(kallsyms, address);
		return place ? &kallsyms->symbols[place - 1] : NULL;
	}
	slot = (uint32_t)(address * 0x9e3779b97f4a7c15U >> 52) % KALLSYMS_CACHE_SIZE;
	if (cache->address[slot] == address && cache->place[slot])
		return &kallsyms->symbols[cache->place[slot] - 1];
	place = kallsyms_search(kallsyms, address);
	if (!place)
		return NULL;
	cache->address[slot] = address;
	cache->place[slot] = place;
	return &kallsyms->symbols[place - 1];
}

const struct kallsyms_symbol *kallsyms_first_alias(const struct kallsyms *kallsyms,
						   const struct kallsyms_symbol *symbol)
{
	const struct kallsyms_symbol *last = kallsyms->symbols + kallsyms->n - 1;

	while (symbol < last && symbol[1].address == symbol->address)
		symbol++;
	return symbol;
}

const struct kallsyms_symbol *kallsyms_function(const struct kallsyms *kallsyms,
						struct kallsyms_cache *cache, uint64_t address)
{
	const struct kallsyms_symbol *symbol = kallsyms_find(kallsyms, cache, address);

	return symbol ? kallsyms_first_alias(kallsyms, symbol) : NULL;
}

bool kallsyms_address(const struct kallsyms *kallsyms, const char *name, uint64_t *ret_address)
{
	for (uint32_t i = 0; i < kallsyms->n; i++) {
		if (strcmp(kallsyms_name(kallsyms, &kallsyms->symbols[i]), name) == 0) {
			*ret_address = kallsyms->symbols[i].address;
			return true;
		}
	}
	return false;
}

uint64_t kallsyms_start(const char *text)
{
	const char *found = strstr(text, " T _text\n");

	while (found && found > text && found[-1] != '\n')
		found--;
	return found ? strtoull(found, NULL, 16) : 0;
}
