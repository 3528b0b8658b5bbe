/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages about a probe from a process that is not trusted. */
#include "test.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "record/probes/probe-events-parts.h"

#define PATH "/opt/\303\244/app"

struct seen {
	unsigned made, extended;
	char line[256];
};

static bool is_taken(void *data, const char *name)
{
	return strcmp(name, "taken") == 0;
}

static int make(void *data, const char *name, const char *line, struct fathom_err *err)
{
	struct seen *seen = data;

	seen->made++;
	snprintf(seen->line, sizeof(seen->line), "%s", line);
	return 0;
}

static int extend(void *data, const char *line)
{
	((struct seen *)data)->extended++;
	return 0;
}

struct fixture {
	struct arena arena;
	struct strbuf notes, enums;
	struct seen seen;
	struct probe_sink sink;
	struct probe_program program;
	struct confined_probe confined;
};

static void fixture_done(struct fixture *f)
{
	strbuf_done(&f->confined.made);
	strbuf_done(&f->notes);
	strbuf_done(&f->enums);
	arena_done(&f->arena);
}

static void fixture_init(struct fixture *f)
{
	*f = (struct fixture){ .program = { PATH, PATH, -1 } };
	f->sink = (struct probe_sink){ &f->seen, is_taken, make, extend, &f->enums };
	f->confined = (struct confined_probe){
		.request = { { .root = "", .program = &f->program }, NULL, NULL, "g" },
		.sink = &f->sink,
		.notes = &f->notes
	};
	assert_int_equal(probe_parse("u:app:f", &f->arena, &f->confined.request.probe, NULL), 0);
}

/* Copies the message to memory of its exact size, so that sanitizers detect an overread. */
static int take(struct fixture *f, const char *bytes, size_t len)
{
	_cleanup_free_ char *copy = malloc(len ? len : 1);

	assert_non_null(copy);
	memcpy(copy, bytes, len);
	return confined_probe_take(&f->confined, copy, len, NULL);
}
#define TAKE(f, literal) take(f, literal, sizeof(literal) - 1)

static void accepts_definitions_for_the_chosen_file(void **state)
{
	_cleanup_(fixture_done) struct fixture f;

	fixture_init(&f);
	assert_int_equal(TAKE(&f, "ttaken"), 1);
	assert_int_equal(TAKE(&f, "tfree"), 0);
	assert_int_equal(TAKE(&f, "mev\0p:g/ev " PATH ":0x10"), 0);
	assert_string_equal(f.seen.line, "p:g/ev " PATH ":0x10");
	assert_int_equal(TAKE(&f, "xev\0p:g/ev " PATH ":0x20"), 0);
	assert_int_equal(f.seen.made, 1);
	assert_int_equal(f.seen.extended, 1);
	assert_int_equal(TAKE(&f, "nsomething"), 0);
	assert_string_equal(strbuf_str(&f.notes), "something\n");
	assert_int_equal(TAKE(&f, "ug:ev x 1 ONE"), 0);
	assert_string_equal(strbuf_str(&f.enums), "g:ev x 1 ONE\n");
}

static void rejects_everything_else(void **state)
{
#define MESSAGE(literal)                     \
	{                                    \
		literal, sizeof(literal) - 1 \
	}
	static const struct {
		const char *bytes;
		size_t len;
	} table[] = {
		MESSAGE(""),
		MESSAGE("m"),
		MESSAGE("q"),
		MESSAGE("?x"),
		MESSAGE("t/"),
		/* No definition, or an empty one. */
		MESSAGE("mev"),
		MESSAGE("mev\0"),
		/* Text after the end of an empty definition. */
		MESSAGE("mev\0\0:g/ev " PATH ":0x10"),
		MESSAGE("mev\0-:g/ev " PATH ":0x10"),
		MESSAGE("mev\0p:other/ev " PATH ":0x10"),
		MESSAGE("mev\0p:g/two " PATH ":0x10"),
		MESSAGE("mev\0p:g/ev /etc/app:0x10"),
		MESSAGE("mev\0p:g/ev " PATH ":0x10\np:g/two /etc/app:0x10"),
		MESSAGE("m\0p:g/ " PATH ":0x10"),
		/* An event that was not created. */
		MESSAGE("xev\0p:g/ev " PATH ":0x10"),
		MESSAGE("uother:ev x 1 ONE"),
		MESSAGE("ug:ev x 1 \033[2J"),
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		_cleanup_(fixture_done) struct fixture f;

		fixture_init(&f);
		assert_int_equal(take(&f, table[i].bytes, table[i].len), -EPROTO);
		assert_int_equal(f.seen.made + f.seen.extended, 0);
		assert_int_equal(f.notes.len + f.enums.len, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts_definitions_for_the_chosen_file),
		cmocka_unit_test(rejects_everything_else),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
