/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tests of probes at source lines. The lines are those of this program, which also plays the role
 * of the kernel.
 */
#include "test.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "symbols/elf/elf-file.h"
#include "symbols/probe/probe.h"
#include "symbols/dwarf/source-lines.h"

#define _cleanup_arena_ _cleanup_(arena_done)
#define SELF		"/proc/self/exe"

int probed_counter, probed_lines(int n);
/* The symbol at the kernel's first byte. */
extern char kernel_text[] __asm__("_text");
__asm__(".text\n.globl _text\n_text: nop\n");

enum {
	EMPTY = __LINE__ + 5,
	CODE = __LINE__ + 5,
};
__attribute__((noinline, used)) int probed_lines(int n)
{
	/* A line without code. */
	probed_counter += n;
	__asm__ volatile("" : : : "memory");
	return probed_counter;
}

static const char *root;

static int set_up(void **state)
{
	root = tree_make();
	return 0;
}

static int tear_down(void **state)
{
	tree_remove();
	return 0;
}

static int find(const struct probe_where *where, const char *text, struct arena *arena,
		const struct probe **probe, struct probe_sites *ret, struct fathom_err *err)
{
	int r = probe_parse(text, arena, probe, err);

	return r < 0 ? r : probe_sites_find(where, *probe, ret, err);
}

/* Returns the definition for the first place; NULL: out of memory. */
static const char *lower(const struct probe_where *where, const char *text, struct strbuf *line,
			 uint32_t *ret_line, struct fathom_err *err)
{
	_cleanup_arena_ struct arena arena = { 0 };
	_cleanup_probe_sites_ struct probe_sites sites = { 0 };
	struct probe_machine machine = { TYPE_ABI_X86_64 };
	const struct probe *probe;
	int r = find(where, text, &arena, &probe, &sites, err);

	strbuf_clear(line);
	if (r == 0) {
		machine = probe_sites_machine(&sites, 0, &machine);
		*ret_line = sites.line;
		r = probe_lower(probe, &machine, "g", "e", line, NULL, err);
	}
	return r == -ENOMEM ? NULL : r < 0 ? err->message : strbuf_str(line);
}

/* Returns the file offset of the function in this program. */
static uint64_t place_of_function(void)
{
	_cleanup_arena_ struct arena arena = { 0 };
	_cleanup_probe_sites_ struct probe_sites sites = { 0 };
	const struct probe_where here = { .root = "" };
	const struct probe *probe;

	return find(&here, "u:" SELF ":probed_lines", &arena, &probe, &sites, NULL) == 0 ?
		       sites.list[0].offset :
		       0;
}

static void finds_lines_in_programs(void **state)
{
	_cleanup_strbuf_ struct strbuf line = { 0 };
	const struct probe_where here = { .root = "" };
	uint64_t function = place_of_function(), at = 0;
	int64_t data = 0;
	struct fathom_err err = { 0 };
	const char *text;
	uint32_t other;
	char probe[128];

	if (!source_lines_supported())
		skip_because("no libdw");
	snprintf(probe, sizeof(probe), "u:" SELF ":probe-lines-test.c:%d(probed_counter)", CODE);
	text = lower(&here, probe, &line, &other, &err);
	require(text && function);
	assert_int_equal(other, 0);
	if (sscanf(text, "p:g/e " SELF ":0x%lx probed_counter=%ld(%%ip):s32", &at, &data) != 2)
		fail_msg("%s", text);
	assert_in_range(at, function, function + 200);
	/* The distance from the code equals that in memory. */
	assert_int_equal((uint64_t)data + (at - function),
			 (uintptr_t)&probed_counter - (uintptr_t)probed_lines);
	snprintf(probe, sizeof(probe), "u:" SELF ":symbols/probe/probe-lines-test.c:%d", EMPTY);
	text = lower(&here, probe, &line, &other, &err);
	require(text);
	assert_int_equal(other, CODE);
	assert_int_equal(strtoull(strstr(text, ":0x") + 1, NULL, 0), at);
}

static void reports_errors(void **state)
{
	static const char *const table[][2] = {
		{ "u:" SELF ":probe-linse-test.c:5", "did you mean 'probe-lines-test.c'?" },
		{ "u:" SELF ":xprobe-lines-test.c:5", "no source file 'xprobe-lines-test.c'" },
		{ "u:" SELF ":probe-lines-test.c:99999", "no code at or after line 99999" },
		{ "u:" SELF ":probe-lines-test.c:0", "invalid line number" },
		{ "u:" SELF ":probe-lines-test.c:99999999999999999999", "invalid line number" },
		{ "ur:" SELF ":probe-lines-test.c:5", "source lines are supported only in 'u:'" },
		{ "kr:fs/open.c:5", "source lines are supported only in 'k:'" },
		{ "k:fs/open.c:5", "install the debug package of kernel 1.2.3-test" },
		{ "k:ext4:fs/open.c:5", "" },
	};
	const struct probe_where where = { .root = root };
	_cleanup_strbuf_ struct strbuf line = { 0 };

	if (!source_lines_supported())
		skip_because("no libdw");
	tree_file("/proc/sys/kernel/osrelease", "1.2.3-test\n");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct fathom_err err = { 0 };
		uint32_t other;
		const char *text = lower(&where, table[i][0], &line, &other, &err);

		if (!text)
			continue;
		if (text != err.message || !strstr(text, table[i][1]))
			fail_msg("%s: %s", table[i][0], text);
	}
}

/* Makes this program the debug file of a kernel. */
static void make_kernel(const unsigned char *build_id, size_t len)
{
	char path[512];

	tree_file("/proc/sys/kernel/osrelease", "1.2.3-test\n");
	tree_file("/etc/os-release", "ID=debian\n");
	tree_link("/usr/lib/debug/boot/vmlinux-1.2.3-test", SELF);
	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	tree_file("/sys/kernel/notes", "");
	{
		_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);
		uint32_t head[3] = { 4, (uint32_t)len, NT_GNU_BUILD_ID };

		assert_true(write(fd, head, sizeof(head)) == sizeof(head));
		assert_true(write(fd, "GNU", 4) == 4);
		assert_true(write(fd, build_id, len) == (ssize_t)len);
	}
}

static size_t own_build_id(unsigned char id[ELF_BUILD_ID_MAX])
{
	_cleanup_close_ int fd = open(SELF, O_RDONLY | O_CLOEXEC);
	struct elf_source source;
	struct elf_file file;
	size_t n;

	if (elf_source_fd(fd, &source) < 0 || elf_file_init(&file, &source, NULL) < 0)
		return 0;
	n = elf_file_build_id(&file, id);
	elf_file_done(&file);
	return n;
}

static void finds_lines_in_the_kernel(void **state)
{
	const struct probe_where where = { .root = root };
	_cleanup_strbuf_ struct strbuf line = { 0 };
	struct fathom_err err = { 0 };
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len = own_build_id(id);
	char probe[128];
	uint64_t at = 0, data = 0;
	const char *text;
	uint32_t other;

	/* Without a build ID it cannot be distinguished from others. */
	if (!source_lines_supported() || !len)
		skip_because("no libdw, or this program has no build ID");
	make_kernel(id, len);
	snprintf(probe, sizeof(probe), "k:symbols/probe/probe-lines-test.c:%d(probed_counter)",
		 CODE);
	text = lower(&where, probe, &line, &other, &err);
	require(text);
	if (sscanf(text, "p:g/e probed_lines+0x%lx probed_counter=@_text+%lu:s32", &at, &data) != 2)
		fail_msg("%s", text);
	assert_in_range(at, 0, 200);
	assert_int_equal(data, (uintptr_t)&probed_counter - (uintptr_t)kernel_text);
	id[0] ^= 1;
	tree_unlink("/usr/lib/debug/boot/vmlinux-1.2.3-test");
	make_kernel(id, len);
	text = lower(&where, probe, &line, &other, &err);
	if (text && !strstr(text, "does not match the running kernel (1.2.3-test)"))
		fail_msg("%s", text);
}

static void names_the_package(void **state)
{
	static const char *const table[][2] = {
		{ "ID=debian\n", "install the package linux-image-1.2.3-test-dbg, which contains" },
		{ "ID=ubuntu\nID_LIKE=debian\n", "linux-image-unsigned-1.2.3-test-dbgsym" },
		{ "ID=fedora\n", "kernel-debuginfo-1.2.3-test" },
		{ "ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "kernel-debuginfo-1.2.3-test" },
	};
	const struct probe_where where = { .root = root };
	_cleanup_strbuf_ struct strbuf line = { 0 };

	tree_file("/proc/sys/kernel/osrelease", "1.2.3-test\n");
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct fathom_err err = { 0 };
		const char *text;
		uint32_t other;

		tree_file("/etc/os-release", table[i][0]);
		text = lower(&where, "k:fs/open.c:5", &line, &other, &err);
		if (text && !strstr(text, table[i][1]))
			fail_msg("%s", text);
	}
}

static int whole(void *arg)
{
	_cleanup_arena_ struct arena arena = { 0 };
	_cleanup_probe_sites_ struct probe_sites sites = { 0 };
	const struct probe_where here = { .root = "" };
	const struct probe *probe;
	char text[128];

	snprintf(text, sizeof(text), "u:" SELF ":probe-lines-test.c:%d(n)", CODE);
	return find(&here, text, &arena, &probe, &sites, NULL);
}

static void survives_failing_allocations(void **state)
{
	if (!source_lines_supported())
		skip_because("no libdw");
	oom_check(whole, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_lines_in_programs),
		cmocka_unit_test_setup_teardown(reports_errors, set_up, tear_down),
		cmocka_unit_test_setup_teardown(finds_lines_in_the_kernel, set_up, tear_down),
		cmocka_unit_test_setup_teardown(names_the_package, set_up, tear_down),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("probe-lines", tests, NULL, NULL);
}
