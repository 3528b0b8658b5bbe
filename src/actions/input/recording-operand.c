/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/input/recording-operand.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/caller.h"
#include "format/file/trace-file.h"
#include "record/command/command-path.h"

bool recording_operand_is(const char *path)
{
	_cleanup_close_ int fd = caller_open(path);
	char start[sizeof(TRACE_FILE_MAGIC) - 1];

	return fd >= 0 && read(fd, start, sizeof(start)) == sizeof(start) &&
	       memcmp(start, TRACE_FILE_MAGIC, sizeof(start)) == 0;
}

int recording_operand_check(const char *shown_by, const char *operand, struct fathom_err *err)
{
	char path[PATH_MAX];

	/* A command in PATH takes precedence over a file of that name. */
	if (!strchr(operand, '/') && command_path_find(operand, path, sizeof(path)) == 0)
		return 0;
	if (!recording_operand_is(operand))
		return 0;
	return err_set(err, -EINVAL, "'%s' is a recording, not a command: use 'fathom %s %s'",
		       operand, shown_by, operand);
}
