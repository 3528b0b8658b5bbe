/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Output of the kernel's __print_*() and __get_*() helpers. */
#include <string.h>

#include "format/event/c-type.h"
#include "format/print/print-program.h"

void print_string(struct print_run *run, uint64_t memory)
{
	size_t len;
	const char *s = (const char *)print_memory(run, memory, &len);

	if (s)
		print_name(run, s, strnlen(s, len));
	else
		run->unknown = true;
}

void print_printk(struct print_run *run, uint64_t addr)
{
	const char *s = run->env->printk ? run->env->printk(run->env->data, addr) : NULL;

	if (s)
		print_escaped(run, s, strlen(s));
	else
		text_hex(run->text, addr);
}

static void leftover(struct print_run *run, uint64_t value, unsigned size)
{
	text_str(run->text, "0x");
	text_hex(run->text, c_type_narrow(value, size, false));
}

void print_flags(struct print_run *run, const struct print_table *table, uint64_t value,
		 unsigned size)
{
	bool any = false;

	for (uint32_t i = 0; i < table->n && value; i++) {
		const struct print_pair *pair = &table->pairs[i];

		if (!pair->is_known || !pair->value || (value & pair->value) != pair->value)
			continue;
		if (any)
			text_bytes(run->text, table->delimiter, table->delimiter_len);
		text_bytes(run->text, pair->name, pair->len);
		value &= ~pair->value;
		any = true;
	}
	if (c_type_narrow(value, size, false)) {
		if (any)
			text_bytes(run->text, table->delimiter, table->delimiter_len);
		leftover(run, value, size);
	}
}

void print_symbolic(struct print_run *run, const struct print_table *table, uint64_t value,
		    unsigned size)
{
	const struct print_pair *pair = NULL;

	if (table->direct) {
		if (value < table->n_direct && table->direct[value])
			pair = &table->pairs[table->direct[value] - 1];
	} else {
		for (uint32_t i = 0; i < table->n && !pair; i++)
			if (table->pairs[i].is_known && table->pairs[i].value == value)
				pair = &table->pairs[i];
	}
	if (pair)
		text_bytes(run->text, pair->name, pair->len);
	else
		leftover(run, value, size);
}

/* Returns the bytes that a pointer points to if there are at least @count of them. */
static const unsigned char *print_helper_at_least(struct print_run *run, uint64_t memory,
						  uint64_t count)
{
	size_t len;
	const unsigned char *p = print_memory(run, memory, &len);

	if (p && count <= len)
		return p;
	run->unknown = true;
	return NULL;
}

void print_hex(struct print_run *run, uint64_t memory, uint64_t count, char separator)
{
	/* The count is an int; a negative one prints nothing. */
	const int n = (int)count;
	const unsigned char *p;

	if (n <= 0)
		return;
	p = print_helper_at_least(run, memory, (uint64_t)n);
	for (int i = 0; p && i < n && text_room(run->text); i++) {
		if (i && separator)
			text_char(run->text, separator);
		text_hex_byte(run->text, p[i], false);
	}
}

void print_array(struct print_run *run, uint64_t memory, uint64_t count, uint64_t size)
{
	size_t len;
	const unsigned char *p = print_memory(run, memory, &len);

	if (size != 1 && size != 2 && size != 4 && size != 8) {
		run->unknown = true;
		return;
	}
	if (count == UINT64_MAX)
		count = len / size;
	else
		count = (int)count < 0 ? 0 : (uint32_t)count;
	if (!p || count > len / size) {
		run->unknown = true;
		return;
	}
	text_char(run->text, '{');
	for (uint64_t i = 0; i < count && text_room(run->text); i++) {
		if (i)
			text_char(run->text, ',');
		text_str(run->text, "0x");
		text_hex(run->text, event_read_number(run->program->format->abi, p + i * size,
						      (unsigned)size));
	}
	text_char(run->text, '}');
}

/* Byte @i of a mask, starting at its lowest bits; masks are stored as longs. */
static unsigned char mask_byte(const struct print_run *run, const unsigned char *p, size_t i)
{
	const struct event_abi *abi = &run->program->format->abi;

	if (!abi->big_endian)
		return p[i];
	return p[i / abi->long_size * abi->long_size + (abi->long_size - 1 - i % abi->long_size)];
}

/* Whole longs only, so that mask_byte() stays in bounds. */
static const unsigned char *print_helper_mask(struct print_run *run, uint64_t memory,
					      size_t *ret_len)
{
	const unsigned char *p = print_memory(run, memory, ret_len);

	if (run->program->format->abi.big_endian)
		*ret_len -= *ret_len % run->program->format->abi.long_size;
	if (!p)
		run->unknown = true;
	return p;
}

void print_bitmask(struct print_run *run, uint64_t memory)
{
	size_t len;
	const unsigned char *p = print_helper_mask(run, memory, &len);

	for (size_t i = p ? len : 0; i-- && text_room(run->text);) {
		text_hex_byte(run->text, mask_byte(run, p, i), false);
		if (i && i % 4 == 0)
			text_char(run->text, ',');
	}
}

static bool mask_bit(const struct print_run *run, const unsigned char *p, size_t bit)
{
	return mask_byte(run, p, bit / 8) >> bit % 8 & 1;
}

void print_cpulist(struct print_run *run, uint64_t memory)
{
	size_t len;
	const unsigned char *p = print_helper_mask(run, memory, &len);
	const size_t bits = p ? len * 8 : 0;
	bool any = false;

	for (size_t bit = 0; bit < bits && text_room(run->text); bit++) {
		size_t first = bit;

		if (!mask_bit(run, p, bit))
			continue;
		while (bit + 1 < bits && mask_bit(run, p, bit + 1))
			bit++;
		if (any)
			text_char(run->text, ',');
		any = true;
		text_u64(run->text, first);
		if (bit > first) {
			text_char(run->text, '-');
			text_u64(run->text, bit);
		}
	}
}

void print_stack(struct print_run *run, uint64_t memory)
{
	const struct event_abi abi = run->program->format->abi;
	size_t len;
	const unsigned char *p = print_memory(run, memory, &len);

	if (!p)
		run->unknown = true;
	for (size_t i = 0; p && i + abi.long_size <= len; i += abi.long_size) {
		text_str(run->text, "\n => ");
		print_symbol(run, event_read_number(abi, p + i, abi.long_size), true);
	}
}

/* One line of a dump, without its prefix. */
static void dump_row(struct print_run *run, const unsigned char *p, size_t n, size_t row,
		     size_t group, bool ascii)
{
	const size_t start = text_len(run->text);

	if (n % group)
		group = 1;
	for (size_t i = 0; i < n; i += group) {
		if (i)
			text_char(run->text, ' ');
		for (size_t j = 0; j < group; j++) {
			bool reverse = group > 1 && !run->program->format->abi.big_endian;

			text_hex_byte(run->text, p[reverse ? i + group - 1 - j : i + j], false);
		}
	}
	if (!ascii)
		return;
	text_pad(run->text, start, row * 2 + row / group + 1, true);
	for (size_t i = 0; i < n; i++)
		text_char(run->text, p[i] >= ' ' && p[i] < 0x7f ? (char)p[i] : '.');
}

void print_hex_dump(struct print_run *run, const struct print_dump *dump)
{
	const unsigned char *p = print_helper_at_least(run, dump->memory, dump->len);
	const size_t row = dump->row == 32 ? 32 : 16;
	const size_t group =
		dump->group == 2 || dump->group == 4 || dump->group == 8 ? dump->group : 1;

	/* The prefix would be the address of the kernel's data at the time of printing. */
	if (dump->prefix_type == 1)
		run->unknown = true;
	text_char(run->text, '\n');
	for (size_t i = 0; p && i < dump->len && text_room(run->text); i += row) {
		text_str(run->text, dump->prefix);
		if (dump->prefix_type == 2) {
			text_number(run->text, &(struct text_number){
						       .value = i, .base = 16, .precision = 8 });
			text_str(run->text, ": ");
		}
		dump_row(run, p + i, dump->len - i < row ? dump->len - i : row, row, group,
			 dump->ascii);
		text_char(run->text, '\n');
	}
}
