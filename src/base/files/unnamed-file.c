/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "base/files/unnamed-file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"

static int open_in(const char *dir)
{
	_cleanup_free_ char *name = NULL;
	int fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	/* Not all file systems support O_TMPFILE. */
	name = mem_printf("%s/fathom-XXXXXX", dir);
	if (!name)
		return -ENOMEM;
	fd = mkostemp(name, O_CLOEXEC);
	if (fd < 0)
		return negative_errno();
	unlink(name);
	return fd;
}

int unnamed_file_open(struct fathom_err *err)
{
	const char *dir = getenv("TMPDIR");
	int fd = open_in(dir && *dir ? dir : "/var/tmp");

	if (fd < 0 && fd != -ENOMEM && (!dir || !*dir))
		fd = open_in("/tmp");
	if (fd == -ENOMEM)
		return err_nomem(err);
	if (fd < 0)
		return err_set_errno(err, fd,
				     "cannot create a temporary file in '%s' (set TMPDIR to use "
				     "another directory)",
				     dir && *dir ? dir : "/var/tmp");
	return fd;
}
