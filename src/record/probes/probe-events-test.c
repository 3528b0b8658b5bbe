/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Notes for the user about probes. The probed program is this test. */
#include "test.h"

#include "base/arena.h"
#include "base/cleanup.h"
#include "record/probes/probe-events.h"

#define SELF "/proc/self/exe"

#ifdef __x86_64__
/* A place as compilers generate it for tracing, and one as in USDT markers. */
__asm__(".text\n"
	".globl has_nop5\n.type has_nop5, @function\n"
	"has_nop5: .byte 0x0f, 0x1f, 0x44, 0x00, 0x00\nret\n.size has_nop5, . - has_nop5\n"
	".globl has_nop\n.type has_nop, @function\n"
	"has_nop: nop\nret\n.size has_nop, . - has_nop\n");
#endif

static bool is_taken(void *data, const char *name)
{
	return false;
}

static int make(void *data, const char *name, const char *line, struct fathom_err *err)
{
	++*(unsigned *)data;
	return 0;
}

static int extend(void *data, const char *line)
{
	return -EINVAL;
}

/* Returns the notes for a user of kernel @release; NULL if memory is exhausted. */
static const char *notes_of(const char *text, const char *release)
{
	static char shown[1024];
	const char *root = tree_make();
	_cleanup_(arena_done) struct arena arena = { 0 };
	_cleanup_strbuf_ struct strbuf notes = { 0 };
	const struct probe_machine kernel = { .abi = TYPE_ABI_X86_64 };
	unsigned made = 0;
	const struct probe_sink sink = { &made, is_taken, make, extend };
	struct probe_request request = { { .root = root }, NULL, &kernel, "g" };
	struct fathom_err err = { 0 };
	int r;

	tree_file("/proc/sys/kernel/osrelease", release);
	r = probe_parse(text, &arena, &request.probe, &err);
	if (r == 0)
		r = probe_events_make(&request, &sink, &notes, &err);
	tree_remove();
	if (mem_fault && (r == -ENOMEM || notes.err))
		return NULL;
	if (r < 0)
		fail_msg("%s: %s", text, fathom_err_text(&err));
	assert_int_equal(made, 1);
	snprintf(shown, sizeof(shown), "%s", strbuf_str(&notes));
	return shown;
}

static void warns_about_kernels_that_write_below_the_stack(void **state)
{
	static const struct {
		const char *function, *release;
		bool warns;
	} table[] = {
		{ "has_nop5", "6.17.13\n", false },	 { "has_nop5", "6.18.0-rc1\n", true },
		{ "has_nop5", "6.18\n", true },		 { "has_nop5", "6.19.2-amd64\n", true },
		{ "has_nop5", "7.0.0+deb14\n", true },	 { "has_nop5", "7.1.9\n", true },
		{ "has_nop5", "7.2.13+deb14\n", false }, { "has_nop5", "7.10.0\n", false },
		{ "has_nop5", "5.18.0\n", false },	 { "has_nop5", "nonsense\n", false },
		{ "has_nop", "6.18.0\n", false },
	};

#ifndef __x86_64__
	skip_because("only x86-64 has uprobes of this kind");
#endif
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		char text[64];
		const char *notes;

		snprintf(text, sizeof(text), "u:" SELF ":%s", table[i].function);
		notes = notes_of(text, table[i].release);
		if (notes && !strstr(notes, "bug in kernel") == table[i].warns)
			fail_msg("%s on %s: '%s'", text, table[i].release, notes);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(warns_about_kernels_that_write_below_the_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
