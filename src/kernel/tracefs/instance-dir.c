/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "kernel/tracefs/instance-dir.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/negative-errno.h"

static int open_instances(int tracefs)
{
	int fd = openat(tracefs, "instances", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? negative_errno() : fd;
}

bool instance_name_is_valid(const char *name)
{
	return *name && *name != '.' && strlen(name) <= NAME_MAX && !strpbrk(name, "/\n");
}

int instance_dir_make(int tracefs, const char *name)
{
	_cleanup_close_ int instances = open_instances(tracefs);

	if (!instance_name_is_valid(name))
		return -EINVAL;
	if (instances < 0)
		return instances;
	return mkdirat(instances, name, 0750) < 0 ? negative_errno() : 0;
}

int instance_dir_open(int tracefs, const char *name)
{
	_cleanup_close_ int instances = open_instances(tracefs);
	int fd;

	if (!instance_name_is_valid(name))
		return -EINVAL;
	if (instances < 0)
		return instances;
	fd = openat(instances, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? negative_errno() : fd;
}

/* An instance that cannot be removed yet should at least not trace. */
static void instance_dir_switch_off(int tracefs, const char *name)
{
	_cleanup_close_ int dir = instance_dir_open(tracefs, name);

	if (dir < 0)
		return;
	file_write(dir, "tracing_on", 0, "0");
	file_write(dir, "events/enable", 0, "0");
	file_write(dir, "current_tracer", 0, "nop");
}

int instance_dir_remove(int tracefs, const char *name, unsigned wait_ms)
{
	_cleanup_close_ int instances = open_instances(tracefs);
	unsigned step_ms = 1;

	if (!instance_name_is_valid(name))
		return -EINVAL;
	if (instances < 0)
		return instances;
	for (unsigned waited = 0;; waited += step_ms, step_ms = step_ms < 50 ? step_ms * 2 : 50) {
		if (unlinkat(instances, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (errno != EBUSY && errno != EINTR)
			return negative_errno();
		if (waited == 0)
			instance_dir_switch_off(tracefs, name);
		if (waited >= wait_ms)
			return -EBUSY;
		nanosleep(&(struct timespec){ .tv_nsec = (long)step_ms * 1000000 }, NULL);
	}
}
