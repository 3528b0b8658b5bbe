/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fails: fail-with CASE..., in an empty directory, as root, on a tmpfs; 'fail-with all' runs all
 * cases.
 *
 * Each case runs in a process of its own. Before the call that fails, it closes the descriptor MARK
 * + its number, which fails as well, so the calls of a recording can be distinguished. Exits with 1
 * if all have failed as they should, and otherwise with 2, naming the others. 'fail-with list' prints
 * number, name, system call and error of each; 'fail-with prepare' creates what they need.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/perf_event.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MARK   9000
#define NOBODY 65534

static int number; /* of the case */

/* The next call is the one that fails. */
static void mark(void)
{
	close(MARK + number);
}

static void become_nobody(void)
{
	if (setresgid(NOBODY, NOBODY, NOBODY) < 0 || setresuid(NOBODY, NOBODY, NOBODY) < 0)
		_exit(2);
}

static void limit(int what, rlim_t value)
{
	struct rlimit limits = { value, value };

	if (setrlimit(what, &limits) < 0)
		_exit(2);
}

static void open_as(const char *path, int flags)
{
	mark();
	open(path, flags, 0600);
}

static void missing_file(void)
{
	open_as("missing", O_RDONLY);
}
static void missing_dir(void)
{
	open_as("missing/file", O_RDONLY);
}
static void not_a_dir(void)
{
	open_as("file/file", O_RDONLY);
}
static void dir_write(void)
{
	open_as("dir", O_WRONLY);
}
static void exclusive(void)
{
	open_as("file", O_RDWR | O_CREAT | O_EXCL);
}
static void symlink_loop(void)
{
	open_as("loop", O_RDONLY);
}

static void mode_of_file(void)
{
	become_nobody();
	open_as("closed", O_RDONLY);
}

static void mode_of_dir(void)
{
	become_nobody();
	open_as("closed-dir/file", O_RDONLY);
}

static void sticky_dir(void)
{
	become_nobody();
	mark();
	unlink("sticky/file");
}

static void read_only(void)
{
	mark();
	mkdir("ro/dir", 0700);
}

static void long_name(void)
{
	char name[300];

	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	open_as(name, O_RDONLY);
}

static void long_path(void)
{
	static char path[5000];

	memset(path, '/', sizeof(path) - 1);
	open_as(path, O_RDONLY);
}

static void full_disk(void)
{
	static const char block[256 * 1024];
	int fd = open("small/file", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	for (ssize_t n = 1; n > 0;)
		n = write(fd, block, 4096) == 4096;
	mark();
	(void)!write(fd, block, 4096);
}

static void open_files(void)
{
	limit(RLIMIT_NOFILE, 3);
	open_as("file", O_RDONLY);
}

static void run(const char *path)
{
	char *argv[] = { (char *)path, NULL };

	mark();
	execv(path, argv);
}

static void exec_format(void)
{
	run("./garbage");
}
static void interpreter(void)
{
	run("./script");
}

static void text_busy(void)
{
	open("busy", O_WRONLY);
	run("./busy");
}

static struct sockaddr_in address(const char *ip, int port)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };

	inet_pton(AF_INET, ip, &addr.sin_addr);
	return addr;
}

static void use_socket(const char *ip, int port,
		       int (*call)(int, const struct sockaddr *, socklen_t))
{
	struct sockaddr_in addr = address(ip, port);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	mark();
	call(fd, (struct sockaddr *)&addr, sizeof(addr));
}

static void refused(void)
{
	use_socket("127.0.0.1", 9, connect);
}
static void no_route(void)
{
	use_socket("203.0.113.1", 80, connect);
}

static void used_port(void)
{
	struct sockaddr_in addr = address("127.0.0.1", 9999);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	bind(fd, (struct sockaddr *)&addr, sizeof(addr));
	listen(fd, 1);
	use_socket("127.0.0.1", 9999, bind);
}

static void low_port(void)
{
	become_nobody();
	use_socket("127.0.0.1", 80, bind);
}

static void no_socket(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX, .sun_path = "missing" };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	mark();
	connect(fd, (struct sockaddr *)&addr, sizeof(addr));
}

static void no_family(void)
{
	mark();
	socket(200, SOCK_STREAM, 0);
}

static void kill_other(void)
{
	become_nobody();
	mark();
	kill(1, SIGTERM);
}

static void kill_nobody(void)
{
	mark();
	kill(4000000, SIGTERM);
}

static void trace_other(void)
{
	become_nobody();
	mark();
	ptrace(PTRACE_ATTACH, 1, 0, 0);
}

static void priority(void)
{
	become_nobody();
	mark();
	setpriority(PRIO_PROCESS, 0, -10);
}

static void real_time(void)
{
	struct sched_param param = { .sched_priority = 10 };

	become_nobody();
	mark();
	sched_setscheduler(0, SCHED_FIFO, &param);
}

static void become_root(void)
{
	become_nobody();
	mark();
	syscall(SYS_setuid, 0);
}

static void give_away(void)
{
	become_nobody();
	mark();
	(void)!chown("file", 1, 1);
}

static void address_space(void)
{
	limit(RLIMIT_AS, 64 << 20);
	mark();
	mmap(NULL, 1 << 30, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void map_flags(void)
{
	mark();
	mmap(NULL, 4096, PROT_READ, MAP_ANONYMOUS, -1, 0);
}

static void locked_memory(void)
{
	static char memory[1 << 20];

	become_nobody();
	limit(RLIMIT_MEMLOCK, 65536);
	mark();
	mlock(memory, sizeof(memory));
}

static void bad_pointer(void)
{
	mark();
	syscall(SYS_openat, AT_FDCWD, (void *)16, O_RDONLY, 0);
}

static void unknown_ioctl(void)
{
	int fd = open("file", O_RDONLY);

	mark();
	ioctl(fd, 0x12345678, 0);
}

static void not_empty(void)
{
	mark();
	rmdir("dir");
}

static void ring_setup(void)
{
	char params[256] = { 0 };

	mark();
	syscall(SYS_io_uring_setup, 0, params);
}

static void bpf_command(void)
{
	char attr[64] = { 0 };

	mark();
	syscall(SYS_bpf, 9999, attr, sizeof(attr));
}

static void perf_attr(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .sample_type = ~0ULL };

	mark();
	syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
}

static void mount_unasked(void)
{
	become_nobody();
	mark();
	mount("none", "dir", "tmpfs", 0, NULL);
}

static void seccomp_denied(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filter) / sizeof(*filter), filter };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
	mark();
	syscall(SYS_getppid);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0755);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static void process_limit(void)
{
	put("cgroup/fail-with/cgroup.procs", "0");
	mark();
	syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static const struct {
	const char *name;
	void (*fail)(void);
	const char *call;
	int error;
	const char *error_name;
} cases[] = {
#define CASE(function, call, error)                      \
	{                                                \
#function, function, call, error, #error \
	}
	CASE(missing_file, "openat", ENOENT),
	CASE(missing_dir, "openat", ENOENT),
	CASE(not_a_dir, "openat", ENOTDIR),
	CASE(mode_of_file, "openat", EACCES),
	CASE(mode_of_dir, "openat", EACCES),
	CASE(sticky_dir, "unlink", EPERM),
	CASE(read_only, "mkdir", EROFS),
	CASE(long_name, "openat", ENAMETOOLONG),
	CASE(long_path, "openat", ENAMETOOLONG),
	CASE(symlink_loop, "openat", ELOOP),
	CASE(dir_write, "openat", EISDIR),
	CASE(exclusive, "openat", EEXIST),
	CASE(full_disk, "write", ENOSPC),
	CASE(open_files, "openat", EMFILE),
	CASE(exec_format, "execve", ENOEXEC),
	CASE(interpreter, "execve", ENOENT),
	CASE(text_busy, "execve", ETXTBSY),
	CASE(refused, "connect", ECONNREFUSED),
	CASE(no_route, "connect", ENETUNREACH),
	CASE(no_socket, "connect", ENOENT),
	CASE(no_family, "socket", EAFNOSUPPORT),
	CASE(used_port, "bind", EADDRINUSE),
	CASE(low_port, "bind", EACCES),
	CASE(kill_other, "kill", EPERM),
	CASE(kill_nobody, "kill", ESRCH),
	CASE(trace_other, "ptrace", EPERM),
	CASE(priority, "setpriority", EACCES),
	CASE(real_time, "sched_setscheduler", EPERM),
	CASE(become_root, "setuid", EPERM),
	CASE(give_away, "chown", EPERM),
	CASE(address_space, "mmap", ENOMEM),
	CASE(map_flags, "mmap", EINVAL),
	CASE(locked_memory, "mlock", ENOMEM),
	CASE(bad_pointer, "openat", EFAULT),
	CASE(unknown_ioctl, "ioctl", ENOTTY),
	CASE(not_empty, "rmdir", ENOTEMPTY),
	CASE(ring_setup, "io_uring_setup", EINVAL),
	CASE(bpf_command, "bpf", EINVAL),
	CASE(perf_attr, "perf_event_open", EINVAL),
	CASE(mount_unasked, "mount", EPERM),
	CASE(seccomp_denied, "getppid", EPERM),
	CASE(process_limit, "clone", EAGAIN),
#undef CASE
};

#define CASES (int)(sizeof(cases) / sizeof(*cases))

static void prepare(void)
{
	struct ifreq lo = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);

	umask(0);
	ioctl(fd, SIOCSIFFLAGS, &lo);
	put("file", "");
	put("garbage", "this is no program\n");
	put("busy", "neither is this\n");
	put("script", "#!/missing/interpreter\n");
	mkdir("dir", 0755);
	put("dir/file", "");
	mkdir("closed-dir", 0700);
	put("closed-dir/file", "");
	put("closed", "");
	chmod("closed", 0600);
	mkdir("sticky", 01777);
	put("sticky/file", "");
	mkdir("ro", 0755);
	mkdir("small", 0755);
	mkdir("cgroup", 0755);
	if (symlink("loop", "loop") < 0 || mount("none", "ro", "tmpfs", MS_RDONLY, NULL) < 0 ||
	    mount("none", "small", "tmpfs", 0, "size=64k") < 0 ||
	    mount("none", "cgroup", "cgroup2", 0, NULL) < 0)
		perror("fail-with");
	put("cgroup/cgroup.subtree_control", "+pids");
	mkdir("cgroup/fail-with", 0755);
	put("cgroup/fail-with/pids.max", "1");
}

/* Returns whether it fails as it should. */
static int do_case(int i)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		number = i;
		errno = 0;
		cases[i].fail();
		_exit(errno);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == cases[i].error)
		return 1;
	fprintf(stderr, "fail-with: %s ended with %#x\n", cases[i].name, status);
	return 0;
}

int main(int argc, char **argv)
{
	int wanted = 0, good = 0;

	if (argc == 2 && strcmp(argv[1], "prepare") == 0) {
		prepare();
		return 0;
	}
	for (int i = 0; i < CASES; i++) {
		if (argc == 2 && strcmp(argv[1], "list") == 0) {
			printf("%d %s %s %s\n", MARK + i, cases[i].name, cases[i].call,
			       cases[i].error_name);
			continue;
		}
		for (int k = 1; k < argc; k++) {
			if (strcmp(argv[k], "all") != 0 && strcmp(argv[k], cases[i].name) != 0)
				continue;
			wanted++;
			good += do_case(i);
		}
	}
	return wanted && good == wanted ? 1 : 2;
}
