/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bodies of the sections, byte for byte, for a tree that imitates tracefs. */
#include "test.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/bytes.h"
#include "format/event/return-event.h"
#include "format/event/sample-event.h"
#include "format/file/trace-file.h"
#include "format/event/watch-event.h"
#include "record/file/metadata.h"

#define PAGE_TEXT                                                   \
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"  \
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n" \
	"\tfield: char data;\toffset:16;\tsize:8176;\tsigned:1;\n"
#define SWITCH "name: sched_switch\nID: 5\n"
#define WAKING "name: sched_waking\nID: 6\n"
#define ENTRY  "name: irq_entry\nID: 7\n"

static const char *root;
static int tracefs = -1, place = -1;

static int open_below(const char *path)
{
	char whole[160];

	snprintf(whole, sizeof(whole), "%s%s", root, path);
	return open(whole, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int make(void **state)
{
	root = tree_make();
	tree_file("/t/events/header_page", PAGE_TEXT);
	tree_file("/t/events/header_event", "# entry\n");
	tree_file("/t/events/ftrace/print/format", "name: print\nID: 1\n");
	tree_dir("/t/events/ftrace/empty");
	tree_file("/t/events/sched/sched_switch/format", SWITCH);
	tree_file("/t/events/sched/sched_waking/format", WAKING);
	tree_file("/t/events/irq/irq_entry/format", ENTRY);
	tree_file("/t/available_events", "sched:sched_waking\nirq:irq_entry\nsched:sched_switch\n");
	tree_file("/t/set_event", "sched:sched_waking\n");
	tree_file("/t/printk_formats", "0x1 : \"text\"\n");
	/* Headers come from the instance, formats from the top level. */
	tree_file("/t/instances/i/events/header_page", PAGE_TEXT "\n");
	tree_file("/t/instances/i/events/header_event", "# other\n");
	tree_file("/t/instances/i/set_event", "sched:sched_waking\n\nsched:sched_switch\nodd\n");
	tree_file("/proc/kallsyms", "ffff0000 T here\n");
	tree_file("/sys/kernel/btf/vmlinux", "types");
	tracefs = open_below("/t");
	place = open_below("/t/instances/i");
	return tracefs < 0 || place < 0 ? -1 : 0;
}

static int clean(void **state)
{
	close(tracefs);
	close(place);
	tree_remove();
	return 0;
}

static struct metadata_source source_of(const int *places, size_t n, unsigned flags)
{
	return (struct metadata_source){
		.root = root, .tracefs = tracefs, .places = places, .n_places = n, .flags = flags
	};
}

static void put_text64(struct trace_encoder *e, const char *text)
{
	trace_encode_text64(e, text, strlen(text));
}

static void put_system(struct trace_encoder *e, const char *name, uint32_t n)
{
	trace_encode_string(e, name);
	trace_encode_u32(e, n);
}

static void check_body(const struct trace_encoder *body, const struct trace_encoder *wanted)
{
	assert_int_equal(body->out.len, wanted->out.len);
	assert_memory_equal(body->out.s, wanted->out.s, wanted->out.len);
}

static void has_headers(void **state)
{
	_cleanup_trace_encoder_ struct trace_encoder top = { .big_endian = BYTES_HOST_BIG };
	_cleanup_trace_encoder_ struct trace_encoder other = { .big_endian = BYTES_HOST_BIG };
	_cleanup_trace_encoder_ struct trace_encoder ftrace = { .big_endian = BYTES_HOST_BIG };
	_cleanup_metadata_ struct metadata a = { 0 }, b = { 0 };
	struct metadata_source source = source_of(NULL, 0, 0), in_place = source_of(&place, 1, 0);

	trace_encode_string(&top, "header_page");
	put_text64(&top, PAGE_TEXT);
	trace_encode_string(&top, "header_event");
	put_text64(&top, "# entry\n");
	trace_encode_string(&other, "header_page");
	put_text64(&other, PAGE_TEXT "\n");
	trace_encode_string(&other, "header_event");
	put_text64(&other, "# other\n");
	/* Events without a format are not counted. */
	trace_encode_u32(&ftrace, 1);
	put_text64(&ftrace, "name: print\nID: 1\n");
	require(metadata_read(&source, &a, NULL) == 0);
	require(metadata_read(&in_place, &b, NULL) == 0);
	require(!top.out.err && !other.out.err && !ftrace.out.err);
	check_body(&a.header_info, &top);
	check_body(&b.header_info, &other);
	check_body(&a.ftrace_events, &ftrace);
	check_body(&b.ftrace_events, &ftrace);
}

static void has_enabled_events(void **state)
{
	_cleanup_trace_encoder_ struct trace_encoder wanted = { .big_endian = BYTES_HOST_BIG };
	_cleanup_metadata_ struct metadata m = { 0 };
	const int places[] = { place, tracefs };
	struct metadata_source source = source_of(places, 2, 0);

	/* An event whose module was unloaded: its system remains, without it. */
	tree_file("/t/set_event", "gone:event\nsched:sched_waking\n");
	trace_encode_u32(&wanted, 2);
	put_system(&wanted, "gone", 0);
	put_system(&wanted, "sched", 2);
	put_text64(&wanted, SWITCH);
	put_text64(&wanted, WAKING);
	require(metadata_read(&source, &m, NULL) == 0 && !wanted.out.err);
	check_body(&m.event_formats, &wanted);
	assert_int_equal(m.n_formats, 2);
}

static void has_all_events_on_request(void **state)
{
	_cleanup_trace_encoder_ struct trace_encoder wanted = { .big_endian = BYTES_HOST_BIG };
	_cleanup_metadata_ struct metadata m = { 0 };
	struct metadata_source source = source_of(NULL, 0, METADATA_ALL_FORMATS);

	trace_encode_u32(&wanted, 2);
	put_system(&wanted, "irq", 1);
	put_text64(&wanted, ENTRY);
	put_system(&wanted, "sched", 2);
	put_text64(&wanted, SWITCH);
	put_text64(&wanted, WAKING);
	require(metadata_read(&source, &m, NULL) == 0 && !wanted.out.err);
	check_body(&m.event_formats, &wanted);
	assert_int_equal(m.n_formats, 3);
}

static void has_its_own_events_on_request(void **state)
{
	for (unsigned i = 0; i < 8; i++) {
		_cleanup_trace_encoder_ struct trace_encoder wanted = { .big_endian =
										BYTES_HOST_BIG };
		_cleanup_metadata_ struct metadata m = { 0 };
		struct metadata_source source =
			source_of(NULL, 0,
				  (i & 1 ? METADATA_SAMPLES : 0) | (i & 2 ? METADATA_WATCH : 0) |
					  (i & 4 ? METADATA_RETURNS : 0));

		trace_encode_u32(&wanted, i ? 1 : 0);
		if (i)
			put_system(&wanted, "fathom", (i & 1) + (i >> 1 & 1) + (i >> 2));
		if (i & 1)
			put_text64(&wanted, sample_format);
		if (i & 2)
			put_text64(&wanted, watch_event_format);
		if (i & 4)
			put_text64(&wanted, return_event_format);
		require(metadata_read(&source, &m, NULL) == 0 && !wanted.out.err);
		check_body(&m.event_formats, &wanted);
	}
}

/*
 * Symbols take a second to read, so they are only read if a flag or a printed field requires them.
 */
static void has_symbols_if_they_are_printed(void **state)
{
	static const struct {
		const char *format;
		bool prints;
	} table[] = {
		{ "print fmt: \"%ps\"", true },	 { "print fmt: \"%pS\"", true },
		{ "print fmt: \"%pf\"", true },	 { "print fmt: \"%pF\"", true },
		{ "print fmt: \"%pB\"", true },	 { "print fmt: \"%p %pS\"", true },
		{ "print fmt: \"%px\"", false }, { "print fmt: \"%p\"", false },
		{ "print fmt: \"%s\"", false },	 { "field:unsigned long call_site;", true },
		{ "ends with %p", false },
	};

	for (size_t i = 0; i <= sizeof(table) / sizeof(table[0]); i++) {
		bool by_flag = i == sizeof(table) / sizeof(table[0]);
		bool prints = by_flag || table[i].prints;
		_cleanup_trace_encoder_ struct trace_encoder wanted = { .big_endian =
										BYTES_HOST_BIG };
		_cleanup_metadata_ struct metadata m = { 0 };
		struct metadata_source source =
			source_of(&tracefs, 1, by_flag ? METADATA_SYMBOLS : 0);

		tree_file("/t/events/sched/sched_waking/format",
			  by_flag ? WAKING : table[i].format);
		if (prints)
			trace_encode_text32(&wanted, "ffff0000 T here\n", 16);
		else
			trace_encode_u32(&wanted, 0);
		require(metadata_read(&source, &m, NULL) == 0 && !wanted.out.err);
		if (m.has_symbols != prints)
			print_message("%s\n", by_flag ? "the flag" : table[i].format);
		assert_int_equal(m.has_symbols, prints);
		check_body(&m.kallsyms, &wanted);
	}
}

/* Symbols chosen by the caller take precedence. */
static void accepts_given_symbols(void **state)
{
	_cleanup_trace_encoder_ struct trace_encoder wanted = { .big_endian = BYTES_HOST_BIG };
	_cleanup_metadata_ struct metadata m = { 0 };
	struct metadata_source source = source_of(&tracefs, 1, METADATA_SYMBOLS);

	source.symbols = "ffff8000 t chosen\n";
	trace_encode_text32(&wanted, source.symbols, strlen(source.symbols));
	require(metadata_read(&source, &m, NULL) == 0 && !wanted.out.err);
	assert_false(m.has_symbols);
	check_body(&m.kallsyms, &wanted);
}

static void names_numbers(void **state)
{
	_cleanup_metadata_ struct metadata m = { 0 };
	struct metadata_source source = source_of(&tracefs, 1, 0);

	source.enums = "sched:sched_waking mode 3 THREE\n";
	tree_file("/t/events/sched/sched_waking/format",
		  "name: e\n\nprint fmt: \"(%lx) mode=%u\", REC->__probe_ip, REC->mode\n");
	require(metadata_read(&source, &m, NULL) == 0);
	assert_non_null(memmem(m.event_formats.out.s, m.event_formats.out.len, "THREE", 5));
}

static void has_only_non_empty_sections(void **state)
{
	static const uint16_t ids[] = { TRACE_ID_HEADER_INFO,	TRACE_ID_FTRACE_EVENTS,
					TRACE_ID_EVENT_FORMATS, TRACE_ID_KALLSYMS,
					TRACE_ID_PRINTK,	TRACE_ID_BTF_FILE };

	for (int types = 0; types < 3; types++) {
		_cleanup_metadata_ struct metadata m = { 0 };
		struct metadata_source source = source_of(NULL, 0, types ? METADATA_TYPES : 0);
		struct trace_out_section sections[METADATA_SECTIONS];
		size_t n;

		/* The third time, the kernel has none. */
		if (types == 2)
			tree_unlink("/sys/kernel/btf/vmlinux");
		require(metadata_read(&source, &m, NULL) == 0);
		n = metadata_sections(&m, sections);
		assert_int_equal(n, types == 1 ? 6 : 5);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(sections[i].id, ids[i]);
		assert_int_equal(sections[4].size, 4 + strlen("0x1 : \"text\"\n"));
		if (types == 1) {
			assert_int_equal(sections[5].size, 5);
			assert_memory_equal(sections[5].body, "types", 5);
		}
	}
}

/* Not all kernels have printk formats. */
static void reports_unreadable_files(void **state)
{
	static const struct {
		const char *file, *words;
		unsigned flags;
	} table[] = {
		{ "/t/printk_formats", NULL, 0 },
		{ "/proc/kallsyms", NULL, 0 },
		{ "/proc/kallsyms", "/proc/kallsyms'", METADATA_SYMBOLS },
		{ "/t/available_events", NULL, 0 },
		{ "/t/available_events", "'available_events'", METADATA_ALL_FORMATS },
		{ "/t/set_event", "'set_event'", 0 },
		{ "/t/events/header_event", "'events/header_event'", 0 },
		{ "/t/events/header_page", "'events/header_page'", 0 },
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_metadata_ struct metadata m = { 0 };
		struct metadata_source source;
		struct fathom_err err = { 0 };
		int r;

		clean(NULL);
		require(make(NULL) == 0);
		source = source_of(&tracefs, 1, table[i].flags);
		tree_unlink(table[i].file);
		r = metadata_read(&source, &m, &err);
		require(r == (table[i].words ? -ENOENT : 0));
		if (table[i].words)
			assert_non_null(strstr(err.message, table[i].words));
	}
}

static void knows_the_page_size(void **state)
{
	uint32_t size = 0;

	require(metadata_page_size(tracefs, &size, NULL) == 0);
	assert_int_equal(size, 8192);
	tree_file("/t/events/header_page", "nonsense\n");
	assert_true(metadata_page_size(tracefs, &size, NULL) < 0);
	tree_unlink("/t/events/header_page");
	assert_true(metadata_page_size(tracefs, &size, NULL) < 0);
	assert_int_equal(size, 8192);
}

static int read_once(void *arg)
{
	_cleanup_metadata_ struct metadata m = { 0 };
	struct metadata_source source =
		source_of(&place, 1,
			  METADATA_SYMBOLS | METADATA_TYPES | METADATA_ALL_FORMATS |
				  METADATA_SAMPLES | METADATA_WATCH | METADATA_RETURNS);

	return metadata_read(&source, &m, NULL);
}

static void survives_failing_allocations(void **state)
{
	oom_check(read_once, NULL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(has_headers),
		TEST(has_enabled_events),
		TEST(has_all_events_on_request),
		TEST(has_its_own_events_on_request),
		TEST(has_symbols_if_they_are_printed),
		TEST(accepts_given_symbols),
		TEST(names_numbers),
		TEST(has_only_non_empty_sections),
		TEST(reports_unreadable_files),
		TEST(knows_the_page_size),
		TEST(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
