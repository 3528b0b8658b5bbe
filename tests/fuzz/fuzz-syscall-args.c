/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes system calls as text, with any format and any record: a format text, a NUL, and the bytes
 * of a record. The output contains no control characters, and the call appears in the list once,
 * whatever it is.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/syscalls/syscall-list.h"
#include "base/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static unsigned n_listed;

static void look(const struct strbuf *buf)
{
	for (size_t i = 0; i < buf->len; i++)
		if ((unsigned char)buf->s[i] < ' ')
			abort();
}

static void take(void *data, const struct listed_call *call)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };

	n_listed++;
	if (call->has_start)
		syscall_args_put(&buf, call->args, &call->how);
	syscall_result_put(&buf, call->name, call->result, call->result_file);
	look(&buf);
}

/* A call that begins, looks up a path, and ends. */
static void list(const struct event_format *format, const uint8_t *record, size_t size)
{
	struct event_entry entry = { .format = (struct event_format *)format };
	struct fathom_event event = {
		.time = 1, .pid = 7, .id = 3, .data = record, .size = (uint32_t)size
	};
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY,
					 .event = &event,
					 .entry = &entry };
	struct syscall_list all = { .take = take };
	unsigned before = n_listed;

	for (int i = 0; i < 2; i++) {
		decoded.kind = DECODED_SYSCALL_ENTRY;
		decoded.call_number.number = 5;
		decoded.call_number.first = size ? record[0] : 0;
		syscall_list_feed(&all, &decoded);
		decoded.kind = DECODED_PATH;
		decoded.path.text = "/a/path";
		decoded.path.len = 7;
		decoded.path.dir = 0;
		syscall_list_feed(&all, &decoded);
		decoded.kind = DECODED_SYSCALL_EXIT;
		decoded.call_number.number = 5;
		decoded.call_number.result = size > 1 ? record[1] : 0;
		syscall_list_feed(&all, &decoded);
	}
	if (syscall_list_finish(&all) < 0 || n_listed != before + 2)
		abort();
	syscall_list_done(&all);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, 0, size) : NULL;
	size_t len = end ? (size_t)(end - data) : size;
	const uint8_t *record = end ? end + 1 : data + size;
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	_cleanup_(arena_done) struct arena arena = { 0 };
	/* Allocated separately, so that an overread is detected. */
	_cleanup_free_ uint8_t *copy = NULL;
	struct syscall_args args = { .machine = (enum value_machine)(size % 3) };
	struct syscall_start start = { .id = 3, .path = "/etc/passwd", .path_len = 11 };
	struct event_format *format;
	struct fathom_err err = { 0 };

	start.size = (size_t)(data + size - record);
	copy = malloc(start.size ?: 1);
	if (!copy || event_format_parse((const char *)data, len, "syscalls",
					(struct event_abi){ .long_size = size & 1 ? 4 : 8,
							    .big_endian = size & 2 },
					&arena, &format, &err) < 0)
		return 0;
	if (start.size)
		memcpy(copy, record, start.size);
	start.format = format;
	start.record = copy;
	for (size_t i = 0; i < SYSCALL_ARGS_MAX; i++)
		start.files[i] = "/a\nfile\x1b";
	syscall_args_put(&buf, &args, &start);
	look(&buf);
	for (size_t i = 0; i < syscall_args_count(&args, &start); i++) {
		uint64_t value;

		strbuf_clear(&buf);
		syscall_arg_put(&buf, &args, &start, i);
		look(&buf);
		syscall_arg_value(&args, &start, i, &value);
	}
	syscall_args_done(&args);
	list(format, copy, start.size);
	return 0;
}
