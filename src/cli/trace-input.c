/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/trace-input.h"

#include <errno.h>
#include <fcntl.h>

#include "base/err.h"

int trace_input_open(const char *path, struct fathom_err *err)
{
	/* Without O_NONBLOCK a pipe would keep us waiting for a writer, only to be refused. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	return fd < 0 ? err_set_errno(err, -errno, "cannot open '%s'", path) : fd;
}

int trace_input_read(int fd, const char *path, unsigned flags, struct fathom_trace **ret_trace,
		     struct fathom_err *err)
{
	int r = fathom_trace_open_fd(fd, flags, ret_trace, err);

	if (r < 0)
		err_prefix(err, "cannot read '%s'", path);
	return r;
}
