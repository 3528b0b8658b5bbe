// SPDX-License-Identifier: GPL-2.0-or-later
/* Fails because of a known call, after other failures that do not matter. */
#include "truth.h"

#include <sys/stat.h>

static int fail(const char *call, const char *error, const char *functions)
{
	truth("{\"fact\": \"failure\", \"name\": \"%s\", \"error\": \"%s\", \"functions\": \"%s\"}",
	      call, error, functions);
	return 1;
}

static void look_around(void)
{
	char text[64];

	for (int i = 0; i < 5; i++) {
		snprintf(text, sizeof(text), "/nosuch/directory%d", i);
		access(text, R_OK);
	}
}

/* A file that only its owner may read. */
static int denied(void)
{
	int fd = open("secret", O_CREAT | O_WRONLY, 0600);

	if (fd < 0 || chmod(".", 0755) < 0 || setresuid(65534, 65534, 65534) < 0)
		return 2;
	close(fd);
	look_around();
	if (open("secret", O_RDONLY) >= 0 || errno != EACCES)
		return 2;
	return fail("openat", "EACCES", "generic_permission acl_permission_check inode_permission");
}

static int not_empty(void)
{
	if (mkdir("full", 0700) < 0 || mkdir("full/in", 0700) < 0) {
		if (errno != EEXIST)
			return 2;
	}
	look_around();
	if (rmdir("full") == 0 || errno != ENOTEMPTY)
		return 2;
	return fail("rmdir", "ENOTEMPTY", "shmem_rmdir simple_rmdir ramfs_rmdir ext4_rmdir");
}

int main(int argc, char **argv)
{
	return IS("denied") ? denied() : IS("not-empty") ? not_empty() : no_workload(argv);
}
