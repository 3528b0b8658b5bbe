/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "temp-file.h"

#include <stdlib.h>
#include <unistd.h>

static char path[] = "/tmp/fathom-test-XXXXXX";
const char *const temp_path = path;

int temp_file_setup(void **state)
{
	int fd = mkstemp(path);

	return fd < 0 ? -1 : close(fd);
}

int temp_file_teardown(void **state)
{
	return unlink(path);
}
