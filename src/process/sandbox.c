/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owns the list of system calls that a reader may make. All others return EPERM: to the caller of a
 * library function that makes one, this is an ordinary error.
 */
#include "process/sandbox.h"

#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"

/* The user that owns nothing. */
#define NOBODY 65534

/* gcc has macros for sanitizers, clang has __has_feature(). */
#ifndef __has_feature
#define __has_feature(x) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAVE_SANITIZER 1
#else
#define HAVE_SANITIZER 0
#endif

#if defined(__x86_64__)
#define THIS_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define THIS_ARCH AUDIT_ARCH_RISCV64
#elif defined(__powerpc64__) && defined(__LITTLE_ENDIAN__)
#define THIS_ARCH AUDIT_ARCH_PPC64LE
#elif defined(__s390x__)
#define THIS_ARCH AUDIT_ARCH_S390X
#endif

/* The profiles; see the functions at the end. */
enum profile {
	READER = 1 << 0,
	ASKING = 1 << 1,
	TERMINAL = 1 << 2,
	FINISHER = 1 << 3,
	READS = READER | ASKING | TERMINAL,
	ALL = READS | FINISHER,
};

/*
 * The system calls that processes of each profile may make. tests/security/host/system-calls runs
 * such processes, and fails if none of them makes a permitted call that has no reason after
 * "kept:".
 */
static const struct {
	int call;
	enum profile profiles;
} permitted[] = {
	/* the files that are open */
	{ SYS_read, ALL }, /* kept: for files without offsets; allows no more than pread64 */
	{ SYS_pread64, ALL },
	{ SYS_write, ALL },
	{ SYS_writev, ALL }, /* kept: the C library's message about corrupt memory */
	{ SYS_pwrite64, READER | ASKING | FINISHER }, /* kept: exports larger than memory */
	{ SYS_copy_file_range, READER | FINISHER }, /* kept: where ranges cannot be collapsed */
	{ SYS_fallocate, FINISHER },
	{ SYS_ftruncate, FINISHER },
	{ SYS_lseek, ALL }, /* kept: holes of unfinished recordings */
	{ SYS_close, ALL },
	{ SYS_fstat, ALL }, /* kept: fstat() of older C libraries and other architectures */
	{ SYS_fadvise64, READS },
	{ SYS_flock, TERMINAL }, /* kept: detects whether a recording is in progress */
	{ SYS_ppoll, ASKING | TERMINAL }, /* kept: poll() of other architectures */
#ifdef SYS_poll
	{ SYS_poll, ASKING | TERMINAL },
#endif
#ifdef SYS_newfstatat
	/* fstat() of newer C libraries; can stat a path, but not open it */
	{ SYS_newfstatat, ALL },
#endif
	/* memory */
	{ SYS_mmap, READS },
	{ SYS_munmap, READS },
	{ SYS_mremap, ALL }, /* kept: large blocks of memory that grow */
	{ SYS_mprotect, ALL }, /* kept: heaps of threads grow by it */
	{ SYS_madvise, READS },
	{ SYS_brk, READS },
	{ SYS_mmap, FINISHER }, /* kept: only large recordings need it */
	{ SYS_munmap, FINISHER }, /* kept: only large recordings need it */
	{ SYS_brk, FINISHER }, /* kept: only large recordings need it */
	/* threads that were started before, and clocks */
	{ SYS_futex, ALL }, /* kept: only for contended locks */
	{ SYS_set_robust_list, ALL }, /* kept: first call of a thread that was just started */
	{ SYS_rseq, ALL }, /* kept: second call of a thread that was just started */
	{ SYS_clock_gettime, ALL }, /* kept: for clocks that the vDSO cannot read */
	{ SYS_getrandom, READS },
	/* our own signals, waiting for children, exiting */
	{ SYS_rt_sigaction, ALL }, /* kept: dying of heap corruption */
	{ SYS_rt_sigprocmask, ALL }, /* kept: dying of heap corruption */
	{ SYS_rt_sigreturn, ALL }, /* kept: signals are rare */
	{ SYS_restart_syscall, ALL }, /* kept: restarts calls after SIGSTOP and SIGCONT */
	{ SYS_gettid, ALL }, /* kept: dying of heap corruption */
	{ SYS_getpid, ALL }, /* kept: dying of heap corruption */
	{ SYS_tgkill, ALL }, /* kept: dying of heap corruption */
	{ SYS_wait4, ALL }, /* kept: for the pager, which needs a terminal */
	{ SYS_exit, ALL }, /* kept: exit of a thread */
	{ SYS_exit_group, ALL },
	/* messages to and from the broker, with files */
	{ SYS_sendmsg, ASKING },
	{ SYS_recvmsg, ASKING },
};

/* The permitted terminal requests; injecting input (TIOCSTI) is not among them. */
static const unsigned settings[] = { TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ };
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define LOW_WORD 4
#else
#define LOW_WORD 0
#endif

int sandbox_keep_capabilities(uint64_t kept, struct fathom_err *err)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set_errno(err, negative_errno(), "cannot drop privileges");
	if (kept && syscall(SYS_capget, &header, data) < 0)
		return err_set_errno(err, negative_errno(), "cannot read capabilities");
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(kept >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, data) < 0)
		return err_set_errno(err, negative_errno(), "cannot drop capabilities");
	return 0;
}

int sandbox_drop_capabilities(struct fathom_err *err)
{
	return sandbox_keep_capabilities(0, err);
}

static int drop_privilege(struct fathom_err *err)
{
	int signal = 0;

	prctl(PR_GET_PDEATHSIG, &signal);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set_errno(err, negative_errno(), "cannot drop privileges");
	/*
	 * In a user namespace that maps root only, the user cannot be changed: capabilities remain.
	 */
	if (geteuid() == 0 && setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	    setresuid(NOBODY, NOBODY, NOBODY) == 0 && setuid(0) == 0)
		return err_set(err, -EPERM, "cannot drop privileges: root was regained");
	/* Changing the user has cleared it. */
	prctl(PR_SET_PDEATHSIG, signal);
	return sandbox_drop_capabilities(err);
}

void sandbox_limit_memory(uint64_t bytes)
{
	struct rlimit limit;

	if (HAVE_SANITIZER || getrlimit(RLIMIT_DATA, &limit) < 0 || limit.rlim_cur <= bytes)
		return;
	limit.rlim_cur = (rlim_t)bytes;
	setrlimit(RLIMIT_DATA, &limit);
}

static bool enter_landlock(void)
{
	struct landlock_ruleset_attr attr = { 0 };
	_cleanup_close_ int fd = -1;
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);

	if (abi < 1)
		return false;
	/* All rights of the first Landlock ABI, none of them granted: no file can be opened. */
	attr.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	return fd >= 0 && syscall(SYS_landlock_restrict_self, fd, 0) == 0;
}

#ifdef THIS_ARCH
enum {
	HEAD = 4,
	CODE_MAX = HEAD + ARRAY_SIZE(permitted) + 2 + ARRAY_SIZE(settings) + 2,
	TO_YES = 255, /* a jump to the last instruction, until its location is known */
};
_Static_assert(CODE_MAX < TO_YES, "a jump reaches 255 instructions");

static struct sock_filter jump_if(unsigned value)
{
	return (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, TO_YES, 0);
}

/* Permits ioctl() with one of the requests; other system calls skip this. */
static unsigned add_settings(struct sock_filter *code)
{
	unsigned n = 0;

	code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0,
						 ARRAY_SIZE(settings) + 1);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
						 LOW_WORD + offsetof(struct seccomp_data, args[1]));
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		code[n++] = jump_if(settings[i]);
	return n;
}

static bool enter_seccomp(enum profile profile)
{
	struct sock_filter code[CODE_MAX] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .filter = code };
	unsigned n = HEAD;

	for (size_t i = 0; i < ARRAY_SIZE(permitted); i++)
		if (permitted[i].profiles & profile)
			code[n++] = jump_if((unsigned)permitted[i].call);
	if (profile == TERMINAL)
		n += add_settings(code + n);
	for (unsigned i = HEAD; i < n; i++)
		if (code[i].jt == TO_YES)
			code[i].jt = (unsigned char)(n - i);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	program.len = (unsigned short)n;
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
	       0;
}
#else
static bool enter_seccomp(enum profile profile)
{
	(void)profile;
	return false;
}
#endif

static int process_sandbox_enter(enum profile profile, struct fathom_err *err)
{
	int reached = SANDBOX_UNPRIVILEGED;
	int r = drop_privilege(err);

	if (r < 0)
		return r;
	if (HAVE_SANITIZER)
		return reached;
	if (enter_landlock())
		reached |= SANDBOX_LANDLOCK;
	if (enter_seccomp(profile))
		reached |= SANDBOX_SECCOMP;
	return reached;
}

int sandbox_enter(struct fathom_err *err)
{
	return process_sandbox_enter(READER, err);
}

int sandbox_enter_asking(struct fathom_err *err)
{
	return process_sandbox_enter(ASKING, err);
}

int sandbox_enter_terminal(struct fathom_err *err)
{
	return process_sandbox_enter(TERMINAL, err);
}

int sandbox_enter_finishing(struct fathom_err *err)
{
	return process_sandbox_enter(FINISHER, err);
}
