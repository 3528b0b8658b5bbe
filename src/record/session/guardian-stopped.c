/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Detects and kills stopped guardians. A guardian stopped by SIGSTOP or a debugger keeps its journal
 * locked but never acts on it. It is identified by the journal it has open and killed through a pidfd,
 * so that a reused PID is never hit.
 */
#include "record/session/guardian.h"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"

/* Time for SIGKILL to take effect; longer only while the kernel is in an uninterruptible section. */
#define END_WAIT_MS 2000

static bool guardian_stopped_has_open(pid_t pid, int fd)
{
	_cleanup_closedir_ DIR *dir = NULL;
	struct stat want, st;
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	if (!dir || fstat(fd, &want) < 0)
		return false;
	for (struct dirent *entry; (entry = readdir(dir));)
		if (entry->d_name[0] != '.' && fstatat(dirfd(dir), entry->d_name, &st, 0) == 0 &&
		    st.st_dev == want.st_dev && st.st_ino == want.st_ino)
			return true;
	return false;
}

/* In /proc/PID/stat the state follows the comm, which is in parentheses and may contain some. */
static bool is_stopped(pid_t pid)
{
	char path[32], line[512];
	const char *end;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (file_read_line(AT_FDCWD, path, line, sizeof(line)) < 0)
		return false;
	end = strrchr(line, ')');
	return end && end[1] == ' ' && (end[2] == 'T' || end[2] == 't');
}

bool guardian_is_stopped(pid_t pid, const struct journal *journal)
{
	return pid > 0 && is_stopped(pid) && guardian_stopped_has_open(pid, journal->fd);
}

bool guardian_left_stopped(pid_t recorder, pid_t guardian, const struct journal *journal)
{
	return guardian_is_stopped(guardian, journal) &&
	       !guardian_stopped_has_open(recorder, journal->fd);
}

bool guardian_end_stopped(pid_t pid, const struct journal *journal)
{
	_cleanup_close_ int fd = pid > 0 ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	struct pollfd ended = { .fd = fd, .events = POLLIN };

	if (fd < 0 || !guardian_is_stopped(pid, journal))
		return false;
	if (syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0) < 0)
		return false;
	return poll(&ended, 1, END_WAIT_MS) == 1;
}
