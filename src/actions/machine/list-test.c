/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests the whole command on a tree that looks like tracefs. */
#include "test.h"
#include "tree.h"

#include <fathom/version.h>

#include <bpf/btf.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "actions/action.h"
#include "actions/machine/list.h"

/* The output of a run. */
struct result {
	int code;
	char *text;
	char *notes;
};

static void result_done(struct result *r)
{
	free(r->text);
	free(r->notes);
}
#define _cleanup_result_ _cleanup_(result_done)

static void write_btf(int dir)
{
	struct btf *btf = btf__new_empty();
	int integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	int stat = btf__add_ptr(btf, btf__add_struct(btf, "kstat", 8));
	int proto = btf__add_func_proto(btf, integer);
	const void *bytes;
	uint32_t size;
	int fd;

	btf__add_func_param(btf, "fd", integer);
	btf__add_func_param(btf, "stat", stat);
	btf__add_func(btf, "vfs_fstat", BTF_FUNC_STATIC, proto);
	btf__add_func(btf, "part", BTF_FUNC_STATIC, proto);
	btf__add_func(btf, "show", BTF_FUNC_STATIC, btf__add_func_proto(btf, integer));
	btf__add_func(btf, "show", BTF_FUNC_STATIC, btf__add_func_proto(btf, 0));
	fd = openat(dir, "vmlinux", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	bytes = btf__raw_data(btf, &size);
	assert_int_equal(write(fd, bytes, size), size);
	close(fd);
	btf__free(btf);
}

static int setup(void **state)
{
	int dir;

	if (tree_setup(state) < 0)
		return -1;
	dir = *(int *)*state;
	tree_file("/available_filter_functions",
		  "vfs_fstat\nshow\nvfs_read\nshow\npart.isra.0\next4_read [ext4]\n"
		  "__ftrace_invalid_address___8\n");
	tree_file("/available_events",
		  "sched:sched_switch\nsched:sched_waking\nirq:softirq_entry\n");
	tree_file("/set_event", "irq:softirq_entry\n");
	tree_file("/events/sched/sched_switch/format",
		  "name: sched_switch\nID: 316\nformat:\n"
		  "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		  "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		  "\tfield:const char * why;\toffset:24;\tsize:8;\tsigned:0;\n\n"
		  "print fmt: \"%s\", REC->prev_comm\n");
	tree_file("/available_tracers", "function_graph nop\n");
	tree_file("/current_tracer", "nop\n");
	tree_file("/trace_clock", "[local] global\n");
	tree_file("/options/overwrite", "1\n");
	tree_file("/options/stacktrace", "0\n");
	tree_file("/dynamic_events", "p:kprobes/my\x1bopen do_sys_open\n");
	tree_file("/instances/mine/current_tracer", "nop\n");
	tree_file("/instances/mine/buffer_size_kb", "1408\n");
	tree_file("/kallsyms", "1000 T vfs_fstat\n1100 t show\n1200 T vfs_read\n1300 t show\n");
	write_btf(dir);
	return 0;
}

/* Runs the command with arguments separated by blanks. */
static struct result run(int dir, struct list_args args, const char *words)
{
	char kallsyms[64], line[256], *rest = line, *argv[8];
	struct list_source source = { .tracefs = dir, .btf = dir, .where = "/tree" };
	struct result result = { 0 };
	size_t sizes[2];
	struct out out = { .width = 80 };
	FILE *notes = open_memstream(&result.notes, &sizes[0]);
	FILE *text = open_memstream(&result.text, &sizes[1]);
	int argc = 0;

	snprintf(kallsyms, sizeof(kallsyms), "/proc/self/fd/%d/kallsyms", dir);
	source.kallsyms = kallsyms;
	snprintf(line, sizeof(line), "%s", words);
	while (argc < 8 && (argv[argc] = str_next_word(&rest, " ")))
		argc++;
	out.stream = text;
	result.code = list_run(&args, &source, argc, argv, &out, notes);
	fclose(text);
	fclose(notes);
	return result;
}

/* If an allocation fails, the result does not matter, as long as it is not a crash. */
static bool is_tortured(void)
{
	return getenv("FATHOM_FAIL_ALLOC") != NULL;
}

static void check(void **state, struct list_args args, const char *words, int code,
		  const char *text, const char *notes)
{
	_cleanup_result_ struct result r = run(*(int *)*state, args, words);

	if (is_tortured())
		return;
	assert_string_equal(r.text, text);
	assert_string_equal(r.notes, notes);
	assert_int_equal(r.code, code);
}

static void lists_functions(void **state)
{
	const struct list_args plain = { 0 }, names = { .names = true };

	check(state, plain, "functions", EXIT_OK,
	      "ext4_read  [ext4]\n"
	      "part.isra.0  derived by the compiler from: int part(int fd, struct kstat *stat)\n"
	      "show  at 0x1100  (1 of 2)\n"
	      "show  at 0x1300  (2 of 2)\n"
	      "    one of: int show(void)\n"
	      "            void show(void)\n"
	      "int vfs_fstat(int fd, struct kstat *stat)\n"
	      "vfs_read\n",
	      "");
	check(state, plain, "functions fstat", EXIT_OK,
	      "int vfs_fstat(int fd, struct kstat *stat)\n", "");
	check(state, names, "functions *read", EXIT_OK, "ext4_read\nvfs_read\n", "");
	check(state, names, "functions /^(vfs|ext4)_read$/", EXIT_OK, "ext4_read\nvfs_read\n", "");
	check(state, (struct list_args){ .names = true, .module = "ext?" }, "functions", EXIT_OK,
	      "ext4_read\n", "");
	check(state, (struct list_args){ .names = true, .module = "vmlinux" }, "function read",
	      EXIT_OK, "vfs_read\n", "");
	check(state, (struct list_args){ .names = true, .icase = true }, "functions VFS_R*",
	      EXIT_OK, "vfs_read\n", "");
	check(state, (struct list_args){ .kind = list_kind_find("functions") }, "_r.ad", EXIT_OK,
	      "ext4_read [ext4]\nvfs_read\n", "");
}

static void suggests_similar_names(void **state)
{
	const struct list_args plain = { 0 }, names = { .names = true };

	check(state, plain, "functions vfs_fsatt", EXIT_FAILED, "",
	      "fathom list: no function matches 'vfs_fsatt'; did you mean 'vfs_fstat'?\n");
	check(state, names, "functions vfs_read zzzzzzzz", EXIT_FAILED, "vfs_read\n",
	      "fathom list: no function matches 'zzzzzzzz'\n");
	check(state, plain, "events sched:sched_swich", EXIT_FAILED, "",
	      "fathom list: no event matches 'sched:sched_swich'; did you mean 'sched_switch'?\n");
	check(state, plain, "events zz*", EXIT_FAILED, "", "fathom list: no event matches 'zz*'\n");
	check(state, plain, "clocks globla", EXIT_FAILED, "",
	      "fathom list: no clock matches 'globla'; did you mean 'global'?\n");
	check(state, plain, "evnets", EXIT_USAGE, "",
	      "fathom list: no list 'evnets'; did you mean 'events'?\n");
	check(state, plain, "vfs_read", EXIT_USAGE, "",
	      "fathom list: no list 'vfs_read'; to search for a name, use 'fathom list functions "
	      "vfs_read' or 'fathom list events vfs_read'\n");
	check(state, plain, "events /(/", EXIT_USAGE, "",
	      "fathom list: invalid regular expression '(': unclosed '(': expected ')'\n");
}

static void lists_events(void **state)
{
	const struct list_args plain = { 0 }, verbose = { .verbose = true };

	check(state, plain, "events", EXIT_OK,
	      "irq:softirq_entry\nsched:sched_switch\nsched:sched_waking\n", "");
	check(state, plain, "events sched", EXIT_OK, "sched:sched_switch\nsched:sched_waking\n",
	      "");
	check(state, plain, "events *_switch irq:*", EXIT_OK,
	      "irq:softirq_entry\nsched:sched_switch\n", "");
	check(state, (struct list_args){ .kind = list_kind_find("events") }, "^sched:.*waking",
	      EXIT_OK, "sched:sched_waking\n", "");
	check(state, verbose, "events sched_switch", EXIT_OK,
	      "sched:sched_switch  (number 316, off)\n"
	      "    offset  size  signed  field\n"
	      "         8    16  no      char prev_comm[16]\n"
	      "        24     8  no      const char *why\n"
	      "    and 1 common to all events\n"
	      "    print format: \"%s\", REC->prev_comm\n\n",
	      "");
}

static void lists_other_kinds(void **state)
{
	const struct list_args plain = { 0 };

	check(state, plain, "clocks glob", EXIT_OK,
	      "    global  like local, but synchronized between CPUs; slower\n", "");
	check(state, plain, "tracers nop", EXIT_OK,
	      "now nop  no tracer: only events and probes are recorded\n", "");
	check(state, plain, "options", EXIT_OK,
	      "on  overwrite   overwrite the oldest events when full (off: drop new ones)\n"
	      "off stacktrace  record a kernel stack with each event\n",
	      "");
	check(state, plain, "probes", EXIT_OK,
	      "off kprobes:my\\x1bopen  kprobe            p:kprobes/my\\x1bopen do_sys_open\n", "");
	check(state, plain, "instances", EXIT_OK,
	      "mine  stopped; tracer nop; 0 events enabled; 1408 kB per CPU\n", "");
}

static void gives_an_overview(void **state)
{
	_cleanup_result_ struct result r = run(*(int *)*state, (struct list_args){ 0 }, "");

	require_memory();
	assert_int_equal(r.code, EXIT_OK);
	assert_non_null(strstr(r.text, "        6  functions"));
	assert_non_null(strstr(r.text, "        3  events     in 2 subsystems, 1 enabled"));
	assert_non_null(strstr(r.text, "current: nop"));
	assert_non_null(strstr(r.text, "current: local"));
}

#define JSON_HEAD "{\n  \"schema\": 1,\n  \"version\": \"%s\",\n"
#define JSON_END                                                                       \
	",\n  \"completeness\": {\n    \"is_complete\": true,\n    \"missing\": [],\n" \
	"    \"lost_event_count\": null,\n    \"lost_count_is_minimum\": false\n  }\n}\n"

static void writes_json(void **state)
{
	const struct list_args json = { .json = true };
	char expected[1024];

	snprintf(expected, sizeof(expected),
		 JSON_HEAD
		 "  \"list\": \"functions\",\n  \"count\": 1,\n  \"items\": [\n    {\n"
		 "      \"name\": \"vfs_fstat\",\n      \"module\": null,\n"
		 "      \"address\": null,\n      \"same_name_count\": 1,\n      \"nth\": 1,\n"
		 "      \"prototypes\": [\n"
		 "        \"int vfs_fstat(int fd, struct kstat *stat)\"\n      ],\n"
		 "      \"is_prototype_of_source\": false,\n      \"dropped_count\": 0\n"
		 "    }\n  ]" JSON_END,
		 fathom_version());
	check(state, json, "functions vfs_fstat", EXIT_OK, expected, "");
	snprintf(expected, sizeof(expected),
		 JSON_HEAD "  \"list\": \"events\",\n  \"count\": 0,\n  \"items\": []" JSON_END,
		 fathom_version());
	check(state, json, "events nothing*", EXIT_FAILED, expected,
	      "fathom list: no event matches 'nothing*'\n");
}

static void writes_csv(void **state)
{
	const struct list_args csv = { .csv = true }, verbose = { .csv = true, .verbose = true };

	check(state, csv, "functions vfs_fstat", EXIT_OK,
	      "name,module,address,same_name_count,nth,prototypes,is_prototype_of_source,"
	      "dropped_count\n"
	      "vfs_fstat,,,1,1,\"int vfs_fstat(int fd, struct kstat *stat)\",false,0\n",
	      "");
	check(state, csv, "events irq:*", EXIT_OK, "system,name,enabled\nirq,softirq_entry,true\n",
	      "");
	check(state, verbose, "events sched_switch", EXIT_OK,
	      "system,name,enabled,id,print_fmt\n"
	      "sched,sched_switch,false,316,\"\"\"%s\"\", REC->prev_comm\"\n",
	      "");
	check(state, csv, "probes", EXIT_OK,
	      "kind,system,name,enabled,definition\n"
	      "kprobe,kprobes,my\\x1bopen,false,p:kprobes/my\\x1bopen do_sys_open\n",
	      "");
	check(state, csv, "events nothing*", EXIT_FAILED, "system,name,enabled\n",
	      "fathom list: no event matches 'nothing*'\n");
}

/* Mainly for the run with failing allocations, to detect crashes. */
static void runs_every_list(void **state)
{
	static const char *const words[] = { "functions", "events",    "options", "probes",
					     "tracers",	  "instances", "" };

	for (size_t i = 0; i < 3 * ARRAY_SIZE(words); i++) {
		const struct list_args args = { .json = i % 3 == 1, .csv = i % 3 == 2 };
		_cleanup_result_ struct result r = run(*(int *)*state, args, words[i / 3]);

		assert_true(is_tortured() || r.code == EXIT_OK);
	}
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lists_functions),	 TEST(suggests_similar_names), TEST(lists_events),
		TEST(lists_other_kinds), TEST(gives_an_overview),      TEST(writes_json),
		TEST(writes_csv),	 TEST(runs_every_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
