/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings of trace-cmd compared with its own reports: the same events, in the same order, at the
 * same times, and losses in the same places. The texts of events are not compared here.
 */
#include <ctype.h>
#include <zlib.h>

#include "events.h"
#include "golden.h"

struct line {
	uint64_t time;
	unsigned cpu;
	int pid;
	bool lost;
	int64_t count;
};

/* `comm-PID [CPU] flags TIME: name:`, where flags and time may touch; 3.1 has no flags. */
static bool parse_event(const char *text, struct line *ret)
{
	const char *open = strstr(text, " ["), *p, *dash;
	unsigned long long whole, part = 0;
	char *end;

	while (open && !(isdigit((unsigned char)open[2]) && isdigit((unsigned char)open[3])))
		open = strstr(open + 1, " [");
	if (!open)
		return false;
	for (dash = open; dash > text && *dash != '-'; dash--)
		;
	if (*dash != '-' || !isdigit((unsigned char)dash[1]))
		return false;
	ret->pid = (int)strtol(dash + 1, NULL, 10);
	ret->cpu = (unsigned)strtoul(open + 2, &end, 10);
	if (end[0] != ']' || strlen(end) < 10)
		return false;
	p = end + 1 + strspn(end + 1, " ");
	/* Five letters of flags, the first of which is not a digit. */
	if (!isdigit((unsigned char)*p))
		p += strnlen(p, 5);
	p += strspn(p, " ");
	whole = strtoull(p, &end, 10);
	if (end == p)
		return false;
	if (*end == '.') {
		part = strtoull(end + 1, &end, 10);
		whole = whole * 1000000 + part;
	}
	ret->time = whole;
	return *end == ':';
}

static bool parse_lost(const char *text, struct line *ret)
{
	const char *p = strstr(text, "CPU:");
	char *end;

	if (!p || !strstr(p, "EVENTS DROPPED]"))
		return false;
	ret->lost = true;
	ret->cpu = (unsigned)strtoul(p + 4, &end, 10);
	ret->count = isdigit((unsigned char)end[2]) ? strtoll(end + 2, NULL, 10) : -1;
	return true;
}

static bool next_line(gzFile report, struct line *ret)
{
	char text[65536];

	while (gzgets(report, text, sizeof(text))) {
		*ret = (struct line){ 0 };
		if (parse_lost(text, ret) || parse_event(text, ret))
			return true;
	}
	return false;
}

static bool in_nanoseconds(struct fathom_trace *trace)
{
	const struct fathom_trace_info *info = fathom_trace_info(trace);

	return info->tsc_mult || strcmp(info->clock, "x86-tsc") != 0;
}

/* IDs of the function graph tracer's events, which are part of the kernel's interface. */
enum {
	GRAPH_EXIT = 10,
	GRAPH_ENTRY = 11
};

/*
 * In the report, the exit of a function without callees is part of the line of its entry. It is the
 * next event of the same CPU, task and function.
 */
static bool is_leaf_exit(const struct events *all, const uint64_t *funcs, size_t i)
{
	return i && all->list[i].id == GRAPH_EXIT && all->list[i - 1].id == GRAPH_ENTRY &&
	       all->list[i].cpu == all->list[i - 1].cpu &&
	       all->list[i].pid == all->list[i - 1].pid && funcs[i] == funcs[i - 1];
}

/*
 * Offset of the function in graph events: after the common fields, of which some kernels have more.
 */
static size_t func_offset(struct fathom_trace *trace)
{
	static const char name[] = "name: funcgraph_entry\n", field[] = " func;\toffset:";
	const struct fathom_format_text *formats;
	size_t n;

	assert_int_equal(fathom_trace_formats(trace, &formats, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const char *p = memmem(formats[i].text, formats[i].size, field, strlen(field));

		if (p && formats[i].size > strlen(name) &&
		    memcmp(formats[i].text, name, strlen(name)) == 0)
			return strtoul(p + strlen(field), NULL, 10);
	}
	return 8;
}

/* Returns the function of a graph event; both kinds have it at the same offset. */
static uint64_t *read_funcs(struct fathom_trace *trace, struct fathom_cursor *cursor, size_t n)
{
	size_t offset = func_offset(trace);
	uint64_t *funcs = calloc(n + 1, sizeof(*funcs));
	struct fathom_event event;

	assert_non_null(funcs);
	assert_int_equal(fathom_cursor_first(cursor), 0);
	for (size_t i = 0; i < n && fathom_cursor_next(cursor, &event) == 1; i++)
		if (event.size >= offset + 8)
			memcpy(&funcs[i], (const char *)event.data + offset, 8);
	return funcs;
}

static size_t compare(struct fathom_trace *trace, const struct events *all, const uint64_t *funcs,
		      gzFile report, const char *path)
{
	bool ns = in_nanoseconds(trace), lost_seen = false;
	struct line line;
	size_t at = 0, lines = 0;

	while (next_line(report, &line)) {
		const struct fathom_event *e;

		while (at < all->n && is_leaf_exit(all, funcs, at))
			at++;
		if (at >= all->n)
			fail_msg("%s: the report has more than %zu events", path, all->n);
		e = &all->list[at];
		assert_int_equal(e->cpu, line.cpu);
		if (line.lost) {
			assert_true((int64_t)e->missed == line.count);
			lost_seen = true;
			continue;
		}
		if (e->pid != line.pid || (ns ? (e->time + 500) / 1000 : e->time) != line.time ||
		    (e->missed != 0) != lost_seen)
			fail_msg("%s: event %zu is not that of line %zu", path, at, lines);
		lost_seen = false;
		at++;
		lines++;
	}
	while (at < all->n && is_leaf_exit(all, funcs, at))
		at++;
	assert_int_equal(at, all->n);
	return lines;
}

/* Returns trace-cmd's text of a recording, by its newest version that exists. */
static gzFile open_report(const char *path)
{
	static const char *const versions[] = { "3.4", "3.1" };
	char name[4096];
	gzFile report = NULL;

	for (size_t i = 0; !report && i < sizeof(versions) / sizeof(versions[0]); i++) {
		(void)snprintf(name, sizeof(name), "%.*s.report-%s.txt.gz", (int)strlen(path) - 4,
			       path, versions[i]);
		report = gzopen(name, "r");
	}
	if (!report)
		fail_msg("no '%s'", name);
	return report;
}

static void equals_the_report(void **state)
{
	size_t files = 0, lines = 0;
	char *path;

	for (; (path = golden_path(files)); files++) {
		struct fathom_trace *trace = open_or_fail(path, 0);
		struct fathom_cursor *cursor = cursor_or_fail(trace, NULL);
		struct events all = { 0 };
		uint64_t *funcs;
		gzFile report;

		report = open_report(path);
		events_read(&all, cursor);
		funcs = read_funcs(trace, cursor, all.n);
		lines += compare(trace, &all, funcs, report, path);
		free(funcs);
		assert_true(fathom_trace_damage_count(trace) == 0);
		gzclose(report);
		events_done(&all);
		fathom_cursor_free(cursor);
		fathom_trace_free(trace);
		free(path);
	}
	print_message("%zu files, %zu lines\n", files, lines);
	assert_true(files > 10);
}

/* All metadata of the file can be read. */
static void has_all_sections(void **state)
{
	const struct fathom_format_text *formats;
	size_t size, n, named = 0;
	const char *bytes;
	char *path;

	for (size_t i = 0; (path = golden_path(i)); i++) {
		struct fathom_trace *trace = open_or_fail(path, 0);

		assert_int_equal(fathom_trace_section(trace, FATHOM_SECTION_HEADER_PAGE, &bytes,
						      &size, NULL),
				 0);
		assert_non_null(memmem(bytes, size, "commit", 6));
		assert_int_equal(fathom_trace_section(trace, FATHOM_SECTION_HEADER_EVENT, &bytes,
						      &size, NULL),
				 0);
		assert_non_null(memmem(bytes, size, "type_len", 8));
		assert_int_equal(fathom_trace_section(trace, FATHOM_SECTION_CMDLINES, &bytes, &size,
						      NULL),
				 0);
		assert_int_equal(fathom_trace_section(trace, FATHOM_SECTION_KALLSYMS, &bytes, &size,
						      NULL),
				 0);
		assert_int_equal(fathom_trace_formats(trace, &formats, &n, NULL), 0);
		assert_true(n > 5);
		for (size_t k = 0; k < n; k++)
			assert_int_equal(memcmp(formats[k].text, "name: ", 6), 0);
		assert_string_equal(formats[0].system, "ftrace");
		/* Some lack the machine: 'extract' and 'split' omit it. */
		named += strstr(fathom_trace_info(trace)->uname, "Linux") != NULL;
		assert_true(fathom_trace_damage_count(trace) == 0);
		fathom_trace_free(trace);
		free(path);
	}
	assert_true(named > 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equals_the_report),
		cmocka_unit_test(has_all_sections),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
