/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/syscall-values.h"

#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"

/* Numbers are from the kernel's uapi headers. */
#define LIST(name) static const struct value_name name[]
#define END             \
	{               \
		0, NULL \
	}

#define FILE_TYPE_MASK 0170000

static const struct value_set no_names;

LIST(open_modes) = { { 0, "O_RDONLY" }, { 1, "O_WRONLY" }, { 2, "O_RDWR" }, END };
/* Names whose bits include those of others come first. */
LIST(open_bits) = {
	{ 0x410000, "O_TMPFILE" },  { 0x101000, "O_SYNC" },    { 0x40, "O_CREAT" },
	{ 0x80, "O_EXCL" },	    { 0x100, "O_NOCTTY" },     { 0x200, "O_TRUNC" },
	{ 0x400, "O_APPEND" },	    { 0x800, "O_NONBLOCK" },   { 0x1000, "O_DSYNC" },
	{ 0x2000, "FASYNC" },	    { 0x4000, "O_DIRECT" },    { 0x8000, "O_LARGEFILE" },
	{ 0x10000, "O_DIRECTORY" }, { 0x20000, "O_NOFOLLOW" }, { 0x40000, "O_NOATIME" },
	{ 0x80000, "O_CLOEXEC" },   { 0x200000, "O_PATH" },    END,
};
LIST(open_bits_arm) = {
	{ 0x404000, "O_TMPFILE" }, { 0x101000, "O_SYNC" },   { 0x40, "O_CREAT" },
	{ 0x80, "O_EXCL" },	   { 0x100, "O_NOCTTY" },    { 0x200, "O_TRUNC" },
	{ 0x400, "O_APPEND" },	   { 0x800, "O_NONBLOCK" },  { 0x1000, "O_DSYNC" },
	{ 0x2000, "FASYNC" },	   { 0x10000, "O_DIRECT" },  { 0x20000, "O_LARGEFILE" },
	{ 0x4000, "O_DIRECTORY" }, { 0x8000, "O_NOFOLLOW" }, { 0x40000, "O_NOATIME" },
	{ 0x80000, "O_CLOEXEC" },  { 0x200000, "O_PATH" },   END,
};
static const struct value_set open_flags = { open_modes, 3, open_bits, NULL, true };
static const struct value_set open_flags_arm = { open_modes, 3, open_bits_arm, NULL, true };
static const struct value_set new_file_flags = { NULL, 0, open_bits, NULL, true };

LIST(at_bits) = {
	{ 0x100, "AT_SYMLINK_NOFOLLOW" },  { 0x400, "AT_SYMLINK_FOLLOW" },
	{ 0x800, "AT_NO_AUTOMOUNT" },	   { 0x1000, "AT_EMPTY_PATH" },
	{ 0x2000, "AT_STATX_FORCE_SYNC" }, { 0x4000, "AT_STATX_DONT_SYNC" },
	{ 0x8000, "AT_RECURSIVE" },	   END,
};
static const struct value_set at_flags = { .bits = at_bits };
LIST(unlink_bits) = { { 0x200, "AT_REMOVEDIR" }, END };
static const struct value_set unlink_flags = { .bits = unlink_bits };
LIST(faccess_bits) = { { 0x100, "AT_SYMLINK_NOFOLLOW" },
		       { 0x200, "AT_EACCESS" },
		       { 0x1000, "AT_EMPTY_PATH" },
		       END };
static const struct value_set faccess_flags = { .bits = faccess_bits };
LIST(rename_bits) = { { 1, "RENAME_NOREPLACE" },
		      { 2, "RENAME_EXCHANGE" },
		      { 4, "RENAME_WHITEOUT" },
		      END };
static const struct value_set rename_flags = { .bits = rename_bits };
LIST(access_bits) = { { 4, "R_OK" }, { 2, "W_OK" }, { 1, "X_OK" }, END };
static const struct value_set access_modes = { .bits = access_bits, .zero = "F_OK" };
LIST(statx_bits) = {
	{ 0xfff, "STATX_ALL" },
	{ 0x7ff, "STATX_BASIC_STATS" },
	{ 1, "STATX_TYPE" },
	{ 2, "STATX_MODE" },
	{ 4, "STATX_NLINK" },
	{ 8, "STATX_UID" },
	{ 0x10, "STATX_GID" },
	{ 0x20, "STATX_ATIME" },
	{ 0x40, "STATX_MTIME" },
	{ 0x80, "STATX_CTIME" },
	{ 0x100, "STATX_INO" },
	{ 0x200, "STATX_SIZE" },
	{ 0x400, "STATX_BLOCKS" },
	{ 0x800, "STATX_BTIME" },
	{ 0x1000, "STATX_MNT_ID" },
	{ 0x2000, "STATX_DIOALIGN" },
	END,
};
static const struct value_set statx_mask = { .bits = statx_bits };

LIST(prot_bits) = {
	{ 1, "PROT_READ" },
	{ 2, "PROT_WRITE" },
	{ 4, "PROT_EXEC" },
	{ 8, "PROT_SEM" },
	{ 0x1000000, "PROT_GROWSDOWN" },
	{ 0x2000000, "PROT_GROWSUP" },
	END,
};
static const struct value_set prot = { .bits = prot_bits, .zero = "PROT_NONE" };
LIST(map_kinds) = { { 1, "MAP_SHARED" }, { 2, "MAP_PRIVATE" }, { 3, "MAP_SHARED_VALIDATE" }, END };
LIST(map_bits) = {
	{ 0x10, "MAP_FIXED" },
	{ 0x20, "MAP_ANONYMOUS" },
	{ 0x40, "MAP_32BIT" },
	{ 0x100, "MAP_GROWSDOWN" },
	{ 0x800, "MAP_DENYWRITE" },
	{ 0x1000, "MAP_EXECUTABLE" },
	{ 0x2000, "MAP_LOCKED" },
	{ 0x4000, "MAP_NORESERVE" },
	{ 0x8000, "MAP_POPULATE" },
	{ 0x10000, "MAP_NONBLOCK" },
	{ 0x20000, "MAP_STACK" },
	{ 0x40000, "MAP_HUGETLB" },
	{ 0x80000, "MAP_SYNC" },
	{ 0x100000, "MAP_FIXED_NOREPLACE" },
	END,
};
static const struct value_set map_flags = { map_kinds, 0xf, map_bits, NULL, true };
LIST(mremap_bits) = { { 1, "MREMAP_MAYMOVE" },
		      { 2, "MREMAP_FIXED" },
		      { 4, "MREMAP_DONTUNMAP" },
		      END };
static const struct value_set mremap_flags = { .bits = mremap_bits };
LIST(msync_bits) = { { 1, "MS_ASYNC" }, { 2, "MS_INVALIDATE" }, { 4, "MS_SYNC" }, END };
static const struct value_set msync_flags = { .bits = msync_bits };
LIST(mlock_bits) = { { 1, "MCL_CURRENT" }, { 2, "MCL_FUTURE" }, { 4, "MCL_ONFAULT" }, END };
static const struct value_set mlockall_flags = { .bits = mlock_bits, .varies = true };
LIST(advice_names) = {
	{ 0, "MADV_NORMAL" },	       { 1, "MADV_RANDOM" },
	{ 2, "MADV_SEQUENTIAL" },      { 3, "MADV_WILLNEED" },
	{ 4, "MADV_DONTNEED" },	       { 8, "MADV_FREE" },
	{ 9, "MADV_REMOVE" },	       { 10, "MADV_DONTFORK" },
	{ 11, "MADV_DOFORK" },	       { 12, "MADV_MERGEABLE" },
	{ 13, "MADV_UNMERGEABLE" },    { 14, "MADV_HUGEPAGE" },
	{ 15, "MADV_NOHUGEPAGE" },     { 16, "MADV_DONTDUMP" },
	{ 17, "MADV_DODUMP" },	       { 18, "MADV_WIPEONFORK" },
	{ 19, "MADV_KEEPONFORK" },     { 20, "MADV_COLD" },
	{ 21, "MADV_PAGEOUT" },	       { 22, "MADV_POPULATE_READ" },
	{ 23, "MADV_POPULATE_WRITE" }, { 24, "MADV_DONTNEED_LOCKED" },
	{ 25, "MADV_COLLAPSE" },       { 100, "MADV_HWPOISON" },
	{ 101, "MADV_SOFT_OFFLINE" },  { 102, "MADV_GUARD_INSTALL" },
	{ 103, "MADV_GUARD_REMOVE" },  END,
};
static const struct value_set advice = { .one = advice_names, .one_mask = UINT64_MAX };
LIST(fadvice_names) = {
	{ 0, "POSIX_FADV_NORMAL" },
	{ 1, "POSIX_FADV_RANDOM" },
	{ 2, "POSIX_FADV_SEQUENTIAL" },
	{ 3, "POSIX_FADV_WILLNEED" },
	{ 4, "POSIX_FADV_DONTNEED" },
	{ 5, "POSIX_FADV_NOREUSE" },
	END,
};
static const struct value_set fadvice = { .one = fadvice_names, .one_mask = UINT64_MAX };
LIST(fallocate_bits) = {
	{ 1, "FALLOC_FL_KEEP_SIZE" },
	{ 2, "FALLOC_FL_PUNCH_HOLE" },
	{ 8, "FALLOC_FL_COLLAPSE_RANGE" },
	{ 0x10, "FALLOC_FL_ZERO_RANGE" },
	{ 0x20, "FALLOC_FL_INSERT_RANGE" },
	{ 0x40, "FALLOC_FL_UNSHARE_RANGE" },
	END,
};
static const struct value_set fallocate_modes = { .bits = fallocate_bits };
LIST(whence_names) = { { 0, "SEEK_SET" },  { 1, "SEEK_CUR" },  { 2, "SEEK_END" },
		       { 3, "SEEK_DATA" }, { 4, "SEEK_HOLE" }, END };
static const struct value_set whence = { .one = whence_names, .one_mask = UINT64_MAX };

LIST(signal_names) = {
	{ 1, "SIGHUP" },
	{ 2, "SIGINT" },
	{ 3, "SIGQUIT" },
	{ 4, "SIGILL" },
	{ 5, "SIGTRAP" },
	{ 6, "SIGABRT" },
	{ 7, "SIGBUS" },
	{ 8, "SIGFPE" },
	{ 9, "SIGKILL" },
	{ 10, "SIGUSR1" },
	{ 11, "SIGSEGV" },
	{ 12, "SIGUSR2" },
	{ 13, "SIGPIPE" },
	{ 14, "SIGALRM" },
	{ 15, "SIGTERM" },
	{ 16, "SIGSTKFLT" },
	{ 17, "SIGCHLD" },
	{ 18, "SIGCONT" },
	{ 19, "SIGSTOP" },
	{ 20, "SIGTSTP" },
	{ 21, "SIGTTIN" },
	{ 22, "SIGTTOU" },
	{ 23, "SIGURG" },
	{ 24, "SIGXCPU" },
	{ 25, "SIGXFSZ" },
	{ 26, "SIGVTALRM" },
	{ 27, "SIGPROF" },
	{ 28, "SIGWINCH" },
	{ 29, "SIGIO" },
	{ 30, "SIGPWR" },
	{ 31, "SIGSYS" },
	{ 32, "SIGRT_0" },
	{ 33, "SIGRT_1" },
	{ 34, "SIGRT_2" },
	END,
};
static const struct value_set signals = { signal_names, UINT64_MAX, NULL, NULL, true };
LIST(mask_hows) = { { 0, "SIG_BLOCK" }, { 1, "SIG_UNBLOCK" }, { 2, "SIG_SETMASK" }, END };
static const struct value_set mask_how = { mask_hows, UINT64_MAX, NULL, NULL, true };
LIST(clone_bits) = {
	{ 0x80, "CLONE_NEWTIME" },
	{ 0x100, "CLONE_VM" },
	{ 0x200, "CLONE_FS" },
	{ 0x400, "CLONE_FILES" },
	{ 0x800, "CLONE_SIGHAND" },
	{ 0x1000, "CLONE_PIDFD" },
	{ 0x2000, "CLONE_PTRACE" },
	{ 0x4000, "CLONE_VFORK" },
	{ 0x8000, "CLONE_PARENT" },
	{ 0x10000, "CLONE_THREAD" },
	{ 0x20000, "CLONE_NEWNS" },
	{ 0x40000, "CLONE_SYSVSEM" },
	{ 0x80000, "CLONE_SETTLS" },
	{ 0x100000, "CLONE_PARENT_SETTID" },
	{ 0x200000, "CLONE_CHILD_CLEARTID" },
	{ 0x400000, "CLONE_DETACHED" },
	{ 0x800000, "CLONE_UNTRACED" },
	{ 0x1000000, "CLONE_CHILD_SETTID" },
	{ 0x2000000, "CLONE_NEWCGROUP" },
	{ 0x4000000, "CLONE_NEWUTS" },
	{ 0x8000000, "CLONE_NEWIPC" },
	{ 0x10000000, "CLONE_NEWUSER" },
	{ 0x20000000, "CLONE_NEWPID" },
	{ 0x40000000, "CLONE_NEWNET" },
	{ 0x80000000, "CLONE_IO" },
	END,
};
/* In clone(), the lowest byte is a signal; elsewhere, it contains CLONE_NEWTIME. */
static const struct value_set clone_flags = { signal_names, 0xff, clone_bits + 1, NULL, true };
static const struct value_set unshare_flags = { .bits = clone_bits };
LIST(wait_bits) = {
	{ 1, "WNOHANG" },	  { 2, "WUNTRACED" },	      { 4, "WEXITED" },
	{ 8, "WCONTINUED" },	  { 0x1000000, "WNOWAIT" },   { 0x20000000, "__WNOTHREAD" },
	{ 0x40000000, "__WALL" }, { 0x80000000, "__WCLONE" }, END,
};
static const struct value_set wait_options = { .bits = wait_bits };
LIST(wait_ids) = { { 0, "P_ALL" }, { 1, "P_PID" }, { 2, "P_PGID" }, { 3, "P_PIDFD" }, END };
static const struct value_set wait_which = { .one = wait_ids, .one_mask = UINT64_MAX };

LIST(futex_names) = {
	{ 0, "FUTEX_WAIT" },
	{ 1, "FUTEX_WAKE" },
	{ 2, "FUTEX_FD" },
	{ 3, "FUTEX_REQUEUE" },
	{ 4, "FUTEX_CMP_REQUEUE" },
	{ 5, "FUTEX_WAKE_OP" },
	{ 6, "FUTEX_LOCK_PI" },
	{ 7, "FUTEX_UNLOCK_PI" },
	{ 8, "FUTEX_TRYLOCK_PI" },
	{ 9, "FUTEX_WAIT_BITSET" },
	{ 10, "FUTEX_WAKE_BITSET" },
	{ 11, "FUTEX_WAIT_REQUEUE_PI" },
	{ 12, "FUTEX_CMP_REQUEUE_PI" },
	{ 13, "FUTEX_LOCK_PI2" },
	END,
};
LIST(futex_bits) = { { 0x80, "FUTEX_PRIVATE_FLAG" }, { 0x100, "FUTEX_CLOCK_REALTIME" }, END };
static const struct value_set futex_op = { futex_names, 0x7f, futex_bits, NULL, false };
LIST(clock_names) = {
	{ 0, "CLOCK_REALTIME" },
	{ 1, "CLOCK_MONOTONIC" },
	{ 2, "CLOCK_PROCESS_CPUTIME_ID" },
	{ 3, "CLOCK_THREAD_CPUTIME_ID" },
	{ 4, "CLOCK_MONOTONIC_RAW" },
	{ 5, "CLOCK_REALTIME_COARSE" },
	{ 6, "CLOCK_MONOTONIC_COARSE" },
	{ 7, "CLOCK_BOOTTIME" },
	{ 8, "CLOCK_REALTIME_ALARM" },
	{ 9, "CLOCK_BOOTTIME_ALARM" },
	{ 11, "CLOCK_TAI" },
	END,
};
static const struct value_set clocks = { .one = clock_names, .one_mask = UINT64_MAX };
LIST(timer_bits) = { { 1, "TIMER_ABSTIME" }, END };
static const struct value_set timer_flags = { .bits = timer_bits };
LIST(timerfd_bits) = { { 1, "TFD_TIMER_ABSTIME" }, { 2, "TFD_TIMER_CANCEL_ON_SET" }, END };
static const struct value_set timerfd_flags = { .bits = timerfd_bits };
LIST(itimer_names) = { { 0, "ITIMER_REAL" }, { 1, "ITIMER_VIRTUAL" }, { 2, "ITIMER_PROF" }, END };
static const struct value_set itimers = { .one = itimer_names, .one_mask = UINT64_MAX };

LIST(family_names) = {
	{ 0, "AF_UNSPEC" },
	{ 1, "AF_UNIX" },
	{ 2, "AF_INET" },
	{ 3, "AF_AX25" },
	{ 4, "AF_IPX" },
	{ 5, "AF_APPLETALK" },
	{ 9, "AF_X25" },
	{ 10, "AF_INET6" },
	{ 15, "AF_KEY" },
	{ 16, "AF_NETLINK" },
	{ 17, "AF_PACKET" },
	{ 21, "AF_RDS" },
	{ 29, "AF_CAN" },
	{ 30, "AF_TIPC" },
	{ 31, "AF_BLUETOOTH" },
	{ 38, "AF_ALG" },
	{ 40, "AF_VSOCK" },
	{ 44, "AF_XDP" },
	END,
};
static const struct value_set families = { .one = family_names, .one_mask = UINT64_MAX };
LIST(socket_types) = { { 1, "SOCK_STREAM" },	{ 2, "SOCK_DGRAM" },
		       { 3, "SOCK_RAW" },	{ 4, "SOCK_RDM" },
		       { 5, "SOCK_SEQPACKET" }, { 6, "SOCK_DCCP" },
		       { 10, "SOCK_PACKET" },	END };
LIST(socket_bits) = { { 0x800, "SOCK_NONBLOCK" }, { 0x80000, "SOCK_CLOEXEC" }, END };
static const struct value_set socket_type = { socket_types, 0xf, socket_bits, NULL, true };
static const struct value_set socket_flags = { .bits = socket_bits, .varies = true };
LIST(message_bits) = {
	{ 1, "MSG_OOB" },
	{ 2, "MSG_PEEK" },
	{ 4, "MSG_DONTROUTE" },
	{ 8, "MSG_CTRUNC" },
	{ 0x20, "MSG_TRUNC" },
	{ 0x40, "MSG_DONTWAIT" },
	{ 0x80, "MSG_EOR" },
	{ 0x100, "MSG_WAITALL" },
	{ 0x800, "MSG_CONFIRM" },
	{ 0x2000, "MSG_ERRQUEUE" },
	{ 0x4000, "MSG_NOSIGNAL" },
	{ 0x8000, "MSG_MORE" },
	{ 0x10000, "MSG_WAITFORONE" },
	{ 0x4000000, "MSG_ZEROCOPY" },
	{ 0x20000000, "MSG_FASTOPEN" },
	{ 0x40000000, "MSG_CMSG_CLOEXEC" },
	END,
};
static const struct value_set message_flags = { .bits = message_bits };
LIST(shut_names) = { { 0, "SHUT_RD" }, { 1, "SHUT_WR" }, { 2, "SHUT_RDWR" }, END };
static const struct value_set shut_how = { .one = shut_names, .one_mask = UINT64_MAX };
LIST(level_names) = { { 0, "SOL_IP" },	      { 1, "SOL_SOCKET" },
		      { 6, "SOL_TCP" },	      { 17, "SOL_UDP" },
		      { 41, "SOL_IPV6" },     { 263, "SOL_PACKET" },
		      { 270, "SOL_NETLINK" }, END };
static const struct value_set levels = { level_names, UINT64_MAX, NULL, NULL, true };

LIST(epoll_ops) = { { 1, "EPOLL_CTL_ADD" }, { 2, "EPOLL_CTL_DEL" }, { 3, "EPOLL_CTL_MOD" }, END };
static const struct value_set epoll_op = { .one = epoll_ops, .one_mask = UINT64_MAX };
LIST(epoll_bits) = { { 0x80000, "EPOLL_CLOEXEC" }, END };
static const struct value_set epoll_flags = { .bits = epoll_bits, .varies = true };
LIST(eventfd_bits) = { { 1, "EFD_SEMAPHORE" },
		       { 0x800, "EFD_NONBLOCK" },
		       { 0x80000, "EFD_CLOEXEC" },
		       END };
static const struct value_set eventfd_flags = { .bits = eventfd_bits, .varies = true };
LIST(timerfd_new_bits) = { { 0x800, "TFD_NONBLOCK" }, { 0x80000, "TFD_CLOEXEC" }, END };
static const struct value_set timerfd_new_flags = { .bits = timerfd_new_bits, .varies = true };
LIST(signalfd_bits) = { { 0x800, "SFD_NONBLOCK" }, { 0x80000, "SFD_CLOEXEC" }, END };
static const struct value_set signalfd_flags = { .bits = signalfd_bits, .varies = true };
LIST(inotify_bits) = { { 0x800, "IN_NONBLOCK" }, { 0x80000, "IN_CLOEXEC" }, END };
static const struct value_set inotify_flags = { .bits = inotify_bits, .varies = true };
LIST(memfd_bits) = { { 1, "MFD_CLOEXEC" },     { 2, "MFD_ALLOW_SEALING" }, { 4, "MFD_HUGETLB" },
		     { 8, "MFD_NOEXEC_SEAL" }, { 0x10, "MFD_EXEC" },	   END };
static const struct value_set memfd_flags = { .bits = memfd_bits };
LIST(close_range_bits) = { { 2, "CLOSE_RANGE_UNSHARE" }, { 4, "CLOSE_RANGE_CLOEXEC" }, END };
static const struct value_set close_range_flags = { .bits = close_range_bits };
LIST(splice_bits) = { { 1, "SPLICE_F_MOVE" },
		      { 2, "SPLICE_F_NONBLOCK" },
		      { 4, "SPLICE_F_MORE" },
		      { 8, "SPLICE_F_GIFT" },
		      END };
static const struct value_set splice_flags = { .bits = splice_bits };
LIST(rwf_bits) = { { 1, "RWF_HIPRI" },	   { 2, "RWF_DSYNC" },	      { 4, "RWF_SYNC" },
		   { 8, "RWF_NOWAIT" },	   { 0x10, "RWF_APPEND" },    { 0x20, "RWF_NOAPPEND" },
		   { 0x40, "RWF_ATOMIC" }, { 0x80, "RWF_DONTCACHE" }, END };
static const struct value_set rwf_flags = { .bits = rwf_bits };
LIST(random_bits) = { { 1, "GRND_NONBLOCK" }, { 2, "GRND_RANDOM" }, { 4, "GRND_INSECURE" }, END };
static const struct value_set random_flags = { .bits = random_bits };
LIST(umount_bits) = { { 1, "MNT_FORCE" },
		      { 2, "MNT_DETACH" },
		      { 4, "MNT_EXPIRE" },
		      { 8, "UMOUNT_NOFOLLOW" },
		      END };
static const struct value_set umount_flags = { .bits = umount_bits };
LIST(mount_bits) = {
	{ 1, "MS_RDONLY" },
	{ 2, "MS_NOSUID" },
	{ 4, "MS_NODEV" },
	{ 8, "MS_NOEXEC" },
	{ 0x10, "MS_SYNCHRONOUS" },
	{ 0x20, "MS_REMOUNT" },
	{ 0x400, "MS_NOATIME" },
	{ 0x800, "MS_NODIRATIME" },
	{ 0x1000, "MS_BIND" },
	{ 0x2000, "MS_MOVE" },
	{ 0x4000, "MS_REC" },
	{ 0x8000, "MS_SILENT" },
	{ 0x20000, "MS_UNBINDABLE" },
	{ 0x40000, "MS_PRIVATE" },
	{ 0x80000, "MS_SLAVE" },
	{ 0x100000, "MS_SHARED" },
	{ 0x200000, "MS_RELATIME" },
	{ 0x1000000, "MS_STRICTATIME" },
	{ 0x2000000, "MS_LAZYTIME" },
	END,
};
static const struct value_set mount_flags = { .bits = mount_bits };
LIST(flock_names) = { { 1, "LOCK_SH" }, { 2, "LOCK_EX" }, { 8, "LOCK_UN" }, END };
LIST(flock_bits) = { { 4, "LOCK_NB" }, END };
static const struct value_set flock_op = { flock_names, ~(uint64_t)4, flock_bits, NULL, false };
LIST(file_types) = { { 0010000, "S_IFIFO" },  { 0020000, "S_IFCHR" },
		     { 0040000, "S_IFDIR" },  { 0060000, "S_IFBLK" },
		     { 0100000, "S_IFREG" },  { 0120000, "S_IFLNK" },
		     { 0140000, "S_IFSOCK" }, END };

LIST(fcntl_names) = {
	{ 0, "F_DUPFD" },
	{ 1, "F_GETFD" },
	{ 2, "F_SETFD" },
	{ 3, "F_GETFL" },
	{ 4, "F_SETFL" },
	{ 5, "F_GETLK" },
	{ 6, "F_SETLK" },
	{ 7, "F_SETLKW" },
	{ 8, "F_SETOWN" },
	{ 9, "F_GETOWN" },
	{ 10, "F_SETSIG" },
	{ 11, "F_GETSIG" },
	{ 15, "F_SETOWN_EX" },
	{ 16, "F_GETOWN_EX" },
	{ 36, "F_OFD_GETLK" },
	{ 37, "F_OFD_SETLK" },
	{ 38, "F_OFD_SETLKW" },
	{ 1024, "F_SETLEASE" },
	{ 1025, "F_GETLEASE" },
	{ 1026, "F_NOTIFY" },
	{ 1030, "F_DUPFD_CLOEXEC" },
	{ 1031, "F_SETPIPE_SZ" },
	{ 1032, "F_GETPIPE_SZ" },
	{ 1033, "F_ADD_SEALS" },
	{ 1034, "F_GET_SEALS" },
	{ 1035, "F_GET_RW_HINT" },
	{ 1036, "F_SET_RW_HINT" },
	END,
};
static const struct value_set fcntl_commands = { fcntl_names, UINT64_MAX, NULL, NULL, true };
LIST(fd_bits) = { { 1, "FD_CLOEXEC" }, END };
static const struct value_set fd_flags = { .bits = fd_bits };
LIST(ioctl_names) = {
	{ 0x5401, "TCGETS" },
	{ 0x5402, "TCSETS" },
	{ 0x5403, "TCSETSW" },
	{ 0x5404, "TCSETSF" },
	{ 0x540b, "TCFLSH" },
	{ 0x540e, "TIOCSCTTY" },
	{ 0x540f, "TIOCGPGRP" },
	{ 0x5410, "TIOCSPGRP" },
	{ 0x5411, "TIOCOUTQ" },
	{ 0x5413, "TIOCGWINSZ" },
	{ 0x5414, "TIOCSWINSZ" },
	{ 0x541b, "FIONREAD" },
	{ 0x5421, "FIONBIO" },
	{ 0x5422, "TIOCNOTTY" },
	{ 0x5429, "TIOCGSID" },
	{ 0x5450, "FIONCLEX" },
	{ 0x5451, "FIOCLEX" },
	{ 0x80045430, "TIOCGPTN" },
	{ 0x40045431, "TIOCSPTLCK" },
	{ 0x1260, "BLKGETSIZE" },
	{ 0x1268, "BLKSSZGET" },
	{ 0x80081272, "BLKGETSIZE64" },
	{ 0x1261, "BLKFLSBUF" },
	{ 0x40049409, "FICLONE" },
	{ 0xc020660b, "FS_IOC_FIEMAP" },
	{ 0x80086601, "FS_IOC_GETFLAGS" },
	{ 0x8910, "SIOCGIFNAME" },
	{ 0x8912, "SIOCGIFCONF" },
	{ 0x8913, "SIOCGIFFLAGS" },
	{ 0x8933, "SIOCGIFINDEX" },
	{ 0x2400, "PERF_EVENT_IOC_ENABLE" },
	{ 0x2401, "PERF_EVENT_IOC_DISABLE" },
	END,
};
static const struct value_set ioctl_commands = { ioctl_names, UINT64_MAX, NULL, NULL, true };
LIST(prctl_names) = {
	{ 1, "PR_SET_PDEATHSIG" },
	{ 2, "PR_GET_PDEATHSIG" },
	{ 3, "PR_GET_DUMPABLE" },
	{ 4, "PR_SET_DUMPABLE" },
	{ 7, "PR_GET_KEEPCAPS" },
	{ 8, "PR_SET_KEEPCAPS" },
	{ 15, "PR_SET_NAME" },
	{ 16, "PR_GET_NAME" },
	{ 21, "PR_GET_SECCOMP" },
	{ 22, "PR_SET_SECCOMP" },
	{ 23, "PR_CAPBSET_READ" },
	{ 24, "PR_CAPBSET_DROP" },
	{ 27, "PR_GET_SECUREBITS" },
	{ 28, "PR_SET_SECUREBITS" },
	{ 29, "PR_SET_TIMERSLACK" },
	{ 30, "PR_GET_TIMERSLACK" },
	{ 35, "PR_SET_MM" },
	{ 36, "PR_SET_CHILD_SUBREAPER" },
	{ 37, "PR_GET_CHILD_SUBREAPER" },
	{ 38, "PR_SET_NO_NEW_PRIVS" },
	{ 39, "PR_GET_NO_NEW_PRIVS" },
	{ 41, "PR_SET_THP_DISABLE" },
	{ 42, "PR_GET_THP_DISABLE" },
	{ 47, "PR_CAP_AMBIENT" },
	{ 0x53564d41, "PR_SET_VMA" },
	{ 0x59616d61, "PR_SET_PTRACER" },
	END,
};
static const struct value_set prctl_options = { .one = prctl_names, .one_mask = UINT64_MAX };
LIST(arch_prctl_names) = { { 0x1001, "ARCH_SET_GS" },
			   { 0x1002, "ARCH_SET_FS" },
			   { 0x1003, "ARCH_GET_FS" },
			   { 0x1004, "ARCH_GET_GS" },
			   { 0x1011, "ARCH_GET_CPUID" },
			   { 0x1012, "ARCH_SET_CPUID" },
			   { 0x3001, "ARCH_CET_STATUS" },
			   { 0x5001, "ARCH_SHSTK_ENABLE" },
			   END };
static const struct value_set arch_prctl_options = { .one = arch_prctl_names,
						     .one_mask = UINT64_MAX };
LIST(rlimit_names) = {
	{ 0, "RLIMIT_CPU" },
	{ 1, "RLIMIT_FSIZE" },
	{ 2, "RLIMIT_DATA" },
	{ 3, "RLIMIT_STACK" },
	{ 4, "RLIMIT_CORE" },
	{ 5, "RLIMIT_RSS" },
	{ 6, "RLIMIT_NPROC" },
	{ 7, "RLIMIT_NOFILE" },
	{ 8, "RLIMIT_MEMLOCK" },
	{ 9, "RLIMIT_AS" },
	{ 10, "RLIMIT_LOCKS" },
	{ 11, "RLIMIT_SIGPENDING" },
	{ 12, "RLIMIT_MSGQUEUE" },
	{ 13, "RLIMIT_NICE" },
	{ 14, "RLIMIT_RTPRIO" },
	{ 15, "RLIMIT_RTTIME" },
	END,
};
static const struct value_set rlimits = { rlimit_names, UINT64_MAX, NULL, NULL, true };
LIST(rusage_names) = { { 0, "RUSAGE_SELF" },
		       { 1, "RUSAGE_THREAD" },
		       { 0xffffffff, "RUSAGE_CHILDREN" },
		       END };
static const struct value_set rusage_who = { .one = rusage_names, .one_mask = UINT64_MAX };
LIST(policy_names) = { { 0, "SCHED_OTHER" }, { 1, "SCHED_FIFO" },
		       { 2, "SCHED_RR" },    { 3, "SCHED_BATCH" },
		       { 5, "SCHED_IDLE" },  { 6, "SCHED_DEADLINE" },
		       { 7, "SCHED_EXT" },   END };
LIST(policy_bits) = { { 0x40000000, "SCHED_RESET_ON_FORK" }, END };
static const struct value_set policies = { policy_names, 0xff, policy_bits, NULL, false };
LIST(seccomp_names) = { { 0, "SECCOMP_SET_MODE_STRICT" },
			{ 1, "SECCOMP_SET_MODE_FILTER" },
			{ 2, "SECCOMP_GET_ACTION_AVAIL" },
			{ 3, "SECCOMP_GET_NOTIF_SIZES" },
			END };
static const struct value_set seccomp_ops = { .one = seccomp_names, .one_mask = UINT64_MAX };
LIST(priority_names) = { { 0, "PRIO_PROCESS" }, { 1, "PRIO_PGRP" }, { 2, "PRIO_USER" }, END };
static const struct value_set priorities = { .one = priority_names, .one_mask = UINT64_MAX };

#define PATH_CALLS                                                                             \
	"open openat openat2 creat access faccessat faccessat2 newstat newlstat newfstatat "   \
	"stat lstat statx statfs chdir chroot chmod fchmodat fchmodat2 chown lchown fchownat " \
	"truncate utime utimes utimensat futimesat execve execveat readlink readlinkat "       \
	"getxattr lgetxattr setxattr lsetxattr listxattr llistxattr removexattr lremovexattr " \
	"inotify_add_watch name_to_handle_at open_tree acct "                                  \
	"mkdir mkdirat rmdir unlink unlinkat mknod mknodat"

/* The first match counts. */
static const struct argument_rule rules[] = {
	{ PATH_CALLS, "filename pathname path", ARGUMENT_PATH, NULL },
	{ "acct umount name_to_handle_at", "name", ARGUMENT_PATH, NULL },
	{ "link linkat", "oldname", ARGUMENT_PATH, NULL },
	{ "mount", "dir_name", ARGUMENT_PATH, NULL },
	{ "pivot_root", "new_root", ARGUMENT_PATH, NULL },
	{ "swapon swapoff", "specialfile", ARGUMENT_PATH, NULL },
	{ "dup2 dup3", "newfd", ARGUMENT_PLAIN, NULL },
	{ NULL, "dfd olddfd newdfd from_dfd to_dfd", ARGUMENT_DIR_FD, NULL },
	{ "execveat", "fd", ARGUMENT_DIR_FD, NULL },
	{ NULL,
	  "fd fildes oldfd epfd fd_in fd_out fdin fdout in_fd out_fd ufd pidfd mqdes fs_fd "
	  "mountdirfd group_fd kernel_fd initrd_fd fanotify_fd ruleset_fd",
	  ARGUMENT_FD, NULL },
	{ "chmod fchmod fchmodat fchmodat2 open openat creat mkdir mkdirat mknod mknodat mq_open",
	  "mode", ARGUMENT_OCTAL, NULL },
	{ "umask", "mask", ARGUMENT_OCTAL, NULL },
	{ "open openat", "flags", ARGUMENT_SET, &open_flags },
	{ "mq_open", "oflag", ARGUMENT_SET, &open_flags },
	{ "open_by_handle_at", "flags", ARGUMENT_SET, &open_flags },
	{ "pipe2 dup3 userfaultfd", "flags", ARGUMENT_SET, &new_file_flags },
	{ "newfstatat fchownat name_to_handle_at", "flag", ARGUMENT_SET, &at_flags },
	{ "statx linkat utimensat execveat fchmodat2", "flags", ARGUMENT_SET, &at_flags },
	{ NULL, "at_flags", ARGUMENT_SET, &at_flags },
	{ "unlinkat", "flag", ARGUMENT_SET, &unlink_flags },
	{ "faccessat2", "flags", ARGUMENT_SET, &faccess_flags },
	{ "access faccessat faccessat2", "mode", ARGUMENT_SET, &access_modes },
	{ "statx", "mask", ARGUMENT_SET, &statx_mask },
	{ "renameat2", "flags", ARGUMENT_SET, &rename_flags },
	{ "mmap mprotect pkey_mprotect remap_file_pages", "prot", ARGUMENT_SET, &prot },
	{ "mmap remap_file_pages", "flags", ARGUMENT_SET, &map_flags },
	{ "mremap", "flags", ARGUMENT_SET, &mremap_flags },
	{ "msync", "flags", ARGUMENT_SET, &msync_flags },
	{ "mlockall", "flags", ARGUMENT_SET, &mlockall_flags },
	{ "madvise process_madvise", "behavior", ARGUMENT_SET, &advice },
	{ "fadvise64", "advice", ARGUMENT_SET, &fadvice },
	{ "fallocate", "mode", ARGUMENT_SET, &fallocate_modes },
	{ "lseek", "whence", ARGUMENT_SET, &whence },
	{ "kill tkill tgkill rt_sigaction rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal",
	  "sig", ARGUMENT_SET, &signals },
	{ "rt_sigprocmask", "how", ARGUMENT_SET, &mask_how },
	{ "clone", "clone_flags", ARGUMENT_SET, &clone_flags },
	{ "unshare", "unshare_flags", ARGUMENT_SET, &unshare_flags },
	{ "setns", "flags", ARGUMENT_SET, &unshare_flags },
	{ "wait4 waitid", "options", ARGUMENT_SET, &wait_options },
	{ "waitid", "which", ARGUMENT_SET, &wait_which },
	{ "futex", "op", ARGUMENT_SET, &futex_op },
	{ NULL, "which_clock clockid", ARGUMENT_SET, &clocks },
	{ "clock_nanosleep timer_settime", "flags", ARGUMENT_SET, &timer_flags },
	{ "timerfd_settime", "flags", ARGUMENT_SET, &timerfd_flags },
	{ "setitimer getitimer", "which", ARGUMENT_SET, &itimers },
	{ "socket socketpair", "family", ARGUMENT_SET, &families },
	{ "socket socketpair", "type", ARGUMENT_SET, &socket_type },
	{ "accept4", "flags", ARGUMENT_SET, &socket_flags },
	{ "sendto sendmsg sendmmsg recvfrom recvmsg recvmmsg", "flags", ARGUMENT_SET,
	  &message_flags },
	{ "shutdown", "how", ARGUMENT_SET, &shut_how },
	{ "getsockopt setsockopt", "level", ARGUMENT_SET, &levels },
	{ "epoll_ctl", "op", ARGUMENT_SET, &epoll_op },
	{ "epoll_create1", "flags", ARGUMENT_SET, &epoll_flags },
	{ "eventfd2", "flags", ARGUMENT_SET, &eventfd_flags },
	{ "timerfd_create", "flags", ARGUMENT_SET, &timerfd_new_flags },
	{ "signalfd4", "flags", ARGUMENT_SET, &signalfd_flags },
	{ "inotify_init1", "flags", ARGUMENT_SET, &inotify_flags },
	{ "memfd_create", "flags", ARGUMENT_SET, &memfd_flags },
	{ "close_range", "flags", ARGUMENT_SET, &close_range_flags },
	{ "splice tee vmsplice", "flags", ARGUMENT_SET, &splice_flags },
	{ "preadv2 pwritev2", "flags", ARGUMENT_SET, &rwf_flags },
	{ "getrandom", "flags", ARGUMENT_SET, &random_flags },
	{ "umount", "flags", ARGUMENT_SET, &umount_flags },
	{ "mount", "flags", ARGUMENT_SET, &mount_flags },
	{ "flock", "cmd", ARGUMENT_SET, &flock_op },
	{ "fcntl", "cmd", ARGUMENT_SET, &fcntl_commands },
	{ "fcntl", "arg", ARGUMENT_FCNTL, NULL },
	{ "ioctl", "cmd", ARGUMENT_SET, &ioctl_commands },
	{ "prctl", "option", ARGUMENT_SET, &prctl_options },
	{ "arch_prctl", "option", ARGUMENT_SET, &arch_prctl_options },
	{ "getrlimit setrlimit prlimit64", "resource", ARGUMENT_SET, &rlimits },
	{ "getrusage", "who", ARGUMENT_SET, &rusage_who },
	{ "sched_setscheduler sched_get_priority_max sched_get_priority_min", "policy",
	  ARGUMENT_SET, &policies },
	{ "seccomp", "op", ARGUMENT_SET, &seccomp_ops },
	{ "getpriority setpriority", "which", ARGUMENT_SET, &priorities },
	/* Numbers that are meaningless in decimal. */
	{ NULL, "addr start brk new_addr newsp tls entry arg arg2 arg3 arg4 arg5 ctx_id ctx data",
	  ARGUMENT_ADDRESS, NULL },
	{ NULL, "flags mask personality", ARGUMENT_SET, &no_names },
};

const struct argument_rule *argument_rule_find(const char *call, const char *argument)
{
	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (str_has_word(rules[i].names, " ", argument) &&
		    (!rules[i].calls || str_has_word(rules[i].calls, " ", call)))
			return &rules[i];
	return NULL;
}

enum value_machine value_machine_of(const char *uname)
{
	static const char generic[] = "riscv64 riscv32 loongarch64 s390x";
	const char *word;

	if (!uname)
		return MACHINE_GENERIC;
	word = strrchr(uname, ' ');
	word = word ? word + 1 : uname;
	if (!*word || str_has_word(generic, " ", word))
		return MACHINE_GENERIC;
	if (str_has_word("x86_64 i386 i486 i586 i686", " ", word))
		return MACHINE_X86;
	if (str_after(word, "aarch64") || str_after(word, "arm"))
		return MACHINE_ARM;
	return MACHINE_OTHER;
}

static void syscall_values_put_word(struct strbuf *buf, size_t begin, const char *word)
{
	if (buf->len > begin)
		strbuf_addc(buf, '|');
	strbuf_adds(buf, word);
}

void value_set_put(struct strbuf *buf, const struct value_set *set, enum value_machine machine,
		   uint64_t value)
{
	const struct value_name *name;
	size_t begin = buf->len;
	uint64_t rest = value;

	if (machine == MACHINE_ARM && set->bits == open_bits && set->one)
		set = &open_flags_arm;
	if (set->varies && machine == MACHINE_OTHER)
		set = &no_names;
	for (name = set->one; name && name->name; name++) {
		if (name->value != (value & set->one_mask))
			continue;
		syscall_values_put_word(buf, begin, name->name);
		rest &= ~set->one_mask;
		break;
	}
	for (name = set->bits; name && name->name; name++) {
		if ((rest & name->value) != name->value)
			continue;
		syscall_values_put_word(buf, begin, name->name);
		rest &= ~name->value;
	}
	if (rest) {
		syscall_values_put_word(buf, begin, "");
		strbuf_addf(buf, "%#" PRIx64, rest);
	}
	if (!value && buf->len == begin)
		strbuf_adds(buf, set->zero ?: "0");
}

const struct value_set *fcntl_argument(uint64_t command, bool *ret_has)
{
	*ret_has = true;
	switch (command) {
	case 1: /* F_GETFD */
	case 3: /* F_GETFL */
	case 9: /* F_GETOWN */
	case 11: /* F_GETSIG */
	case 1025: /* F_GETLEASE */
	case 1032: /* F_GETPIPE_SZ */
	case 1034: /* F_GET_SEALS */
		*ret_has = false;
		return NULL;
	case 2: /* F_SETFD */
		return &fd_flags;
	case 4: /* F_SETFL */
		return &open_flags;
	case 10: /* F_SETSIG */
		return &signals;
	default:
		return NULL;
	}
}

void file_mode_put(struct strbuf *buf, uint64_t mode)
{
	for (const struct value_name *type = file_types; type->name; type++)
		if (type->value == (mode & FILE_TYPE_MASK)) {
			strbuf_addf(buf, "%s|", type->name);
			mode &= ~(uint64_t)FILE_TYPE_MASK;
		}
	strbuf_addf(buf, "%#" PRIo64, mode);
}

bool syscall_returns_address(const char *call)
{
	return str_has_word("mmap brk mremap shmat mmap2 mmap_pgoff", " ", call);
}

bool syscall_returns_file(const char *call)
{
	return str_has_word(
		"open openat openat2 creat dup dup2 dup3 socket accept accept4 "
		"epoll_create epoll_create1 eventfd eventfd2 timerfd_create signalfd "
		"signalfd4 inotify_init inotify_init1 memfd_create pidfd_open pidfd_getfd "
		"perf_event_open userfaultfd io_uring_setup fanotify_init "
		"open_by_handle_at open_tree fsopen fsmount fspick memfd_secret",
		" ", call);
}
