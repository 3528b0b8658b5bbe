/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes format texts, their print expressions and the records printed with them.
 * Input: one byte (bit 0: 4-byte longs, bit 1: big endian, bit 2: a bprint event),
 * the format text, a NUL, the record.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/print.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *symbol(const void *data, uint64_t addr, uint64_t *ret_start)
{
	*ret_start = addr & ~(uint64_t)0xff;
	return addr % 3 ? "symbol" : NULL;
}

/* The end of the input serves as a printk format. */
static const char *printk(const void *data, uint64_t addr)
{
	return addr % 2 ? data : NULL;
}

static void print_record(const struct event_format *format, const struct print_program *program,
			 const struct print_env *env, const uint8_t *record, size_t len)
{
	static const size_t sizes[] = { 0, 1, 16, 4096 };
	char buf[4096];
	struct text text;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		text_init(&text, buf, sizes[i]);
		if (program)
			event_print(program, env, record, len, &text);
		event_print_fields(format, env, record, len, &text);
		if (text_len(&text) > sizes[i])
			abort();
	}
}

static void read_fields(const struct event_format *format, const uint8_t *record, size_t len)
{
	for (uint32_t i = 0; i < format->n_fields; i++) {
		const unsigned char *bytes;
		const char *s;
		uint64_t u;
		int64_t n;
		size_t l;

		(void)event_field_u64(format, &format->fields[i], record, len, &u);
		(void)event_field_s64(format, &format->fields[i], record, len, &n);
		if (event_field_string(format, &format->fields[i], record, len, &s, &l) && l > len)
			abort();
		if (event_field_bytes(format, &format->fields[i], record, len, &bytes, &l) &&
		    (bytes < record || bytes + l > record + len))
			abort();
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena arena = { 0 };
	struct print_env env = { .symbol = symbol, .printk = printk, .hz = 250 };
	const struct print_program *program = NULL;
	struct fathom_err err = { 0 };
	struct event_format *format;
	struct event_abi abi;
	const uint8_t *record;
	size_t text_size, len;
	char *tail;

	if (size < 1)
		return 0;
	abi = (struct event_abi){ .long_size = data[0] & 1 ? 4 : 8, .big_endian = data[0] & 2 };
	text_size = strnlen((const char *)data + 1, size - 1);
	record = data + 1 + text_size + (text_size < size - 1);
	len = (size_t)(data + size - record);
	tail = strndup((const char *)record, len);
	env.data = tail;
	if (tail &&
	    event_format_parse((const char *)data + 1, text_size, data[0] & 4 ? "ftrace" : "sys",
			       abi, &arena, &format, &err) == 0) {
		if (event_print_compile(format, NULL, &arena, &program, &err) < 0)
			program = NULL;
		print_record(format, program, &env, record, len);
		if (event_print_compile_fields(format, data[0] & 8, &arena, &program, &err) == 0)
			print_record(format, program, &env, record, len);
		read_fields(format, record, len);
	}
	free(tail);
	arena_done(&arena);
	return 0;
}
