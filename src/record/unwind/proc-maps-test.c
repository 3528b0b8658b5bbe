/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include "record/unwind/proc-maps.h"

static const char maps[] = "00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/some\n"
			   "00651000-00652000 r--p 00051000 08:02 173521      /usr/bin/some\n"
			   "00e03000-00e24000 rw-p 00000000 00:00 0           [heap]\n"
			   "35b1800000-35b1820000 r-xp 00000000 08:02 135522  /usr/lib/a b.so\n"
			   "35b1a00000-35b1a10000 r-xp 00000000 08:02 135523  /usr/lib/a b.so.2\n"
			   "35b1a10000-35b1a20000 rw-p 00000000 00:00 0 \n"
			   "not a range /usr/lib/c.so\n"
			   "35b1c00000-35b1c20000 r-xp 00000000 08:02 135522  /usr/bin/some";

/* Adjacent parts of a file are merged, even with anonymous memory in between. */
static const char wanted[] = "1234 4 /usr/bin/some\n"
			     "400000 652000 /usr/bin/some\n"
			     "35b1800000 35b1820000 /usr/lib/a b.so\n"
			     "35b1a00000 35b1a10000 /usr/lib/a b.so.2\n"
			     "35b1c00000 35b1c20000 /usr/bin/some\n";

static void lists_files(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	proc_maps_format(0x1234, "/usr/bin/some", maps, &text);
	require(!text.err);
	assert_string_equal(strbuf_str(&text), wanted);
}

static void a_process_may_have_no_file(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	proc_maps_format(10, "x", "00e03000-00e24000 rw-p 00000000 00:00 0 [heap]\n", &text);
	require(!text.err);
	assert_string_equal(strbuf_str(&text), "a 0 x\n");
}

static void reads_a_live_process(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	const char *root = tree_make();

	tree_file("/proc/4660/maps", maps);
	tree_link("/proc/4660/exe", "/usr/bin/some");
	tree_file("/proc/5/maps", "");
	tree_link("/proc/5/exe", "/usr/bin/ended");
	tree_file("/proc/6/maps", maps);
	strbuf_adds(&text, "old");
	if (succeeds(proc_maps_read(root, 4660, &text) == 0))
		assert_string_equal(strbuf_str(&text), wanted);
	/* A process that has exited, or is exiting, leaves the text unchanged. */
	for (int pid = 5; pid < 8; pid++)
		if (succeeds(proc_maps_read(root, pid, &text) == 0))
			assert_string_equal(strbuf_str(&text), wanted);
	tree_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_files),
		cmocka_unit_test(a_process_may_have_no_file),
		cmocka_unit_test(reads_a_live_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
