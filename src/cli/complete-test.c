/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "cli/complete.h"
#include "cli/kit/commands.h"
#include "cli/value-kinds.h"

#define FUNCTIONS 50000
/* CPU time for one completion; sanitizers and the torture of allocations take a multiple. */
#define MS_MAX 100
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOWER 20
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SLOWER 20
#endif
#endif
#ifndef SLOWER
#define SLOWER 1
#endif

static const char *root;

static int make(void **state)
{
	_cleanup_strbuf_ struct strbuf functions = { 0 };

	commands = all_commands;
	command_rows = all_rows;
	root = tree_make();
	for (unsigned i = 0; i < FUNCTIONS; i++)
		strbuf_addf(&functions, "%s_%c%c_work_%u\n", i % 2 ? "ext4" : "vfs",
			    'a' + i / 26 % 26, 'a' + i % 26, i);
	strbuf_addf(&functions, "zstd_init [zstd]\n");
	tree_file("/proc/filesystems", "nodev\ttracefs\n");
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file("/proc/modules", "zstd 1 0 - Live 0x0\nvirtio_net 2 0 - Live 0x0\n");
	tree_file("/proc/4711/comm", "two words\n");
	tree_file("/proc/sys/kernel/random/boot_id", "5b6f\n");
	tree_dir("/run");
	tree_dir("/run/fathom");
	tree_file("/run/fathom/a1b2c3d4.journal", "unreadable\n");
	tree_file("/sys/kernel/tracing/current_tracer", "nop\n");
	tree_file("/sys/kernel/tracing/available_tracers", "function_graph function nop\n");
	tree_file("/sys/kernel/tracing/trace_clock", "[local] global mono\n");
	tree_file("/sys/kernel/tracing/trace_options", "print-parent\nnosym-offset\n");
	tree_file("/sys/kernel/tracing/dynamic_events", "p:fathom/vfs_open vfs_open\n");
	tree_file("/sys/kernel/tracing/instances/web/tracing_on", "1\n");
	tree_file("/sys/kernel/tracing/available_events",
		  "sched:sched_switch\nsched:sched_waking\nsyscalls:sys_enter_openat\n"
		  "syscalls:sys_exit_openat\nirq:softirq_entry\n");
	tree_file("/sys/kernel/tracing/available_filter_functions", strbuf_str(&functions));
	return functions.err;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

/* The answer to @line: kind, and the words in order, separated by spaces. */
static void answer(const char *line, char *to, size_t size)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	char *rest;
	size_t len = 0;
	int n = 0;

	if (complete_line(root, line, &text) < 0)
		fail_msg("'%s': no memory", line);
	rest = text.s;
	*to = '\0';
	for (char *l; rest && (l = str_next_line(&rest)); n++) {
		l[strcspn(l, "\t")] = '\0';
		if (n != 1 && n != 2 && len < size)
			len += (size_t)snprintf(to + len, size - len, "%s%s", n ? " " : "", l);
	}
}

static void completes(const char *line, const char *expected)
{
	char got[2048];

	answer(line, got, sizeof(got));
	if (!str_eq(got, expected))
		fail_msg("'%s' is completed with '%s' instead of '%s'", line, got, expected);
}

static void completes_commands_and_options(void **state)
{
	completes("fathom rec", "words record recover");
	completes("fathom -q --js", "words --json");
	completes("fathom --color=n", "words --color=never");
	completes("fathom --color ne", "words never");
	completes("fathom -o file rec", "words record recover");
	completes("X=1 /usr/bin/fathom sn", "words snapshot");
	completes("fathom tree --be", "words --below=");
	completes("fathom tree --sort=c", "words --sort=count");
	completes("fathom tree --sort c", "words count");
	completes("fathom tree -sc", "words -scount");
	completes("fathom tree -s c", "words count");
	completes("fathom tree --flat -n 5 --so", "words --sort=");
	completes("fathom tree -s", "words -s");
	completes("fathom report --profi", "words");
	completes("fathom help fil", "words filters");
	completes("fathom nonesuch x", "words");
	completes("fathom", "");
	completes("", "");
}

static void completes_files_by_kind(void **state)
{
	completes("fathom report ", "recording");
	completes("fathom report a b c", "recording");
	completes("fathom info a b", "words");
	completes("fathom tree --phases ", "file");
	completes("fathom tree --phases=x", "file");
	completes("fathom record -o", "words -o");
	completes("fathom record -o ", "recording");
	completes("fathom record -ox", "recording");
	completes("fathom record -q -o x", "recording");
	completes("fathom record -qo ", "recording");
	completes("fathom tui --source ", "directory");
	completes("fathom record ", "program");
	completes("fathom record -- ", "program");
	completes("fathom critical a b", "recording");
	completes("fathom critical a", "words");
	completes("fathom record -e sched 'my program' --so", "command 23");
	completes("fathom watch x cat -", "command 15");
	completes("fathom watch x ca", "program");
}

static void completes_names(void **state)
{
	completes("fathom record -e sche", "words sched: sched_switch sched_waking");
	completes("fathom record -e sched:sched_w", "words sched:sched_waking");
	completes("fathom record --event=sched:sched_w", "words --event=sched:sched_waking");
	completes("fathom record -e 'sched:sched_w", "words sched:sched_waking");
	completes("fathom record -p fun", "words function_graph function");
	completes("fathom record -C lo", "words local");
	completes("fathom record -O nop", "words noprint-parent");
	completes("fathom record -O sym", "words sym-offset");
	completes("fathom record -B ", "words web");
	completes("fathom extract --session a", "words a1b2c3d4");
	completes("fathom reset a", "words a1b2c3d4");
	completes("fathom record --module v", "words virtio_net");
	completes("fathom record -P 47", "words 4711");
	completes("fathom why -p 1,47", "words 1,4711");
	completes("fathom why -e op", "words openat");
	completes("fathom why --errno EAC", "words EACCES");
	completes("fathom probe del ", "words fathom:vfs_open");
	completes("fathom probe add u", "words u: ur: usdt:");
	completes("fathom list tr", "words tracers");
	completes("fathom list clocks g", "words global");
	completes("fathom record -l zs", "words zstd_init");
	completes("fathom record -e k:zs", "words k:zstd_init");
	completes("fathom run -e kr:zs", "words kr:zstd_init");
	completes("fathom tree -g zstd", "words zstd_init");
	completes("fathom explain zstd", "words zstd_init");
	completes("fathom report --fields time,co", "words time,comm");
}

static void shortens_long_lists(void **state)
{
	completes("fathom record -l ", "words ext4_ vfs_ zstd_");
	completes("fathom record -l ext", "words ext4_");
	completes("fathom record -e k:vf", "words k:vfs_");
}

static void is_silent_without_tracefs(void **state)
{
	const char *full = root;

	root = "/nonexistent";
	completes("fathom record -e sche", "words");
	completes("fathom record -l vfs", "words");
	completes("fathom record -B ", "words");
	completes("fathom extract --session ", "words");
	completes("fathom why -p ", "words");
	root = full;
}

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void is_fast(void **state)
{
	static const char *const lines[] = { "fathom ", "fathom record -", "fathom record -e sc",
					     "fathom record -l ",
					     "fathom record -l vfs_aa_work_1" };

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		char got[256];
		double start = cpu_ms();

		answer(lines[i], got, sizeof(got));
		if (cpu_ms() - start > MS_MAX * SLOWER)
			fail_msg("'%s' takes %.0f ms", lines[i], cpu_ms() - start);
	}
}

/* Each placeholder has a rule. */
static void all_value_kinds_complete(void **state)
{
	for (size_t i = 0; all_commands[i]; i++) {
		for (const struct option_def *d = all_commands[i]->options; d->kind; d++)
			if (d->arg &&
			    value_kind_of_option(all_commands[i], d).type == VALUE_UNKNOWN)
				fail_msg("fathom %s --%s: what is %s? See value-kinds.c",
					 all_commands[i]->name, d->name ?: "", d->arg);
		for (unsigned n = 0; n < 3; n++)
			if (value_kind_of_operand(all_commands[i], n, "add").type == VALUE_UNKNOWN)
				fail_msg("fathom %s: what is operand %u of '%s'? See value-kinds.c",
					 all_commands[i]->name, n, all_commands[i]->operands);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(completes_commands_and_options),
		cmocka_unit_test(completes_files_by_kind),
		cmocka_unit_test(completes_names),
		cmocka_unit_test(shortens_long_lists),
		cmocka_unit_test(is_silent_without_tracefs),
		cmocka_unit_test(is_fast),
		cmocka_unit_test(all_value_kinds_complete),
	};

	return cmocka_run_group_tests(tests, make, clean);
}
