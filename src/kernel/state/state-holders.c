/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Finds processes with open tracing files: perf events, BPF programs and links, and files of
 * tracefs such as trace_pipe. Only its owner and root can see the open files of a process.
 */
#include "kernel/state/state-parts.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "kernel/state/state-lists.h"

#define LINK_SIZE 512

/*
 * Returns the kind of file that a link in /proc/PID/fd refers to, or NULL if it is unrelated to
 * tracing.
 */
static const char *state_holders_kind_of(const char *link, const char *tracefs_path)
{
	const char *rest;

	if (str_eq(link, "anon_inode:[perf_event]"))
		return "perf event";
	if (str_after(link, "anon_inode:bpf-prog"))
		return "BPF program";
	if (str_after(link, "anon_inode:bpf_link") ||
	    str_after(link, "anon_inode:bpf-raw-tracepoint"))
		return "BPF link";
	if (!tracefs_path || !(rest = str_after(link, tracefs_path)) || *rest != '/')
		return NULL;
	return rest + 1;
}

/* Removes the CPU from the path, so that the files of all CPUs are counted together. */
static size_t without_cpu(const char *what, char *out, size_t size)
{
	const char *cpu = strstr(what, "per_cpu/cpu");
	const char *file = cpu ? strchr(cpu + strlen("per_cpu/cpu"), '/') : NULL;
	int n;

	if (file)
		n = snprintf(out, size, "%.*s%s", (int)(cpu - what), what, file + 1);
	else
		n = snprintf(out, size, "%s", what);
	return n < 0 ? 0 : (size_t)n;
}

static void add_holder(struct trace_state *state, long pid, const char *comm, const char *what)
{
	struct state_holder *item;
	char name[LINK_SIZE];

	without_cpu(what, name, sizeof(name));
	for (size_t i = state->holders.count; i-- > 0;) {
		item = &state->holders.items[i];
		if (item->pid != pid)
			break;
		if (str_eq(item->what, name)) {
			item->count++;
			return;
		}
	}
	item = STATE_ADD(state, &state->holders);
	if (!item)
		return;
	item->pid = pid;
	item->comm = state_text(state, "%s", comm);
	item->what = state_text(state, "%s", name);
	item->count = 1;
}

/* Adds the tracing files of a process. Returns 0 or a negative errno if they cannot be seen. */
static int read_process(struct trace_state *state, int procfd, const char *name, const char *root,
			const struct tracefs *tracefs)
{
	char path[64], comm[64], link[LINK_SIZE];
	long pid = strtol(name, NULL, 10);
	_cleanup_closedir_ DIR *dir = NULL;
	int fd;

	snprintf(path, sizeof(path), "%ld/fd", pid);
	fd = openat(procfd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return negative_errno();
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return -ENOMEM;
	}
	snprintf(path, sizeof(path), "%ld/comm", pid);
	if (file_read_line(procfd, path, comm, sizeof(comm)) < 0)
		comm[0] = '\0';
	for (struct dirent *entry; (entry = readdir(dir));) {
		ssize_t n = readlinkat(fd, entry->d_name, link, sizeof(link) - 1);
		const char *kind;

		if (n <= 0)
			continue;
		link[n] = '\0';
		kind = state_holders_kind_of(link,
					     tracefs->path ? tracefs->path + strlen(root) : NULL);
		if (!kind)
			continue;
		add_holder(state, pid, comm, kind);
		if (!*root && str_eq(kind, "perf event"))
			state_perf_target(state, pid, (int)strtol(entry->d_name, NULL, 10));
	}
	return 0;
}

void state_read_holders(struct trace_state *state, const char *root, const struct tracefs *tracefs)
{
	_cleanup_free_ char *path = mem_printf("%s/proc", root);
	_cleanup_closedir_ DIR *dir = path ? opendir(path) : NULL;
	bool refused = false;

	if (!path) {
		state->no_memory = true;
		return;
	}
	if (!dir) {
		state_unseen(state, "processes", negative_errno());
		return;
	}
	for (struct dirent *entry; (entry = readdir(dir));) {
		int r;

		if (!isdigit((unsigned char)entry->d_name[0]) ||
		    (!*root && strtol(entry->d_name, NULL, 10) == getpid()))
			continue;
		r = read_process(state, dirfd(dir), entry->d_name, root, tracefs);
		refused |= r == -EACCES || r == -EPERM;
	}
	if (refused)
		state_unseen(state, "files of other users' processes", -EACCES);
}
