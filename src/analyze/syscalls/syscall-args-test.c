/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <inttypes.h>

#include "analyze/syscalls/syscall-args.h"
#include "base/cleanup.h"
#include "base/mem.h"

#define RECORD_SIZE 512
#define ARGS_AT	    16 /* offset of the arguments in the kernel's records */

/* A call with its arguments as the kernel describes them: "int fd;size_t count". */
struct call {
	const char *name, *declarations;
	uint64_t values[SYSCALL_ARGS_MAX];
	const char *expected;
};

/* Writes a format as the kernel does, with @texts string fields after the arguments. */
static void describe(struct strbuf *text, const char *name, const char *declarations,
		     const char *const *texts)
{
	unsigned offset = ARGS_AT;

	strbuf_addf(text,
		    "name: %s%s\nID: 7\nformat:\n"
		    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		    "\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n",
		    "sys_enter_", name);
	for (const char *p = declarations; *p; offset += 8) {
		int len = (int)strcspn(p, ";");

		strbuf_addf(text, "\tfield:%.*s;\toffset:%u;\tsize:8;\tsigned:0;\n", len, p,
			    offset);
		p += len + (p[len] == ';');
	}
	for (; texts && *texts; texts += 2, offset += 4)
		strbuf_addf(text,
			    "\tfield:__data_loc char[] __%s_val;\toffset:%u;\tsize:4;\tsigned:0;\n",
			    *texts, offset);
	strbuf_adds(text, "\nprint fmt: \"x\"\n");
}

/* Writes the values, followed by strings (name, text, name, text ..., NULL). Returns the length. */
static size_t fill(unsigned char *record, const char *declarations, const uint64_t *values,
		   const char *const *texts)
{
	unsigned at = ARGS_AT, end;
	size_t n = 0, n_texts = 0;

	memset(record, 0, RECORD_SIZE);
	for (const char *p = declarations; *p; n++)
		p += strcspn(p, ";") + (p[strcspn(p, ";")] == ';');
	memcpy(record + at, values, n * 8);
	at += (unsigned)n * 8;
	while (texts && texts[n_texts])
		n_texts += 2;
	end = at + (unsigned)n_texts * 2;
	for (size_t i = 0; i < n_texts; i += 2, at += 4) {
		size_t len = strlen(texts[i + 1]) + 1;
		uint32_t loc = (uint32_t)len << 16 | end;

		memcpy(record + at, &loc, 4);
		memcpy(record + end, texts[i + 1], len);
		end += (unsigned)len;
	}
	return end;
}

static int put(const struct call *call, const char *const *texts, struct syscall_start *start,
	       struct syscall_args *args, struct strbuf *ret)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_(arena_done) struct arena arena = { 0 };
	unsigned char record[RECORD_SIZE];
	struct event_format *format;
	struct fathom_err err = { 0 };
	int r;

	describe(&text, call->name, call->declarations, texts);
	r = text.err ?:
		       event_format_parse(strbuf_str(&text), text.len, "syscalls",
					  (struct event_abi){ .long_size = 8 }, &arena, &format, &err);
	if (r < 0)
		return r;
	start->format = format;
	start->record = record;
	start->size = fill(record, call->declarations, call->values, texts);
	syscall_args_put(ret, args, start);
	return args->nomem || ret->err ? -ENOMEM : 0;
}

static void check(const struct call *call, const char *const *texts, struct syscall_start *start)
{
	struct syscall_args args = { 0 };
	_cleanup_strbuf_ struct strbuf got = { 0 };

	if (put(call, texts, start, &args, &got) == 0)
		assert_string_equal(strbuf_str(&got), call->expected);
	else
		assert_true(mem_fault);
	syscall_args_done(&args);
}

#define FD  "unsigned int fd"
#define AT  "int dfd;const char * filename"
#define BAD 0xdeadbeefULL << 32 /* garbage in the upper half of a register */

static const struct call calls[] = {
	{ "openat",
	  AT ";int flags;umode_t mode",
	  { -100, 0x1000, 0x80000, 0 },
	  "openat(AT_FDCWD, 0x1000, O_RDONLY|O_CLOEXEC, 0)" },
	{ "openat",
	  AT ";int flags;umode_t mode",
	  { (BAD) | (uint32_t)-100, 0, 0x241, 0644 },
	  "openat(AT_FDCWD, NULL, O_WRONLY|O_CREAT|O_TRUNC, 0644)" },
	{ "openat",
	  AT ";int flags;umode_t mode",
	  { (uint64_t)-1, 1, 0x410002, 0x1ffff },
	  "openat(-1, 0x1, O_RDWR|O_TMPFILE, 0177777)" },
	{ "openat",
	  AT ";int flags;umode_t mode",
	  { 3, 1, 0x7fffffff, 0 },
	  "openat(3, 0x1, O_TMPFILE|O_SYNC|O_CREAT|O_EXCL|O_NOCTTY|O_TRUNC|O_APPEND|O_NONBLOCK|"
	  "FASYNC|O_DIRECT|O_LARGEFILE|O_NOFOLLOW|O_NOATIME|O_CLOEXEC|O_PATH|0x7f80003f, 0)" },
	{ "read",
	  FD ";char * buf;size_t count",
	  { (BAD) | 3, 0x7ffe, (uint64_t)-1 },
	  "read(3, 0x7ffe, 18446744073709551615)" },
	{ "lseek",
	  FD ";off_t offset;unsigned int whence",
	  { 4, (uint64_t)-10, 2 },
	  "lseek(4, -10, SEEK_END)" },
	{ "lseek", FD ";off_t offset;unsigned int whence", { 4, 0, 77 }, "lseek(4, 0, 0x4d)" },
	{ "mmap",
	  "unsigned long addr;unsigned long len;unsigned long prot;unsigned long flags;"
	  "unsigned long fd;unsigned long off",
	  { 0, 8192, 3, 0x22, 0xffffffff, 0 },
	  "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0)" },
	{ "mprotect",
	  "unsigned long start;size_t len;unsigned long prot",
	  { 0x1000, 1, 0 },
	  "mprotect(0x1000, 1, PROT_NONE)" },
	{ "mremap",
	  "unsigned long addr;unsigned long flags",
	  { 1, 3 },
	  "mremap(0x1, MREMAP_MAYMOVE|MREMAP_FIXED)" },
	{ "madvise",
	  "unsigned long start;size_t len_in;int behavior",
	  { 0x1000, 2, 4 },
	  "madvise(0x1000, 2, MADV_DONTNEED)" },
	{ "brk", "unsigned long brk", { 0 }, "brk(NULL)" },
	{ "newfstatat",
	  AT ";struct stat * statbuf;int flag",
	  { 3, 5, 6, 0x1000 },
	  "newfstatat(3, 0x5, 0x6, AT_EMPTY_PATH)" },
	{ "unlinkat", AT ";int flag", { 3, 5, 0x200 }, "unlinkat(3, 0x5, AT_REMOVEDIR)" },
	{ "faccessat", AT ";int mode", { -100, 5, 0 }, "faccessat(AT_FDCWD, 0x5, F_OK)" },
	{ "access", "const char * filename;int mode", { 5, 6 }, "access(0x5, R_OK|W_OK)" },
	{ "faccessat2",
	  AT ";int mode;int flags",
	  { 3, 5, 1, 0x200 },
	  "faccessat2(3, 0x5, X_OK, AT_EACCESS)" },
	{ "statx",
	  AT ";unsigned flags;unsigned int mask",
	  { -100, 5, 0x800, 0x7ff },
	  "statx(AT_FDCWD, 0x5, AT_NO_AUTOMOUNT, STATX_BASIC_STATS)" },
	{ "renameat2", "unsigned int flags", { 9 }, "renameat2(RENAME_NOREPLACE|0x8)" },
	{ "mknodat",
	  AT ";umode_t mode;unsigned int dev",
	  { 3, 5, 0020666, 259 },
	  "mknodat(3, 0x5, S_IFCHR|0666, 259)" },
	{ "umask", "int mask", { 022 }, "umask(022)" },
	{ "kill", "pid_t pid;int sig", { (uint64_t)-7, 9 }, "kill(-7, SIGKILL)" },
	{ "kill", "pid_t pid;int sig", { (BAD) | (uint32_t)-7, (BAD) | 9 }, "kill(-7, SIGKILL)" },
	{ "kill", "pid_t pid;int sig", { 7, 0 }, "kill(7, 0)" },
	{ "kill", "pid_t pid;int sig", { 7, (uint64_t)-1 }, "kill(7, 0xffffffff)" },
	{ "rt_sigprocmask",
	  "int how;sigset_t * nset",
	  { 2, 0 },
	  "rt_sigprocmask(SIG_SETMASK, NULL)" },
	{ "clone",
	  "unsigned long clone_flags;unsigned long newsp",
	  { 0x1200011, 0 },
	  "clone(SIGCHLD|CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID, NULL)" },
	{ "clone",
	  "unsigned long clone_flags",
	  { 0x3d0f00 },
	  "clone(CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_SIGHAND|CLONE_THREAD|CLONE_SYSVSEM|"
	  "CLONE_SETTLS|CLONE_PARENT_SETTID|CLONE_CHILD_CLEARTID)" },
	{ "unshare", "unsigned long unshare_flags", { 0x80 }, "unshare(CLONE_NEWTIME)" },
	{ "wait4",
	  "pid_t upid;int * stat_addr;int options;struct rusage * ru",
	  { (uint64_t)-1, 0, 0xffffffff80000001, 0 },
	  "wait4(-1, NULL, WNOHANG|__WCLONE, NULL)" },
	{ "waitid", "int which;pid_t upid", { 1, 5 }, "waitid(P_PID, 5)" },
	{ "futex",
	  "u32 * uaddr;int op;u32 val",
	  { 0x10, 0x189, (BAD) | 2 },
	  "futex(0x10, FUTEX_WAIT_BITSET|FUTEX_PRIVATE_FLAG|FUTEX_CLOCK_REALTIME, 2)" },
	{ "clock_nanosleep",
	  "const clockid_t which_clock;int flags",
	  { 1, 1 },
	  "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME)" },
	{ "timerfd_create",
	  "int clockid;int flags",
	  { 7, 0x80800 },
	  "timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK|TFD_CLOEXEC)" },
	{ "timerfd_settime",
	  "int ufd;int flags",
	  { 7, 1 },
	  "timerfd_settime(7, TFD_TIMER_ABSTIME)" },
	{ "setitimer", "int which", { 0 }, "setitimer(ITIMER_REAL)" },
	{ "socket",
	  "int family;int type;int protocol",
	  { 1, 0x80801, 0 },
	  "socket(AF_UNIX, SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC, 0)" },
	{ "socket", "int family;int type;int protocol", { 999, 0xf, 6 }, "socket(0x3e7, 0xf, 6)" },
	{ "accept4", "int fd;int flags", { 3, 0x80000 }, "accept4(3, SOCK_CLOEXEC)" },
	{ "recvfrom",
	  "int fd;void * ubuf;size_t size;unsigned int flags",
	  { 3, 1, 2, 0x42 },
	  "recvfrom(3, 0x1, 2, MSG_PEEK|MSG_DONTWAIT)" },
	{ "shutdown", "int fd;int how", { 3, 1 }, "shutdown(3, SHUT_WR)" },
	{ "setsockopt",
	  "int fd;int level;int optname",
	  { 3, 1, 2 },
	  "setsockopt(3, SOL_SOCKET, 2)" },
	{ "epoll_ctl",
	  "int epfd;int op;int fd;struct epoll_event * event",
	  { 3, 1, 4, 9 },
	  "epoll_ctl(3, EPOLL_CTL_ADD, 4, 0x9)" },
	{ "epoll_create1", "int flags", { 0x80000 }, "epoll_create1(EPOLL_CLOEXEC)" },
	{ "eventfd2", "unsigned int count;int flags", { 1, 1 }, "eventfd2(1, EFD_SEMAPHORE)" },
	{ "signalfd4", "int ufd;int flags", { (uint64_t)-1, 0x800 }, "signalfd4(-1, SFD_NONBLOCK)" },
	{ "inotify_init1", "int flags", { 0x80000 }, "inotify_init1(IN_CLOEXEC)" },
	{ "memfd_create",
	  "unsigned int flags",
	  { 3 },
	  "memfd_create(MFD_CLOEXEC|MFD_ALLOW_SEALING)" },
	{ "close_range",
	  FD ";unsigned int max_fd;unsigned int flags",
	  { 3, 0xffffffff, 4 },
	  "close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC)" },
	{ "pipe2",
	  "int * fildes;int flags",
	  { 0x10, 0x80800 },
	  "pipe2(0x10, O_NONBLOCK|O_CLOEXEC)" },
	{ "splice",
	  "int fd_in;loff_t * off_in;int fd_out;unsigned int flags",
	  { 3, 0, 4, 5 },
	  "splice(3, NULL, 4, SPLICE_F_MOVE|SPLICE_F_MORE)" },
	{ "preadv2", "unsigned long fd;rwf_t flags", { 3, 8 }, "preadv2(3, RWF_NOWAIT)" },
	{ "getrandom",
	  "char * ubuf;size_t len;unsigned int flags",
	  { 1, 8, 1 },
	  "getrandom(0x1, 8, GRND_NONBLOCK)" },
	{ "umount", "char * name;int flags", { 1, 2 }, "umount(0x1, MNT_DETACH)" },
	{ "mount",
	  "char * dev_name;char * dir_name;char * type;unsigned long flags;void * data",
	  { 0, 1, 0, 0x5000, 0 },
	  "mount(NULL, 0x1, NULL, MS_BIND|MS_REC, NULL)" },
	{ "flock", FD ";unsigned int cmd", { 3, 6 }, "flock(3, LOCK_EX|LOCK_NB)" },
	{ "flock", FD ";unsigned int cmd", { 3, 0x90 }, "flock(3, 0x90)" },
	{ "fcntl",
	  FD ";unsigned int cmd;unsigned long arg",
	  { 3, 1, 0x7fff12345678 },
	  "fcntl(3, F_GETFD)" },
	{ "fcntl",
	  FD ";unsigned int cmd;unsigned long arg",
	  { 3, 2, 1 },
	  "fcntl(3, F_SETFD, FD_CLOEXEC)" },
	{ "fcntl",
	  FD ";unsigned int cmd;unsigned long arg",
	  { 3, 4, 0x802 },
	  "fcntl(3, F_SETFL, O_RDWR|O_NONBLOCK)" },
	{ "fcntl",
	  FD ";unsigned int cmd;unsigned long arg",
	  { 3, 1030, 10 },
	  "fcntl(3, F_DUPFD_CLOEXEC, 10)" },
	{ "fcntl",
	  FD ";unsigned int cmd;unsigned long arg",
	  { 3, 6, 0x7ffe00000000 },
	  "fcntl(3, F_SETLK, 0x7ffe00000000)" },
	{ "ioctl",
	  FD ";unsigned int cmd;unsigned long arg",
	  { 1, 0x5401, 0x7ffe },
	  "ioctl(1, TCGETS, 0x7ffe)" },
	{ "ioctl",
	  FD ";unsigned int cmd;unsigned long arg",
	  { 1, 0xabcd, 0 },
	  "ioctl(1, 0xabcd, NULL)" },
	{ "prctl", "int option;unsigned long arg2", { 15, 0x10 }, "prctl(PR_SET_NAME, 0x10)" },
	{ "arch_prctl",
	  "int option;unsigned long arg2",
	  { 0x1002, 0x10 },
	  "arch_prctl(ARCH_SET_FS, 0x10)" },
	{ "prlimit64", "pid_t pid;unsigned int resource", { 0, 7 }, "prlimit64(0, RLIMIT_NOFILE)" },
	{ "getrusage",
	  "int who;struct rusage * ru",
	  { (uint64_t)-1, 1 },
	  "getrusage(RUSAGE_CHILDREN, 0x1)" },
	{ "sched_setscheduler",
	  "pid_t pid;int policy",
	  { 0, 0x40000001 },
	  "sched_setscheduler(0, SCHED_FIFO|SCHED_RESET_ON_FORK)" },
	{ "seccomp", "unsigned int op", { 1 }, "seccomp(SECCOMP_SET_MODE_FILTER)" },
	{ "setpriority",
	  "int which;int who;int niceval",
	  { 0, 0, (uint64_t)-5 },
	  "setpriority(PRIO_PROCESS, 0, -5)" },
	{ "fadvise64",
	  "int fd;loff_t offset;size_t len;int advice",
	  { 3, 0, 0, 2 },
	  "fadvise64(3, 0, 0, POSIX_FADV_SEQUENTIAL)" },
	{ "fallocate",
	  "int fd;int mode;loff_t offset;loff_t len",
	  { 3, 3, 0, 5 },
	  "fallocate(3, FALLOC_FL_KEEP_SIZE|FALLOC_FL_PUNCH_HOLE, 0, 5)" },
	{ "msync",
	  "unsigned long start;size_t len;int flags",
	  { 4096, 1, 4 },
	  "msync(0x1000, 1, MS_SYNC)" },
	{ "mlockall", "int flags", { 3 }, "mlockall(MCL_CURRENT|MCL_FUTURE)" },
	{ "poll",
	  "struct pollfd * ufds;unsigned int nfds;int timeout_msecs",
	  { 1, 2, (uint64_t)-1 },
	  "poll(0x1, 2, -1)" },
	{ "landlock_add_rule",
	  "const int ruleset_fd;const enum landlock_rule_type rule_type",
	  { 3, (BAD) | 1 },
	  "landlock_add_rule(3, 1)" },
	{ "capget", "cap_user_header_t header", { 0x10 }, "capget(0x10)" },
	{ "getpid", "", { 0 }, "getpid()" },
	{ "strange",
	  "struct thing * a;whatever_t b;int c",
	  { 0, 17, (uint64_t)-3 },
	  "strange(NULL, 17, -3)" },
};

static void shows_arguments(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
		struct syscall_start start = { .id = 7 };

		check(&calls[i], NULL, &start);
	}
}

static void shows_strings(void **state)
{
	static const char *const path[] = { "filename", "/a \"b\"\n\x01\xc3\xa4", NULL };
	static const char *const cut[] = { "filename", "/a/long...", NULL };
	static const char *const two[] = { "oldname", "x", "newname", "y", NULL };
	static const char *const data[] = { "buf", "ab\xff", NULL };
	static const char *const more[] = { "buf", "0123456789012345678901234567890123", NULL };
	struct call call = { "openat",
			     AT ";int flags",
			     { 3, 0x10, 0 },
			     "openat(3</tmp>, \"/a \\\"b\\\"\\n\\x01\xc3\xa4\", O_RDONLY)" };
	struct syscall_start start = { .id = 7, .files = { "/tmp" } };

	check(&call, path, &start);
	start.files[0] = "/a\n\x1b";
	call.expected = "openat(3</a\\n\\x1b>, \"/a \\\"b\\\"\\n\\x01\xc3\xa4\", O_RDONLY)";
	check(&call, path, &start);
	/*
	 * The path in the record is that of the call; one from another source may be a later one.
	 */
	start = (struct syscall_start){ .id = 7, .path = "other", .path_len = 5 };
	call.expected = "openat(3, \"/a \\\"b\\\"\\n\\x01\xc3\xa4\", O_RDONLY)";
	check(&call, path, &start);
	/* Unless it is the complete form of a path that the kernel truncated. */
	start = (struct syscall_start){ .id = 7, .path = "/a/long/path", .path_len = 12 };
	call.expected = "openat(3, \"/a/long/path\", O_RDONLY)";
	check(&call, cut, &start);
	start.path_len = 7;
	call.expected = "openat(3, \"/a/long...\", O_RDONLY)";
	check(&call, cut, &start);
	start = (struct syscall_start){ .id = 7, .path = "other", .path_len = 5 };
	check(&call, cut, &start);
	call.expected = "openat(3, \"oth\", O_RDONLY)";
	start.path_len = 3;
	check(&call, NULL, &start);
	call = (struct call){ "rename",
			      "const char * oldname;const char * newname",
			      { 1, 2 },
			      "rename(\"x\", \"y\")" };
	start = (struct syscall_start){ .id = 7, .path = "not its", .path_len = 7 };
	check(&call, two, &start);
	call.expected = "rename(0x1, 0x2)";
	check(&call, NULL, &start);
	call = (struct call){
		"mkdir", "const char * pathname;umode_t mode", { 1, 0700 }, "mkdir(\"its\", 0700)"
	};
	start = (struct syscall_start){ .id = 7, .path = "its", .path_len = 3 };
	check(&call, NULL, &start);
	call = (struct call){ "write",
			      FD ";const char * buf;size_t count",
			      { 1, 2, 4 },
			      "write(1, \"ab\\xff\\x00\", 4)" };
	start = (struct syscall_start){ .id = 7 };
	check(&call, data, &start);
	call.values[2] = 2;
	call.expected = "write(1, \"ab\", 2)";
	check(&call, data, &start);
	call.values[2] = 34;
	call.expected = "write(1, \"01234567890123456789012345678901\"..., 34)";
	check(&call, more, &start);
	call.values[2] = 100;
	call.expected = "write(1, \"ab\\xff\\x00\"..., 100)";
	check(&call, data, &start);
}

static void shows_numbers_of_other_machines(void **state)
{
	struct call call = { "openat", AT ";int flags", { -100, 0, 0x4000 }, "" };
	static const struct {
		const char *uname, *expected;
	} machines[] = {
		{ "Linux 6.1.0 x86_64", "openat(AT_FDCWD, NULL, O_RDONLY|O_DIRECT)" },
		{ "Linux 6.1.0 aarch64", "openat(AT_FDCWD, NULL, O_RDONLY|O_DIRECTORY)" },
		{ "Linux 6.1.0 armv7l", "openat(AT_FDCWD, NULL, O_RDONLY|O_DIRECTORY)" },
		{ "Linux 6.1.0 mips", "openat(AT_FDCWD, NULL, 0x4000)" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		struct syscall_args args = { .machine = value_machine_of(machines[i].uname) };
		struct syscall_start start = { .id = 7 };
		_cleanup_strbuf_ struct strbuf got = { 0 };

		if (succeeds(put(&call, NULL, &start, &args, &got) == 0))
			assert_string_equal(strbuf_str(&got), machines[i].expected);
		syscall_args_done(&args);
	}
	assert_int_equal(value_machine_of(NULL), MACHINE_GENERIC);
}

static void shows_raw_calls(void **state)
{
	static const char text[] =
		"name: sys_enter\nID: 7\nformat:\n"
		"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
		"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
		"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\nprint fmt: \"x\"\n";
	_cleanup_(arena_done) struct arena arena = { 0 };
	_cleanup_strbuf_ struct strbuf got = { 0 };
	uint64_t record[8] = { 0, 257, 0xffffff9c, 2, 3, 4, 5, 6 };
	struct syscall_start start = { .id = 7, .record = record, .size = sizeof(record) };
	struct syscall_args args = { 0 };
	struct fathom_err err = { 0 };
	struct event_format *format;

	if (succeeds(event_format_parse(text, strlen(text), "raw_syscalls",
					(struct event_abi){ .long_size = 8 }, &arena, &format,
					&err) == 0)) {
		start.format = format;
		syscall_args_put(&got, &args, &start);
		strbuf_addc(&got, '\n');
		start.name = "openat";
		start.size = 40;
		syscall_args_put(&got, &args, &start);
		if (succeeds(!args.nomem && !got.err))
			assert_string_equal(strbuf_str(&got),
					    "syscall_257(0xffffff9c, 0x2, 0x3, 0x4, 0x5, 0x6)\n"
					    "openat(?, ?, ?, ?, ?, ?)");
	}
	syscall_args_done(&args);
}

/* Regardless of a record's length, nothing beyond it is read (checked by ASan). */
static void short_records_are_detected(void **state)
{
	static const char *const texts[] = { "filename", "/etc", NULL };
	static const char declarations[] = AT ";int flags";
	static const uint64_t values[] = { 3, 1, 0 };
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_(arena_done) struct arena arena = { 0 };
	unsigned char record[RECORD_SIZE];
	struct syscall_args args = { 0 };
	struct event_format *format;
	struct fathom_err err = { 0 };
	size_t size = fill(record, declarations, values, texts);

	describe(&text, "openat", declarations, texts);
	for (size_t len = 0; len <= size; len++) {
		_cleanup_free_ unsigned char *copy = mem_zalloc(len + 1, 1);
		_cleanup_strbuf_ struct strbuf got = { 0 };
		struct syscall_start start = { .id = 7, .record = copy, .size = len };

		if (!copy || text.err ||
		    event_format_parse(strbuf_str(&text), text.len, "syscalls",
				       (struct event_abi){ .long_size = 8 }, &arena, &format,
				       &err) < 0)
			break;
		memcpy(copy, record, len);
		start.format = format;
		syscall_args_done(&args);
		syscall_args_put(&got, &args, &start);
		if (args.nomem || got.err)
			continue;
		if (len == 0)
			assert_string_equal(strbuf_str(&got), "openat(?, ?, ?)");
		else if (len == size - 1)
			assert_string_equal(strbuf_str(&got), "openat(3, 0x1, O_RDONLY)");
		else if (len == size)
			assert_string_equal(strbuf_str(&got), "openat(3, \"/etc\", O_RDONLY)");
	}
	syscall_args_done(&args);
}

static void shows_results(void **state)
{
	static const struct {
		const char *name;
		int64_t result;
		const char *file, *expected;
	} results[] = {
		{ "openat", 3, NULL, "3" },
		{ "openat", 3, "/etc", "3</etc>" },
		{ "openat", -2, NULL, "-ENOENT (No such file or directory)" },
		{ "mmap", 0x7f0000001000, NULL, "0x7f0000001000" },
		{ "mmap", -12, NULL, "-ENOMEM (Cannot allocate memory)" },
		{ "brk", -4096, NULL, "0xfffffffffffff000" },
		{ "read", -512, NULL, "-ERESTARTSYS (interrupted by a signal)" },
		{ "nanosleep", -516, NULL, "-ERESTART_RESTARTBLOCK (interrupted by a signal)" },
		{ "read", -4000, NULL, "-4000" },
		{ "read", INT64_MIN, NULL, "-9223372036854775808" },
		{ NULL, 0, NULL, "0" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(results); i++) {
		_cleanup_strbuf_ struct strbuf got = { 0 };

		syscall_result_put(&got, results[i].name, results[i].result, results[i].file);
		if (succeeds(!got.err))
			assert_string_equal(strbuf_str(&got), results[i].expected);
	}
}

static int put_one(void *arg)
{
	static const char *const path[] = { "filename", "/etc/passwd", NULL };
	struct syscall_args args = { 0 };
	struct syscall_start start = { .id = 7 };
	_cleanup_strbuf_ struct strbuf got = { 0 };
	int r = put(&calls[0], path, &start, &args, &got);

	syscall_args_done(&args);
	return r;
}

static void survives_failing_allocations(void **state)
{
	oom_check(put_one, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shows_arguments),
		cmocka_unit_test(shows_strings),
		cmocka_unit_test(shows_numbers_of_other_machines),
		cmocka_unit_test(shows_raw_calls),
		cmocka_unit_test(short_records_are_detected),
		cmocka_unit_test(shows_results),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
