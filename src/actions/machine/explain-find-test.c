/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests explanations of names on a directory tree that replaces the machine. */
#include "test.h"
#include "types-sample.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "actions/machine/explain-find.h"
#include "symbols/elf/elf-file.h"
#include "symbols/dwarf/source-lines.h"

#define T "/sys/kernel/tracing/"
#define FORMAT                                                                   \
	"name: %s\nID: 1\nformat:\n"                                             \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n" \
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"          \
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"

static const char *root;
static struct fathom_err err;
static bool plain; /* for the next query */
static const char *vmlinux;

#define SELF "/proc/self/exe"

/* Functions of the "kernel" whose file is this program; the first marks its start. */
__attribute__((noinline, used)) int explained_text(int n) __asm__("_text");
int explained_here(int n);
__attribute__((noinline, used)) int explained_text(int n)
{
	return n + 1;
}

enum {
	EXPLAINED_LINE = __LINE__ + 2
};
__attribute__((noinline, used)) int explained_here(int n)
{
	return n * 7;
}

static int make(void **state)
{
	char path[160];
	int dir;

	root = tree_make();
	err = (struct fathom_err){ 0 };
	tree_file("/proc/self/mountinfo",
		  "36 22 0:12 / /sys/kernel/tracing rw - tracefs tracefs rw\n");
	tree_file("/proc/kallsyms", "ffffffff81000000 T _text\n"
				    "ffffffff81000100 T vfs_open\n"
				    "ffffffff81000200 t vfs_same\n"
				    "ffffffff81000300 T vfs_read\n"
				    "ffffffff81000400 t vfs_same\n"
				    "ffffffff81000500 t vfs_read.isra.0\n"
				    "ffffffff81000600 T vfs_black\n"
				    "ffffffff81000700 T __x64_sys_openat\n"
				    "ffffffff81000800 D vfs_data\n"
				    "ffffffff81000900 t __pfx_vfs_open\n"
				    "ffffffffc0000100 t vfs_open_x\t[mod]\n");
	tree_file(T "available_filter_functions", "vfs_open\nvfs_same\nvfs_read\nvfs_read.isra.0\n"
						  "__x64_sys_openat\nvfs_open_x [mod]\n");
	tree_file(T "available_events", "sched:sched_switch\nsyscalls:sys_enter_openat\n");
	tree_file(T "events/enable", "0\n");
	tree_file(T "set_event", "");
	tree_file(T "current_tracer", "nop\n");
	tree_file(T "tracing_on", "1\n");
	tree_file(T "kprobe_events", "");
	tree_file(T "README", "tracing mini-HOWTO\n");
	tree_file(T "events/sched/sched_switch/format", FORMAT);
	tree_file(T "events/syscalls/sys_enter_openat/format", FORMAT);
	tree_file("/sys/kernel/debug/kprobes/blacklist", "0x600-0x610\tvfs_black\n");
	tree_file("/src/tags",
		  "vfs_open\tfs/open.c\t/^int vfs_open(const struct path *path,$/;\"\tf\n"
		  "vfs_read\tfs/gone.c\t450;\"\tf\n");
	tree_file("/src/fs/open.c", "/* open */\nint vfs_open(const struct path *path,\n"
				    "\t     struct file *file)\n{\n\treturn 0;\n}\n");
	tree_dir("/sys/kernel/btf");
	snprintf(path, sizeof(path), "%s/sys/kernel/btf", root);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(types_sample_write(dir), 0);
	close(dir);
	return 0;
}

static int clean(void **state)
{
	tree_remove();
	return 0;
}

/* The text shown to the user; "" if an allocation failed. */
static const char *explain(const char *name, const char *source, bool json)
{
	static char text[16384];
	struct explain_query query = { .root = root,
				       .name = name,
				       .release = "6.12.0",
				       .version = "#1",
				       .plain = plain,
				       .vmlinux = vmlinux };
	struct explanation explanation = { 0 };
	_cleanup_fclose_ FILE *file = fmemopen(text, sizeof(text), "w");
	struct out out;
	char dir[160];
	int r;

	assert_non_null(file);
	snprintf(dir, sizeof(dir), "%s%s", root, source ?: "");
	query.source = source ? dir : "/nonexistent";
	text[0] = '\0';
	out_init(&out, file, OUT_COLOR_NEVER);
	r = explain_find(&query, &explanation, &err);
	if (r == 0)
		r = json ? explain_print_json(&explanation, &out) :
			   explain_print(&explanation, &out);
	fflush(file);
	explanation_done(&explanation);
	if (r == -ENOMEM)
		assert_true(mem_fault);
	return r == 0 ? text : "";
}

static void check(const char *text, const char *words)
{
	if (!mem_fault && !strstr(text, words))
		fail_msg("'%s' is not in\n%s%s", words, text, fathom_err_text(&err));
}

static void explains_functions(void **state)
{
	const char *text = explain("vfs_open", NULL, false);

	check(text, "vfs_open  in Linux 6.12.0\n"
		    "  int vfs_open(const struct path *path, struct file *file)\n"
		    "  function  ffffffff81000100  vfs_open\n\n");
	check(text, "function_graph   yes  fathom record -p function_graph -g vfs_open\n");
	check(text, "kprobe           yes  fathom record -e 'k:vfs_open(path, file)'\n");
	check(text, "kretprobe        yes  fathom record -e 'kr:vfs_open => ret'\n");
	check(text, "fprobe           no   this kernel has no fprobes\n");
	check(text, "https://elixir.bootlin.com/linux/v6.12/A/ident/vfs_open\n");
	text = explain("vfs_read", NULL, false);
	check(text, "ffffffff81000300  vfs_read\n");
	check(text, "ffffffff81000500  vfs_read.isra.0\n");
}

static void reports_obstacles(void **state)
{
	const char *text = explain("vfs_black", NULL, false);

	check(text, "function_graph   no   excluded by the kernel");
	check(text, "kprobe           no   on the kprobe blacklist");
	check(text, "(no prototype: not in the type information (BTF) of the kernel)");
	/* One of the two can be traced; the kernel's addresses identify it. */
	check(explain("vfs_same", NULL, false),
	      "ffffffff81000200  vfs_same  not every function of this name can be traced\n");
	tree_file(T "available_filter_functions_addrs", "ffffffff81000204 vfs_same\n");
	text = explain("vfs_same", NULL, false);
	check(text, "ffffffff81000200  vfs_same\n");
	check(text, "ffffffff81000400  vfs_same  cannot be traced\n");
	check(explain("vfs_data", NULL, false), "  data      ffffffff81000800  vfs_data\n");
}

static void explains_events_and_system_calls(void **state)
{
	const char *text = explain("sched:sched_switch", NULL, false);

	check(text, "event sched:sched_switch\n  char prev_comm[16]\n  pid_t prev_pid\n");
	check(text, "fathom record -e sched:sched_switch");
	check(explain("sched_switch", NULL, false), "event sched:sched_switch\n");
	text = explain("openat", NULL, false);
	check(text, "openat  in Linux 6.12.0, a system call\n");
	check(text, "ffffffff81000700  __x64_sys_openat\n");
	check(text, "event syscalls:sys_enter_openat\n");
}

static void finds_the_source(void **state)
{
	const char *text = explain("vfs_open", "/src", false);

	check(text, "/src/fs/open.c:2  (from ");
	check(text, "  int vfs_open(const struct path *path,\n"
		    "  \t     struct file *file)\n  {\n");
	check(explain("vfs_read", "/src", false), "/src/fs/gone.c:450  (from ");
	check(explain("vfs_black", "/src", false), "https://elixir");
	check(explain("vfs_open", NULL, false), "no file 'tags' in '/nonexistent'");
}

/* Writes the file's build ID where the kernel has its notes. Returns false if there is none. */
static bool write_notes(const char *of, const char *notes, bool of_another)
{
	_cleanup_close_ int self = open(of, O_RDONLY | O_CLOEXEC);
	unsigned char id[ELF_BUILD_ID_MAX];
	uint32_t head[3] = { 4, 0, 3 };
	struct elf_source source;
	struct elf_file file;
	char path[160];

	assert_int_equal(elf_source_fd(self, &source), 0);
	if (elf_file_init(&file, &source, NULL) == -ENOMEM && mem_fault)
		return false;
	head[1] = (uint32_t)elf_file_build_id(&file, id);
	elf_file_done(&file);
	id[0] ^= of_another;
	tree_file(notes, "");
	snprintf(path, sizeof(path), "%s%s", root, notes);
	{
		_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

		assert_true(write(fd, head, sizeof(head)) == sizeof(head));
		assert_true(write(fd, "GNU", 4) == 4);
		assert_true(write(fd, id, head[1]) == (ssize_t)head[1]);
	}
	return head[1];
}

static void finds_lines_by_debug_information(void **state)
{
	char symbols[256], place[64], other[64];
	const char *text;

	if (!source_lines_supported() || !write_notes(SELF, "/sys/kernel/notes", false))
		skip_because("no libdw, or this program has no build ID");
	/* Paths in the file do not exist here. */
	assert_int_equal(chdir("/"), 0);
	/* The same name twice: only addresses distinguish them. */
	snprintf(symbols, sizeof(symbols),
		 "ffffffff81000000 T _text\n%lx t explained_here\nffffffff81000000 t "
		 "explained_here\n",
		 0xffffffff81000000 + ((uintptr_t)explained_here - (uintptr_t)explained_text));
	tree_file("/proc/kallsyms", symbols);
	tree_link("/usr/lib/debug/boot/vmlinux-6.12.0", SELF);
	snprintf(place, sizeof(place), "explain-find-test.c:%d  (from ", EXPLAINED_LINE);
	snprintf(other, sizeof(other), "explain-find-test.c:%d  (from ", EXPLAINED_LINE - 8);
	text = explain("explained_here", NULL, false);
	check(text, place);
	check(text, other);
	check(text, "https://elixir");
	/* A file of another kernel is reported; if it was given explicitly, it is used by name. */
	write_notes(SELF, "/sys/kernel/notes", true);
	text = explain("explained_here", NULL, false);
	check(text, "does not match the running kernel");
	assert_null(strstr(text, place));
	vmlinux = SELF;
	text = explain("explained_here", NULL, false);
	check(text, "'" SELF "' does not match the running kernel");
	check(text, place);
	assert_null(strstr(text, other));
	vmlinux = "/nonexistent";
	check(explain("explained_here", NULL, false), "cannot open '/nonexistent'");
	vmlinux = NULL;
}

static void finds_lines_in_modules(void **state)
{
	static const char notes[] = "/sys/module/mod_x/notes/.note.gnu.build-id";
	char command[1024], module[160];
	const char *text;

	/* Running the compiler for each allocation would take too long. */
	require_memory();
	if (!source_lines_supported())
		skip_because("no libdw");
	assert_int_equal(chdir("/"), 0);
	tree_file("/proc/kallsyms", "ffffffffc0000100 t vfs_open_x\t[mod_x]\n");
	tree_file("/lib/modules/6.12.0/modules.dep",
		  "kernel/fs/mod.ko.xz:\n"
		  "kernel/fs/mod-x.ko.xz: kernel/fs/mod.ko.xz\n");
	tree_file("/work/mod-x.c", "int first(int n)\n{\n\treturn n;\n}\n\nint vfs_open_x(int n)\n"
				   "{\n\treturn n + 1;\n}\n");
	tree_dir("/usr/lib/debug/lib/modules/6.12.0/kernel/fs");
	snprintf(module, sizeof(module), "%s/usr/lib/debug/lib/modules/6.12.0/kernel/fs/mod-x.ko",
		 root);
	/* Not linked, like modules: only relocations give the addresses. */
	snprintf(command, sizeof(command),
		 "cd %s/work && cc -g -ffunction-sections -c mod-x.c 2>cc.log && "
		 "ld -r --build-id=sha1 -o %s mod-x.o 2>ld.log; rm -f mod-x.* *.log",
		 root, module);
	if (system(command) != 0 || access(module, R_OK) < 0 || !write_notes(module, notes, false))
		skip_because("no compiler or linker");
	check(explain("vfs_open_x", NULL, false), "mod-x.c:6  (from ");
	write_notes(module, notes, true);
	text = explain("vfs_open_x", NULL, false);
	check(text, "does not match the loaded module");
	assert_null(strstr(text, "mod-x.c:6"));
	unlink(module);
}

static void suggests_similar_names(void **state)
{
	explain("vfs_opne", NULL, false);
	check(fathom_err_text(&err),
	      "no kernel function or event 'vfs_opne' (did you mean 'vfs_open'?)");
	explain("quite_another_name", NULL, false);
	check(fathom_err_text(&err), "no kernel function or event 'quite_another_name'");
}

static void prints_json(void **state)
{
	const char *text = explain("vfs_open", "/src", true);

	check(text,
	      "\"prototypes\": [\n    \"int vfs_open(const struct path *path, struct file *file)\"");
	check(text, "\"address\": \"0xffffffff81000100\"");
	check(text, "\"works\": true");
	check(text, "\"line\": 2");
	check(text, "\"trace\": null");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make, clean)

static void works_without_tracefs(void **state)
{
	const char *text;

	plain = true;
	text = explain("vfs_open", "/src", false);
	check(text, "fs/open.c:2");
	check(text, "int vfs_open(const struct path *path,");
	assert_null(strstr(text, "tracing on this machine"));
	/* Without events, a system call is known by its function. */
	check(explain("openat", "/src", false), "a system call");
	assert_string_equal(explain("vfs_nothing", NULL, false), "");
	if (!mem_fault)
		assert_string_equal(fathom_err_text(&err), "no kernel function 'vfs_nothing'");
	plain = false;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(explains_functions),
		TEST(reports_obstacles),
		TEST(explains_events_and_system_calls),
		TEST(finds_the_source),
		TEST(finds_lines_by_debug_information),
		TEST(finds_lines_in_modules),
		TEST(suggests_similar_names),
		TEST(prints_json),
		TEST(works_without_tracefs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
