/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests that the cache returns what was stored, as long as the machine is the same. */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "actions/why/why-chosen.h"
#include "actions/why/why-symbols.h"

#define MODULES                                     \
	"ext4 983040 1 - Live 0xffffffffc0401000\n" \
	"mbcache 16384 2 ext4,ext2, Live 0xffffffffc03f0000 E\n"
#define LIST                                             \
	"ffffffff81000100 vfs_open\n"                    \
	"ffffffff81000200 twice\n"                       \
	"ffffffff81000280 __ftrace_invalid_address__9\n" \
	"ffffffff81000300 twice\n"                       \
	"ffffffff81000400 left_out\n"                    \
	"ffffffffc0401010 ext4_open [ext4]\n"
#define KALLSYMS                                     \
	"ffffffff81000000 T _text\n"                 \
	"ffffffff81000010 T unnamed\n"               \
	"ffffffff81000100 T vfs_open\n"              \
	"ffffffff81000100 T vfs_alias\n"             \
	"ffffffff81000200 t twice\n"                 \
	"ffffffff81000300 t twice\n"                 \
	"ffffffff81000400 t left_out\n"              \
	"ffffffff81000500 t last\n"                  \
	"ffffffff81000600 T __irqentry_text_start\n" \
	"ffffffff81000600 T sysvec_one\n"            \
	"ffffffff81000680 T __irqentry_text_end\n"   \
	"ffffffff81000680 T after\n"                 \
	"ffffffff81000700 T end\n"                   \
	"ffffffffc0401010 t ext4_open\t[ext4]\n"     \
	"ffffffffc0401000 t ext4_first\t[ext4]\n"
#define NAMES "vfs_open\next4_open\ntwice\n"

static struct session_env env;

static int make(void **state)
{
	static const char *const modules[] = { "ext4", "ext5", "mbcache", "dummy" };
	const char *root = tree_make();
	char path[256];

	env = (struct session_env)SESSION_ENV_NONE;
	env.root = (char *)root;
	strcpy(env.boot_id, "one");
	tree_file("/proc/modules", MODULES);
	tree_file("/proc/kallsyms", KALLSYMS);
	for (size_t i = 0; i < ARRAY_SIZE(modules); i++) {
		snprintf(path, sizeof(path), "/sys/module/%s", modules[i]);
		tree_dir(path);
	}
	tree_dir("/run");
	snprintf(path, sizeof(path), "%s/run", root);
	env.journals = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return 0;
}

static int clean(void **state)
{
	close(env.journals);
	tree_remove();
	return 0;
}

/* In the order of the rules, not of the names; one of a module, and two of one name. */
static void choose(struct why_armed *armed)
{
	struct return_probe probes[] = {
		{ .address = 0xffffffff81000100, .size = 4, .is_signed = true },
		{ .address = 0xffffffffc0401010, .size = 8, .is_answer = true, .is_outer = true },
		{ .address = 0xffffffff81000200, .size = 16 },
		{ .address = 0xffffffff81000300, .is_unwanted = true },
	};

	require(functions_parse(mem_strdup(LIST), true, &armed->functions, NULL) == 0);
	armed->list = mem_zalloc(ARRAY_SIZE(probes), sizeof(probes[0]));
	require(armed->list);
	strbuf_adds(&armed->names, NAMES);
	memcpy(armed->list, probes, sizeof(probes));
	armed->n = armed->cap = ARRAY_SIZE(probes);
	armed->n_wanted = 3;
}

static int read_them(struct why_armed *ret)
{
	struct why_cache cache = why_chosen_file();

	return why_chosen_read(&env, &cache, ret);
}

/* Stores them unless they are stored, and reads them back. */
static int keep(struct why_armed *ret)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };
	struct why_cache cache = why_chosen_file();
	int r = why_chosen_read(&env, &cache, ret);

	if (r)
		return r;
	choose(&armed);
	why_chosen_keep(&env, &cache, &armed);
	return why_chosen_read(&env, &cache, ret);
}

static void functions_are_cached(void **state)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 }, wanted = { 0 };
	const struct function *f;
	struct stat st;
	size_t n;

	assert_int_equal(keep(&armed), 1);
	choose(&wanted);
	assert_int_equal(fstatat(env.journals, ".why-functions", &st, 0), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(armed.n, 4);
	assert_int_equal(armed.n_wanted, 3);
	assert_string_equal(strbuf_str(&armed.names), NAMES);
	assert_memory_equal(armed.list, wanted.list, 4 * sizeof(*wanted.list));
	assert_int_equal(armed.functions.n, 4);
	f = functions_find(&armed.functions, "twice", &n);
	assert_int_equal(n, 2);
	assert_int_equal(f[0].line, 2);
	assert_int_equal(f[1].line, 4);
	assert_int_equal(f[1].order, 2);
	assert_int_equal(f[1].nth, 2);
	assert_int_equal(f[0].same, 2);
	f = functions_find(&armed.functions, "ext4_open", &n);
	assert_int_equal(n, 1);
	assert_string_equal(f->module, "ext4");
	assert_null(functions_find(&armed.functions, "left_out", &n));
}

/* The use count of a module is irrelevant; its address and size are not. */
static void is_not_used_for_another_machine(void **state)
{
	static const struct {
		const char *boot, *modules;
		int found;
	} table[] = {
		{ "one", MODULES, 1 },
		{ "one",
		  "ext4 983040 7 - Live 0xffffffffc0401000\n"
		  "mbcache 16384 3 ext4,ext2,ext3, Live 0xffffffffc03f0000 E\n",
		  1 },
		{ "two", MODULES, 0 },
		{ "one", "ext4 983040 1 - Live 0xffffffffc0401000\n", 0 },
		{ "one",
		  "ext4 983040 1 - Live 0xffffffffc0402000\n"
		  "mbcache 16384 2 ext4,ext2, Live 0xffffffffc03f0000 E\n",
		  0 },
		{ "one",
		  "ext5 983040 1 - Live 0xffffffffc0401000\n"
		  "mbcache 16384 2 ext4,ext2, Live 0xffffffffc03f0000 E\n",
		  0 },
		{ "one",
		  "mbcache 16384 2 ext4,ext2, Live 0xffffffffc03f0000 E\n"
		  "ext4 983040 1 - Live 0xffffffffc0401000\n",
		  0 },
		{ "one", "", 0 },
		{ "one", "dummy 4096 0 - Loading 0xffffffffc0500000\n" MODULES, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(table); i++) {
		_cleanup_(why_armed_done) struct why_armed armed = { 0 }, again = { 0 };

		strcpy(env.boot_id, "one");
		tree_file("/proc/modules", MODULES);
		assert_int_equal(keep(&armed), 1);
		strcpy(env.boot_id, table[i].boot);
		tree_file("/proc/modules", table[i].modules);
		assert_int_equal(read_them(&again), table[i].found);
	}
}

static void hidden_addresses_are_not_cached(void **state)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };

	static const char *const tables[] = { "ext4 983040 1 - Live 0x0000000000000000\n",
					      "ext4 983040 1 - Live 0x0000000000000000 (E)\n" };

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++) {
		tree_file("/proc/modules", tables[i]);
		assert_int_equal(keep(&armed), 0);
		assert_int_not_equal(faccessat(env.journals, ".why-functions", F_OK, 0), 0);
	}
}

/* Results computed in between may belong to either state. */
static void module_loads_invalidate_it(void **state)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };
	struct why_cache cache = why_chosen_file();

	assert_int_equal(why_chosen_read(&env, &cache, &armed), 0);
	choose(&armed);
	tree_file("/proc/modules", "dummy 4096 0 - Live 0xffffffffc0500000\n" MODULES);
	why_chosen_keep(&env, &cache, &armed);
	assert_int_not_equal(faccessat(env.journals, ".why-functions", F_OK, 0), 0);
}

static void damaged_lines_are_rejected(void **state)
{
	static const char *const lines[] = {
		"",
		"\n",
		"ffffffff81000100 1 1 4 1\n",
		"ffffffff81000100 1 1 4 1 \n",
		"ffffffff81000100 1 1 4 10 vfs_open\n",
		"ffffffff81000100 1 1 44 1 vfs_open\n",
		"ffffffff81000100 100000000 1 4 1 vfs_open\n",
		"vfs_open\n",
		"ffffffff81000100 1 1 4 8 vfs_open\n", /* not of interest */
		"ffffffff81000100 1 1 4 1 vfs_open\nffff",
	};

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		_cleanup_(why_armed_done) struct why_armed armed = { 0 }, again = { 0 };
		char all[4096] = "", key[512];
		int fd;

		assert_int_equal(keep(&armed), 1);
		fd = openat(env.journals, ".why-functions", O_RDONLY | O_CLOEXEC);
		assert_true(read(fd, all, sizeof(all) - 1) > 0);
		close(fd);
		snprintf(key, sizeof(key), "%.*s%s", (int)strcspn(all, "\n") + 1, all, lines[i]);
		tree_file("/run/.why-functions", key);
		assert_int_equal(read_them(&again), 0);
	}
}

/* Each with its end, so that no other address gets its name. */
static void symbols_have_ends(void **state)
{
	static const char wanted[] = "ffffffff81000000 t _text\n"
				     "ffffffff81000010 t not_recorded\n"
				     "ffffffff81000100 t vfs_open\n"
				     "ffffffff81000200 t twice\n"
				     "ffffffff81000300 t twice\n"
				     "ffffffff81000400 t not_recorded\n"
				     "ffffffff81000600 t __irqentry_text_start\n"
				     "ffffffff81000680 t __irqentry_text_end\n"
				     "ffffffff81000700 t not_recorded\n"
				     "ffffffffc0401010 t ext4_open\t[ext4]\n";
	_cleanup_strbuf_ struct strbuf text = { 0 }, again = { 0 }, others = { 0 };

	assert_int_equal(why_symbols(&env, NAMES, &text), 0);
	assert_string_equal(strbuf_str(&text), wanted);
	/* The second time, the cached data suffices, for the same functions. */
	tree_file("/proc/kallsyms", "0000000000000000 T _text\n");
	assert_int_equal(why_symbols(&env, NAMES, &again), 0);
	assert_string_equal(strbuf_str(&again), wanted);
	assert_int_equal(why_symbols(&env, "last\n", &others), 0);
	assert_string_equal(strbuf_str(&others), "");
}

static void aliases_keep_their_order(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	assert_int_equal(why_symbols(&env, "sysvec_one\nvfs_alias\nvfs_open\n", &text), 0);
	assert_string_equal(strbuf_str(&text), "ffffffff81000000 t _text\n"
					       "ffffffff81000010 t not_recorded\n"
					       "ffffffff81000100 t vfs_open\n"
					       "ffffffff81000100 t vfs_alias\n"
					       "ffffffff81000200 t not_recorded\n"
					       "ffffffff81000600 t __irqentry_text_start\n"
					       "ffffffff81000600 t sysvec_one\n"
					       "ffffffff81000680 t __irqentry_text_end\n"
					       "ffffffff81000700 t not_recorded\n");
}

static int read_functions(void *arg)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };
	int r = read_them(&armed);

	return r < 0 ? r : r == 1 ? 0 : -EINVAL;
}

static int read_symbols(void *arg)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	return why_symbols(&env, NAMES, &text);
}

static void survives_failing_allocations(void **state)
{
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };

	assert_int_equal(keep(&armed), 1);
	assert_int_equal(read_symbols(NULL), 0);
	oom_check(read_functions, NULL);
	oom_check(read_symbols, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(functions_are_cached),
		TEST(is_not_used_for_another_machine),
		TEST(hidden_addresses_are_not_cached),
		TEST(module_loads_invalidate_it),
		TEST(damaged_lines_are_rejected),
		TEST(symbols_have_ends),
		TEST(aliases_keep_their_order),
		TEST(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
