/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks that need a private tracing instance. It is created once for all of them, does not record,
 * and is removed before the first answer. The top level is not touched. No tracer is selected: an
 * instance lists those that it supports, and selecting one patches kernel code, which takes long.
 *
 * A child creates and removes the instance, so that it is removed even if we are killed. This also
 * avoids a warning of some kernels about a failed allocation, if a process is killed while it
 * creates an instance.
 */
#include "kernel/features/probe.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/negative-errno.h"
#include "base/str.h"

static int try_map(int dirfd)
{
	_cleanup_close_ int fd =
		openat(dirfd, "per_cpu/cpu0/trace_pipe_raw", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	void *p;

	if (fd < 0)
		return negative_errno();
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return negative_errno();
	munmap(p, size);
	return 0;
}

static void ask_inside(int dirfd, struct instance_answers *answers)
{
	_cleanup_strbuf_ struct strbuf tracers = { 0 };

	file_write(dirfd, "tracing_on", 0, "0");
	if (file_read(dirfd, "available_tracers", &tracers) == 0)
		answers->lists_graph = str_has_word(strbuf_str(&tracers), " \n", "function_graph");
	answers->mapped = try_map(dirfd);
}

/* Retries while another process, such as an indexer, has one of its files open. */
static void remove_instance(int instances, const char *name)
{
	for (int tries = 0; tries < 50; tries++) {
		if (unlinkat(instances, name, AT_REMOVEDIR) == 0 || errno != EBUSY)
			return;
		usleep(20000);
	}
}

/* Runs in the child, with all signals blocked and without a controlling terminal. */
static void make_and_ask(int instances, const char *name, struct instance_answers *answers)
{
	int dirfd;

	setsid();
	if (mkdirat(instances, name, 0700) < 0) {
		answers->made = negative_errno();
		return;
	}
	dirfd = openat(instances, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dirfd >= 0) {
		ask_inside(dirfd, answers);
		close(dirfd);
	}
	remove_instance(instances, name);
	answers->made = 0;
}

/* Returns 0, with the results in @shared, or a negative errno if no child could be started. */
static int ask_in_child(int instances, const char *name, struct instance_answers *shared)
{
	sigset_t old;
	pid_t pid;
	int r = 0;

	signals_block(&old);
	pid = fork();
	if (pid == 0) {
		make_and_ask(instances, name, shared);
		_exit(0);
	}
	if (pid < 0)
		r = negative_errno();
	/* If SIGCHLD is ignored, this fails with ECHILD after the child has exited. */
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	signals_restore(&old);
	return r;
}

static void ask_all(struct asker *asker)
{
	struct instance_answers *answers = &asker->instance, *shared;
	_cleanup_close_ int instances = -1;
	int r;

	if (answers->asked)
		return;
	*answers = (struct instance_answers){ .asked = true, .made = 1, .mapped = 1 };
	instances = openat(asker->tracefs.fd, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (instances < 0) {
		answers->made = negative_errno();
		return;
	}
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (shared == MAP_FAILED) {
		answers->made = negative_errno();
		return;
	}
	*shared = *answers;
	r = ask_in_child(instances, asker->name, shared);
	*answers = *shared;
	if (r < 0)
		answers->made = r;
	else if (answers->made > 0)
		answers->made = -ECHILD; /* the child was killed before it could answer */
	munmap(shared, sizeof(*shared));
}

/* Returns false, with the answer set, if no instance could be created. */
static bool have_instance(struct asker *asker, struct fathom_feature *answer)
{
	ask_all(asker);
	if (asker->instance.made == 0)
		return true;
	answer_from_errno(asker, answer, asker->instance.made, "creating an instance");
	return false;
}

void ask_instances(struct asker *asker, const struct question *question,
		   struct fathom_feature *answer)
{
	if (have_instance(asker, answer))
		answer_set(asker, answer, FATHOM_FEATURE_YES, "creating and removing one", "");
}

void ask_graph_instance(struct asker *asker, const struct question *question,
			struct fathom_feature *answer)
{
	const struct instance_answers *answers = &asker->instance;

	if (!have_instance(asker, answer))
		return;
	if (!answers->lists_graph)
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   "not listed in an instance's available_tracers",
			   "function_graph is limited to the top-level buffer");
	else
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   "listed in an instance's available_tracers", "");
}

void ask_ring_mmap(struct asker *asker, const struct question *question,
		   struct fathom_feature *answer)
{
	if (!have_instance(asker, answer))
		return;
	answer_from_errno(asker, answer, asker->instance.mapped,
			  "mapping the buffer of an instance");
	if (asker->instance.mapped == -ENODEV || asker->instance.mapped == -EINVAL)
		answer->why = "the kernel is too old";
}

/* An instance whose buffer survives a reboot has the file last_boot_info. */
static bool has_persistent(int instances)
{
	int copy = openat(instances, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	char path[512];

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return false;
	}
	for (struct dirent *entry; (entry = readdir(dir));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/last_boot_info", entry->d_name);
		if (faccessat(instances, path, F_OK, 0) == 0)
			return true;
	}
	return false;
}

void ask_ring_persistent(struct asker *asker, const struct question *question,
			 struct fathom_feature *answer)
{
	_cleanup_close_ int instances =
		openat(asker->tracefs.fd, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int can;

	if (instances >= 0 && has_persistent(instances)) {
		answer_set(asker, answer, FATHOM_FEATURE_YES, "an instance has last_boot_info", "");
		return;
	}
	can = kernel_names(asker, question->arg);
	if (can < 0) {
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN,
			   "looked for an instance with last_boot_info",
			   "no such instance, and the kernel's symbols are not visible");
	} else if (can) {
		answer_set(asker, answer, FATHOM_FEATURE_LIMITED,
			   asker_text(asker,
				      "the kernel has %s, but no instance has last_boot_info",
				      question->arg),
			   "needs memory reserved at boot (reserve_mem, trace_instance)");
		answer->fix = "boot parameters reserve_mem=20M:4096:trace "
			      "trace_instance=boot@trace";
	} else {
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   asker_text(asker, "the kernel has no %s", question->arg),
			   "the kernel is too old");
	}
}

void remove_dead_instances(struct asker *asker)
{
	_cleanup_close_ int instances =
		openat(asker->tracefs.fd, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int copy = instances < 0 ? -1 : openat(instances, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *dir = copy < 0 ? NULL : fdopendir(copy);

	if (!dir) {
		if (copy >= 0)
			close(copy);
		return;
	}
	for (struct dirent *entry; (entry = readdir(dir));)
		if (is_dead_name(asker, entry->d_name))
			unlinkat(instances, entry->d_name, AT_REMOVEDIR);
}
