/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Owns the list of system calls that a reader may make. Everything else answers
 * EPERM: the caller of a library function that tries more sees an ordinary error.
 */
#include "base/sandbox.h"

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

/* The user that owns nothing. */
#define NOBODY 65534

/* gcc defines names, clang has to be asked. */
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

static const int allowed[] = {
	/* the files that are open */
	SYS_read,
	SYS_readv,
	SYS_pread64,
	SYS_write,
	SYS_writev,
	SYS_pwrite64,
	SYS_copy_file_range,
	SYS_lseek,
	SYS_close,
	SYS_fstat,
	SYS_fadvise64,
	SYS_flock, /* is somebody still writing to one of them? */
	SYS_ppoll,
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_newfstatat
	/* fstat() of newer C libraries; it can look at a path, not open it */
	SYS_newfstatat,
#endif
	/* memory */
	SYS_mmap,
	SYS_munmap,
	SYS_mremap,
	SYS_mprotect,
	SYS_madvise,
	SYS_brk,
	/* threads and time */
	SYS_futex,
	SYS_set_robust_list,
	SYS_rseq,
	SYS_clock_gettime,
	SYS_clock_nanosleep,
	SYS_nanosleep,
	SYS_gettimeofday,
	SYS_sched_yield,
	SYS_sched_getaffinity,
	SYS_getrandom,
	SYS_gettid,
	SYS_getpid,
	SYS_getrusage,
	SYS_membarrier,
	/* signals of our own, waiting for the pager, the end */
	SYS_rt_sigaction,
	SYS_rt_sigprocmask,
	SYS_rt_sigreturn,
	SYS_sigaltstack,
	SYS_restart_syscall,
	SYS_tgkill,
	SYS_wait4,
	SYS_exit,
	SYS_exit_group,
};

/* For those who have a broker. */
static const int asking[] = { SYS_sendmsg, SYS_recvmsg };
/* What may be asked of a terminal, and told to it; typing into it for somebody is not among them. */
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
		return err_set_errno(err, -errno, "cannot give up privilege");
	if (kept && syscall(SYS_capget, &header, data) < 0)
		return err_set_errno(err, -errno, "cannot read capabilities");
	for (unsigned i = 0; i < _LINUX_CAPABILITY_U32S_3; i++) {
		data[i].permitted &= (uint32_t)(kept >> (32 * i));
		data[i].effective = data[i].permitted;
		data[i].inheritable = 0;
	}
	if (syscall(SYS_capset, &header, data) < 0)
		return err_set_errno(err, -errno, "cannot give up capabilities");
	return 0;
}

int sandbox_drop_capabilities(struct fathom_err *err)
{
	return sandbox_keep_capabilities(0, err);
}

static int drop_privilege(struct fathom_err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return err_set_errno(err, -errno, "cannot give up privilege");
	/* In a user namespace that maps only root the user can't be changed: capabilities remain. */
	if (geteuid() == 0 && setgroups(0, NULL) == 0 && setresgid(NOBODY, NOBODY, NOBODY) == 0 &&
	    setresuid(NOBODY, NOBODY, NOBODY) == 0 && setuid(0) == 0)
		return err_set(err, -EPERM, "cannot give up privilege: root came back");
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
	/* All rights of the first version, none granted anywhere: no file can be opened. */
	attr.handled_access_fs = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
	fd = (int)syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	return fd >= 0 && syscall(SYS_landlock_restrict_self, fd, 0) == 0;
}

/* What beside the files that are open may be used. */
enum more {
	MORE_NOTHING,
	MORE_BROKER,
	MORE_TERMINAL,
};

static bool enter_seccomp(enum more more)
{
#ifdef THIS_ARCH
	enum {
		HEAD = 4,
		PLAIN = sizeof(allowed) / sizeof(allowed[0]),
		ASKING = sizeof(asking) / sizeof(asking[0]),
		SETTINGS = sizeof(settings) / sizeof(settings[0]),
		/* Of these those that are not wanted are the first plain call once more. */
		COUNT = PLAIN + ASKING,
		END = HEAD + COUNT + 2 + SETTINGS, /* says no; behind it is a yes */
	};
	struct sock_filter code[END + 2] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCH, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .len = END + 2, .filter = code };
	unsigned at = HEAD;

	_Static_assert(END + 1 - HEAD < 255, "a jump reaches 255 instructions");
	for (unsigned i = 0; i < COUNT; i++, at++) {
		int call = i < PLAIN	       ? allowed[i] :
			   more == MORE_BROKER ? asking[i - PLAIN] :
						 allowed[0];

		code[at] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call,
							(unsigned char)(END - at), 0);
	}
	code[at] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0,
						(unsigned char)(END - 1 - at));
	if (more != MORE_TERMINAL)
		code[at] = (struct sock_filter)BPF_STMT(BPF_JMP | BPF_JA, END - 1 - at);
	at++;
	code[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, LOW_WORD + offsetof(struct seccomp_data, args[1]));
	for (unsigned i = 0; i < SETTINGS; i++, at++)
		code[at] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, settings[i],
							(unsigned char)(END - at), 0);
	code[END] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
	code[END + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) ==
	       0;
#else
	return false;
#endif
}

static int enter(enum more more, struct fathom_err *err)
{
	int reached = SANDBOX_UNPRIVILEGED;
	int r = drop_privilege(err);

	if (r < 0)
		return r;
	if (HAVE_SANITIZER)
		return reached;
	if (enter_landlock())
		reached |= SANDBOX_LANDLOCK;
	if (enter_seccomp(more))
		reached |= SANDBOX_SECCOMP;
	return reached;
}

int sandbox_enter(struct fathom_err *err)
{
	return enter(MORE_NOTHING, err);
}

int sandbox_enter_asking(struct fathom_err *err)
{
	return enter(MORE_BROKER, err);
}

int sandbox_enter_terminal(struct fathom_err *err)
{
	return enter(MORE_TERMINAL, err);
}
