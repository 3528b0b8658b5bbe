/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "format/file/trace-body.h"

#include "base/cleanup.h"
#include "base/mem.h"
#include "format/file/trace-file.h"
#include "test.h"

/* Encodes a body of each kind. */
static void make_body(struct trace_encoder *e, unsigned id)
{
	switch (id) {
	case TRACE_ID_HEADER_INFO:
		trace_encode_string(e, "header_page");
		trace_encode_text64(e, "a page", 6);
		trace_encode_string(e, "header_event");
		trace_encode_text64(e, "an event", 8);
		break;
	case TRACE_ID_FTRACE_EVENTS:
		trace_encode_u32(e, 2);
		trace_encode_text64(e, "one", 3);
		trace_encode_text64(e, "two", 3);
		break;
	case TRACE_ID_EVENT_FORMATS:
		trace_encode_u32(e, 3);
		trace_encode_string(e, "sched");
		trace_encode_u32(e, 2);
		trace_encode_text64(e, "switch", 6);
		trace_encode_text64(e, "wakeup", 6);
		trace_encode_string(e, "none");
		trace_encode_u32(e, 0);
		trace_encode_string(e, "irq");
		trace_encode_u32(e, 1);
		trace_encode_text64(e, "entry", 5);
		break;
	case TRACE_ID_CMDLINES:
		trace_encode_text64(e, "1 init\n", 7);
		break;
	default:
		trace_encode_text32(e, "some text", 9);
	}
}

static void finds_the_end_of_a_body(void **state)
{
	for (unsigned kind = 0; kind < 2 * TRACE_BODIES; kind++) {
		_cleanup_trace_encoder_ struct trace_encoder e = { .big_endian = kind & 1 };
		unsigned id = trace_bodies[kind / 2];
		size_t size;

		make_body(&e, id);
		size = e.out.len;
		trace_encode_bytes(&e, "more", 4);
		if (e.out.err)
			continue;
		assert_int_equal(trace_body_length(id, e.out.s, e.out.len, e.big_endian), size);
		for (size_t cut = 0; cut < size; cut++)
			assert_int_equal(trace_body_length(id, e.out.s, cut, e.big_endian), 0);
	}
}

static void headers_have_names(void **state)
{
	static const char *const names[] = { "header_page", "header_event" };
	_cleanup_trace_encoder_ struct trace_encoder e = { 0 };

	make_body(&e, TRACE_ID_HEADER_INFO);
	require(!e.out.err);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char *name = memmem(e.out.s, e.out.len, names[i], strlen(names[i]));

		assert_non_null(name);
		name[7] ^= 1;
		assert_int_equal(trace_body_length(TRACE_ID_HEADER_INFO, e.out.s, e.out.len, false),
				 0);
		name[7] ^= 1;
	}
	assert_int_equal(trace_body_length(TRACE_ID_HEADER_INFO, e.out.s, e.out.len, false),
			 e.out.len);
}

/* Wherever a body is cut off, the repaired one is valid and not longer than the original. */
static void repairs_any_truncation(void **state)
{
	for (unsigned kind = 0; kind < 2 * TRACE_BODIES; kind++) {
		_cleanup_trace_encoder_ struct trace_encoder e = { .big_endian = kind & 1 };
		unsigned id = trace_bodies[kind / 2];

		make_body(&e, id);
		for (size_t cut = 0; cut <= e.out.len && !e.out.err; cut++) {
			_cleanup_trace_encoder_ struct trace_encoder fixed = { .big_endian = kind &
											     1 };
			/* On the heap, so that sanitizers detect reads past the end. */
			_cleanup_free_ char *bytes = mem_dup(e.out.s, cut ? cut : 1);

			if (!bytes)
				continue;
			trace_body_repair(id, bytes, cut, &fixed);
			if (fixed.out.err)
				continue;
			assert_int_equal(trace_body_length(id, fixed.out.s, fixed.out.len,
							   fixed.big_endian),
					 fixed.out.len);
			if (cut == e.out.len) {
				assert_int_equal(fixed.out.len, e.out.len);
				assert_memory_equal(fixed.out.s, e.out.s, e.out.len);
			}
		}
	}
}

static void keeps_only_complete_formats(void **state)
{
	_cleanup_trace_encoder_ struct trace_encoder e = { 0 }, fixed = { 0 }, want = { 0 };

	make_body(&e, TRACE_ID_EVENT_FORMATS);
	trace_encode_u32(&want, 1);
	trace_encode_string(&want, "sched");
	trace_encode_u32(&want, 1);
	trace_encode_text64(&want, "switch", 6);
	if (!e.out.err)
		trace_body_repair(TRACE_ID_EVENT_FORMATS, e.out.s, want.out.len + 10, &fixed);
	require(!e.out.err && !want.out.err && !fixed.out.err);
	assert_int_equal(fixed.out.len, want.out.len);
	assert_memory_equal(fixed.out.s, want.out.s, want.out.len);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_end_of_a_body),
		cmocka_unit_test(headers_have_names),
		cmocka_unit_test(repairs_any_truncation),
		cmocka_unit_test(keeps_only_complete_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
