/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/file/machine-head.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/file/trace-file.h"
#include "test.h"

static const char page_text[] = "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
				"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
				"\tfield: char data;\toffset:16;\tsize:8176;\tsigned:1;\n";

/* A machine, and a copy of its tracefs alone. */
static const char *make_machine(void)
{
	const char *root = tree_make();

	tree_file("/t/events/header_page", page_text);
	tree_file("/t/events/header_event", "# compressed entry header\n");
	tree_file("/t/events/ftrace/function/format", "name: function\nID: 1\n");
	tree_file("/t/events/sched/sched_switch/format", "name: sched_switch\nID: 5\n");
	tree_file("/t/available_events", "sched:sched_switch\n");
	tree_file("/t/printk_formats", "0x1 : \"text\"\n");
	tree_file("/t/saved_cmdlines", "7 seven\n");
	tree_file("/t/trace_clock", "[local] mono\n");
	tree_dir("/t/per_cpu/cpu0");
	tree_dir("/t/per_cpu/cpu3");
	tree_file("/proc/kallsyms", "ffff0000 T here\n");
	tree_file("/proc/9/stat", "9 (nine) S 1 1 1 0 -1 4194560 1 1 1 1 1 1 1 1 20 0 1 0 5\n");
	tree_file("/other", "ffff0000 T there\n");
	return root;
}

struct request {
	const char *root;
	bool is_copy, other_symbols;
	int fd; /* created by the test, written to */
};

static int write_head(void *arg)
{
	const struct request *request = arg;
	char path[256], symbols[256];
	struct machine_head head = { .root = request->root, .is_copy = request->is_copy };
	_cleanup_close_ int dir = -1;

	snprintf(path, sizeof(path), "%s/t", request->root);
	snprintf(symbols, sizeof(symbols), "%s/other", request->root);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	head.tracefs = dir;
	head.kallsyms = request->other_symbols ? symbols : NULL;
	assert_int_equal(ftruncate(request->fd, 0), 0);
	return machine_head_write(&head, request->fd, NULL);
}

static long read_fd(void *ctx, uint64_t offset, void *buf, size_t size)
{
	return pread(*(int *)ctx, buf, size, (off_t)offset);
}

/* Returns whether section @id contains @text. */
static bool has(const struct trace_file *file, unsigned id, const char *text)
{
	const struct trace_section *section = trace_file_section(file, id);
	char bytes[4096];
	size_t size;

	assert_non_null(section);
	if (trace_section_length(file, section, &size, NULL) < 0 || size > sizeof(bytes) ||
	    trace_section_read(file, section, bytes, size, NULL) < 0)
		return false;
	return memmem(bytes, size, text, strlen(text));
}

static void check(struct request *request)
{
	struct trace_file file;
	struct stat st;
	struct view view;
	int r = write_head(request);

	assert_true(r == 0 || r == -ENOMEM);
	assert_int_equal(fstat(request->fd, &st), 0);
	view = (struct view){ .size = (uint64_t)st.st_size, .read = read_fd, .ctx = &request->fd };
	if (r == 0)
		r = trace_file_init(&file, &view, 0, NULL);
	assert_true(r == 0 || r == -ENOMEM);
	if (r < 0)
		return;
	assert_int_equal(file.n_buffers, 0);
	assert_int_equal(file.n_cpus, 4);
	assert_int_equal(file.page_size, 8192);
	assert_int_equal(file.layout.size, 8192);
	assert_string_equal(file.clock, "local");
	assert_true((strstr(file.uname, "Linux") != NULL) == !request->is_copy);
	assert_true(has(&file, TRACE_ID_EVENT_FORMATS, "name: sched_switch"));
	assert_true(has(&file, TRACE_ID_FTRACE_EVENTS, "name: function"));
	assert_true(has(&file, TRACE_ID_PRINTK, "0x1 : "));
	assert_true(has(&file, TRACE_ID_CMDLINES, "7 seven\n"));
	assert_true(has(&file, TRACE_ID_CMDLINES, "9 nine\n") == !request->is_copy);
	assert_true(has(&file, TRACE_ID_KALLSYMS, "T here") == !request->other_symbols);
	assert_true(has(&file, TRACE_ID_KALLSYMS, "T there") == request->other_symbols);
	assert_true(file.damage.total == 0);
	trace_file_done(&file);
}

static void describes_a_machine(void **state)
{
	struct request request = { .root = make_machine(),
				   .fd = memfd_create("head", MFD_CLOEXEC) };

	for (unsigned i = 0; i < 4; i++) {
		request.is_copy = i & 1;
		request.other_symbols = i & 2;
		check(&request);
	}
	tree_unlink("/t/events/header_page");
	assert_true(write_head(&request) == -ENOENT || write_head(&request) == -ENOMEM);
	close(request.fd);
	tree_remove();
}

static void survives_failing_allocations(void **state)
{
	struct request request = { .root = make_machine(),
				   .fd = memfd_create("head", MFD_CLOEXEC) };

	oom_check(write_head, &request);
	close(request.fd);
	tree_remove();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(describes_a_machine),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
