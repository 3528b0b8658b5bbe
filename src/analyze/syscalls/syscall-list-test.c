/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <inttypes.h>

#include "analyze/syscalls/syscall-list.h"
#include "base/cleanup.h"
#include "base/mem.h"

#define HEAD                                                         \
	"format:\n"                                                  \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n" \
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
#define ARG(declaration, offset) \
	"\tfield:" declaration ";\toffset:" #offset ";\tsize:8;\tsigned:0;\n"
#define PRINT "\nprint fmt: \"x\"\n"

enum {
	RAW,
	OPENAT,
	READ,
	CLOSE,
	DUP2,
	EXECVE,
	EXIT_GROUP,
	FCNTL,
	SOCKET,
	PAUSE,
	SIGRETURN,
	CALLS,
};

/* Entry events by call; the IDs of exit events are greater by 100. */
static const char *const texts[CALLS] = {
	[RAW] = "name: sys_enter\nID: 1\nformat:\n"
		"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n" PRINT,
	[OPENAT] = "name: sys_enter_openat\nID: 2\n" HEAD ARG("int dfd", 16)
		ARG("const char * filename", 24) ARG("int flags", 32) ARG("umode_t mode", 40) PRINT,
	[READ] = "name: sys_enter_read\nID: 3\n" HEAD ARG("unsigned int fd", 16)
		ARG("char * buf", 24) ARG("size_t count", 32) PRINT,
	[CLOSE] = "name: sys_enter_close\nID: 4\n" HEAD ARG("unsigned int fd", 16) PRINT,
	[DUP2] = "name: sys_enter_dup2\nID: 5\n" HEAD ARG("unsigned int oldfd", 16)
		ARG("unsigned int newfd", 24) PRINT,
	[EXECVE] = "name: sys_enter_execve\nID: 6\n" HEAD ARG("const char * filename", 16) PRINT,
	[EXIT_GROUP] = "name: sys_enter_exit_group\nID: 7\n" HEAD ARG("int error_code", 16) PRINT,
	[FCNTL] = "name: sys_enter_fcntl\nID: 8\n" HEAD ARG("unsigned int fd", 16)
		ARG("unsigned int cmd", 24) ARG("unsigned long arg", 32) PRINT,
	[SOCKET] = "name: sys_enter_socket\nID: 9\n" HEAD ARG("int family", 16) ARG("int type", 24)
		ARG("int protocol", 32) PRINT,
	[PAUSE] = "name: sys_enter_pause\nID: 10\n" HEAD PRINT,
	[SIGRETURN] = "name: sys_enter_rt_sigreturn\nID: 11\n" HEAD PRINT,
};

struct bench {
	struct arena arena;
	struct event_format *enter[CALLS], *exit[CALLS];
	struct syscall_list list;
	struct strbuf got;
	uint64_t time;
	uint64_t missed; /* before the next event */
	bool unwanted;
	bool failed;
};

static void write_call(void *data, const struct listed_call *call)
{
	static const char *const fates[] = { "",	   " ended",	   " open",   " lost",
					     " restarted", " interrupted", " no exit" };
	struct bench *bench = data;
	struct strbuf *got = &bench->got;

	strbuf_addf(got, "%d ", call->pid);
	if (call->old_pid)
		strbuf_addf(got, "(%d) ", call->old_pid);
	if (call->has_start)
		syscall_args_put(got, call->args, &call->how);
	else
		strbuf_addf(got, "...%s", call->name ?: "?");
	if (call->fate == SYSCALL_RETURNED) {
		strbuf_adds(got, " = ");
		syscall_result_put(got, call->name, call->result, call->result_file);
	}
	if (call->signal)
		strbuf_addf(got, " by %d", call->signal);
	if (call->has_start && syscall_fate_has_end(call->fate))
		strbuf_addf(got, " %" PRIu64, call->end - call->start);
	strbuf_addf(got, "%s\n", fates[call->fate]);
}

static void begin(struct bench *bench)
{
	*bench = (struct bench){ .list = { .take = write_call, .data = bench } };
	for (size_t i = 0; i < CALLS; i++) {
		struct fathom_err err = { 0 };
		struct event_format *copy;

		if (event_format_parse(texts[i], strlen(texts[i]), "syscalls",
				       (struct event_abi){ .long_size = 8 }, &bench->arena,
				       &bench->enter[i], &err) < 0 ||
		    !(copy = arena_zalloc(&bench->arena, 1, sizeof(*copy)))) {
			bench->failed = true;
			return;
		}
		*copy = (struct event_format){ .system = "syscalls",
					       .name = i == RAW ? "sys_exit" : NULL,
					       .id = bench->enter[i]->id + 100 };
		if (i != RAW) {
			char *name = arena_strdup(&bench->arena, bench->enter[i]->name);
			if (!name) {
				bench->failed = true;
				return;
			}
			memmove(name + strlen("sys_exit_"), name + strlen("sys_enter_"),
				strlen(name) - strlen("sys_enter_") + 1);
			memcpy(name, "sys_exit_", strlen("sys_exit_"));
			copy->name = name;
		}
		bench->exit[i] = copy;
	}
}

static void give(struct bench *bench, struct decoded_event *decoded, struct fathom_event *event)
{
	event->time = bench->time += 10;
	event->missed = bench->missed;
	bench->missed = 0;
	decoded->event = event;
	decoded->unwanted = bench->unwanted;
	if (!bench->failed)
		syscall_list_feed(&bench->list, decoded);
}

static void enter(struct bench *bench, int32_t pid, int call, int64_t number, const uint64_t *args)
{
	uint64_t record[8] = { 0, (uint64_t)number };
	struct event_entry entry = { .format = bench->enter[call] };
	struct fathom_event event = {
		.pid = pid, .id = (uint16_t)(call + 1), .data = record, .size = sizeof(record)
	};
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_ENTRY, .entry = &entry };

	memcpy(record + 2, args, 6 * sizeof(uint64_t));
	decoded.call_number.number = number;
	decoded.call_number.first = args[0];
	give(bench, &decoded, &event);
}

#define ENTER(pid, call, ...) enter(&bench, pid, call, call, (uint64_t[6]){ __VA_ARGS__ })

static void leave_as(struct bench *bench, int32_t pid, int32_t old_pid, int call, int64_t number,
		     int64_t result)
{
	struct event_entry entry = { .format = bench->exit[call] };
	struct fathom_event event = { .pid = pid, .id = (uint16_t)(call + 101) };
	struct decoded_event decoded = { .kind = DECODED_SYSCALL_EXIT, .entry = &entry };

	decoded.call_number.number = number;
	decoded.call_number.result = result;
	decoded.call_number.old_pid = old_pid;
	give(bench, &decoded, &event);
}

static void leave(struct bench *bench, int32_t pid, int call, int64_t number, int64_t result)
{
	leave_as(bench, pid, 0, call, number, result);
}

#define LEAVE(pid, call, result) leave(&bench, pid, call, call, result)

static void path(struct bench *bench, int32_t pid, const char *text)
{
	struct fathom_event event = { .pid = pid };
	struct decoded_event decoded = { .kind = DECODED_PATH };

	decoded.path.text = text;
	decoded.path.len = strlen(text);
	decoded.path.dir = AT_FDCWD_VALUE;
	give(bench, &decoded, &event);
}

static void other(struct bench *bench, enum decoded_kind kind, int32_t pid, int32_t about)
{
	struct fathom_event event = { .pid = pid };
	struct decoded_event decoded = { .kind = kind };

	decoded.task.pid = about;
	if (kind == DECODED_SWITCH) {
		decoded.sched.prev_pid = pid;
		decoded.sched.next_pid = 0;
		decoded.sched.prev = TASK_STATE_DEAD;
	}
	give(bench, &decoded, &event);
}

static void deliver(struct bench *bench, int32_t pid, int number, uint64_t handler, uint64_t flags)
{
	struct fathom_event event = { .pid = pid };
	struct decoded_event decoded = { .kind = DECODED_SIGNAL };

	decoded.signal.number = number;
	decoded.signal.has_action = true;
	decoded.signal.handler = handler;
	decoded.signal.flags = flags;
	give(bench, &decoded, &event);
}

static void exec(struct bench *bench, int32_t pid, int32_t old_pid)
{
	struct fathom_event event = { .pid = pid };
	struct decoded_event decoded = { .kind = DECODED_EXEC };

	decoded.path.old_pid = old_pid;
	give(bench, &decoded, &event);
}

/* Checks the output; if memory is exhausted, there may be none. */
static int end(struct bench *bench, const char *expected)
{
	int r = bench->failed ? -ENOMEM : syscall_list_finish(&bench->list);

	if (r == 0 && !bench->got.err && expected)
		assert_string_equal(strbuf_str(&bench->got), expected);
	r = r ?: bench->got.err;
	syscall_list_done(&bench->list);
	strbuf_done(&bench->got);
	arena_done(&bench->arena);
	return r;
}

static int usual(const char *expected)
{
	struct bench bench;

	begin(&bench);
	ENTER(7, OPENAT, (uint64_t)-100, 0x10, 0x80000, 0);
	path(&bench, 7, "/etc/passwd");
	path(&bench, 7, "/behind/a/link");
	LEAVE(7, OPENAT, 3);
	/* Another thread enters a call before this one ends. */
	other(&bench, DECODED_NEW_TASK, 7, 8);
	ENTER(7, READ, 3, 0x20, 100);
	ENTER(8, SOCKET, 1, 1, 0);
	LEAVE(8, SOCKET, 4);
	LEAVE(7, READ, -11);
	ENTER(7, DUP2, 3, 9);
	LEAVE(7, DUP2, 9);
	ENTER(7, FCNTL, 9, 1030, 20);
	LEAVE(7, FCNTL, 20);
	ENTER(7, CLOSE, 3);
	LEAVE(7, CLOSE, 0);
	ENTER(7, CLOSE, 3);
	LEAVE(7, CLOSE, -9);
	ENTER(7, EXECVE, 0x30);
	LEAVE(7, EXECVE, 0);
	ENTER(7, READ, 20, 0, 0);
	LEAVE(7, READ, -9);
	ENTER(7, EXIT_GROUP, 1);
	other(&bench, DECODED_TASK_EXIT, 7, 7);
	other(&bench, DECODED_SWITCH, 7, 0);
	ENTER(8, CLOSE, 4);
	return end(&bench, expected);
}

static void shows_each_call(void **state)
{
	usual("7 openat(AT_FDCWD, \"/etc/passwd\", O_RDONLY|O_CLOEXEC, 0) = 3</behind/a/link> 30\n"
	      "8 socket(AF_UNIX, SOCK_STREAM, 0) = 4<socket> 10\n"
	      "7 read(3</behind/a/link>, 0x20, 100) = "
	      "-EAGAIN (Resource temporarily unavailable) 30\n"
	      "7 dup2(3</behind/a/link>, 9) = 9</behind/a/link> 10\n"
	      "7 fcntl(9</behind/a/link>, F_DUPFD_CLOEXEC, 20) = 20 10\n"
	      "7 close(3</behind/a/link>) = 0 10\n"
	      "7 close(3) = -EBADF (Bad file descriptor) 10\n"
	      "7 execve(0x30) = 0 10\n"
	      "7 read(20, NULL, 0) = -EBADF (Bad file descriptor) 10\n"
	      "7 exit_group(1) 20 ended\n"
	      "8 close(4<socket>) open\n");
}

static void shows_incomplete_calls(void **state)
{
	struct bench bench;

	begin(&bench);
	LEAVE(7, READ, 5); /* it began before the recording */
	ENTER(7, CLOSE, 5);
	bench.missed = 3;
	LEAVE(7, CLOSE, 0); /* may be that of another call */
	ENTER(7, CLOSE, 6);
	ENTER(7, READ, 1, 2, 3); /* the exit is missing */
	LEAVE(7, CLOSE, 0); /* now the entry is missing */
	ENTER(8, READ, 1, 2, 3);
	other(&bench, DECODED_TASK_EXIT, 8, 8);
	ENTER(9, READ, 4, 5, 6);
	end(&bench, "7 ...read = 5\n"
		    "7 close(5) lost\n"
		    "7 ...close = 0\n"
		    "7 close(6) lost\n"
		    "7 read(1, 0x2, 3) lost\n"
		    "7 ...close = 0\n"
		    "8 read(1, 0x2, 3) 10 ended\n"
		    "9 read(4, 0x5, 6) open\n");
}

/* The record of the more detailed event is kept, whichever comes first. */
static void shows_calls_with_two_events_once(void **state)
{
	struct bench bench;

	begin(&bench);
	enter(&bench, 7, RAW, READ, (uint64_t[6]){ 1, 2, 3, 4, 5, 6 });
	ENTER(7, READ, 1, 2, 3);
	LEAVE(7, READ, 3);
	leave(&bench, 7, RAW, READ, 3);
	ENTER(7, CLOSE, 1);
	enter(&bench, 7, RAW, CLOSE, (uint64_t[6]){ 1, 2, 3, 4, 5, 6 });
	leave(&bench, 7, RAW, CLOSE, 0);
	LEAVE(7, CLOSE, 0);
	/* Some calls have only one event; the name of the number is known by now. */
	enter(&bench, 7, RAW, READ, (uint64_t[6]){ 1, 2, 3, 4, 5, 6 });
	leave(&bench, 7, RAW, READ, 3);
	enter(&bench, 7, RAW, 99, (uint64_t[6]){ 1, 2, 3, 4, 5, 6 });
	leave(&bench, 7, RAW, 99, -1);
	end(&bench, "7 read(1, 0x2, 3) = 3 20\n"
		    "7 close(1) = 0 20\n"
		    "7 read(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = 3 10\n"
		    "7 syscall_99(0x1, 0x2, 0x3, 0x4, 0x5, 0x6) = "
		    "-EPERM (Operation not permitted) 10\n");
}

static void hides_unwanted_calls(void **state)
{
	struct bench bench;

	begin(&bench);
	bench.unwanted = true;
	ENTER(7, OPENAT, (uint64_t)-100, 0x10, 0, 0);
	path(&bench, 7, "/etc");
	LEAVE(7, OPENAT, 3);
	ENTER(7, READ, 3, 1, 1);
	bench.unwanted = false;
	LEAVE(7, READ, 1);
	ENTER(7, CLOSE, 3);
	bench.unwanted = true;
	LEAVE(7, CLOSE, 0);
	LEAVE(7, CLOSE, 0);
	end(&bench, "7 read(3</etc>, 0x1, 1) = 1 10\n"
		    "7 close(3</etc>) = 0 10\n");
}

static void shows_results_as_seen_by_the_program(void **state)
{
	struct bench bench;

	begin(&bench);
	ENTER(7, READ, 3, 0x20, 1);
	LEAVE(7, READ, -512);
	deliver(&bench, 7, 14, 0x5555, 0);
	ENTER(7, SIGRETURN);
	ENTER(7, READ, 3, 0x20, 1);
	LEAVE(7, READ, -512);
	leave(&bench, 7, RAW, READ, -512);
	deliver(&bench, 7, 14, 0x5555, 0x10000000);
	ENTER(7, CLOSE, 9);
	LEAVE(7, CLOSE, 0);
	ENTER(7, SIGRETURN);
	leave(&bench, 7, RAW, -1, 0);
	ENTER(7, PAUSE);
	LEAVE(7, PAUSE, -514);
	deliver(&bench, 7, 9, 0, 0);
	other(&bench, DECODED_TASK_EXIT, 7, 7);
	LEAVE(8, PAUSE, -514);
	end(&bench, "7 read(3, 0x20, 1) = -EINTR (Interrupted system call) by 14 10\n"
		    "7 rt_sigreturn() no exit\n"
		    "7 read(3, 0x20, 1) 10 restarted\n"
		    "7 close(9) = 0 10\n"
		    "7 rt_sigreturn() no exit\n"
		    "7 pause() 10 ended\n"
		    "8 ...pause interrupted\n");
}

/* The thread takes over the pid of the first thread. */
static void follows_exec_by_a_second_thread(void **state)
{
	struct bench bench;

	begin(&bench);
	ENTER(7, PAUSE);
	ENTER(8, EXECVE, 0x30);
	LEAVE(7, PAUSE, -514);
	deliver(&bench, 7, 9, 0, 0);
	other(&bench, DECODED_TASK_EXIT, 7, 7);
	exec(&bench, 7, 8);
	LEAVE(7, EXECVE, 0);
	ENTER(7, CLOSE, 1);
	LEAVE(7, CLOSE, 0);
	end(&bench, "7 pause() 20 ended\n"
		    "7 execve(0x30) = 0 50\n"
		    "7 close(1) = 0 10\n");
}

/* The first thread makes its final switch with the pid of the other thread. */
static void the_first_thread_exits_under_the_other_pid(void **state)
{
	struct bench bench;

	begin(&bench);
	ENTER(8, EXECVE, 0x30);
	other(&bench, DECODED_TASK_EXIT, 7, 7);
	other(&bench, DECODED_SWITCH, 8, 0);
	exec(&bench, 7, 8);
	LEAVE(7, EXECVE, 0);
	/* This task ends in it. */
	ENTER(9, EXECVE, 0x30);
	other(&bench, DECODED_SWITCH, 9, 0);
	end(&bench, "7 execve(0x30) = 0 40\n"
		    "9 execve(0x30) 10 ended\n");
}

/* Only system calls are recorded. */
static void detects_exec_by_its_exit(void **state)
{
	struct bench bench;

	begin(&bench);
	ENTER(7, PAUSE);
	ENTER(8, EXECVE, 0x30);
	LEAVE(7, PAUSE, -514);
	leave_as(&bench, 7, 8, EXECVE, EXECVE, 0);
	ENTER(7, CLOSE, 1);
	LEAVE(7, CLOSE, 0);
	end(&bench, "7 pause() 20 ended\n"
		    "7 (8) execve(0x30) = 0 20\n"
		    "7 close(1) = 0 10\n");
}

static int show(void *arg)
{
	return usual(NULL);
}

static void survives_failing_allocations(void **state)
{
	oom_check(show, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_each_call),
		cmocka_unit_test(shows_incomplete_calls),
		cmocka_unit_test(shows_calls_with_two_events_once),
		cmocka_unit_test(hides_unwanted_calls),
		cmocka_unit_test(shows_results_as_seen_by_the_program),
		cmocka_unit_test(follows_exec_by_a_second_thread),
		cmocka_unit_test(the_first_thread_exits_under_the_other_pid),
		cmocka_unit_test(detects_exec_by_its_exit),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
