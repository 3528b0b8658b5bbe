/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls fallocate() N times, with arguments and results of many kinds, and prints for each call the
 * values that a trace of the kernel's vfs_fallocate() must show: the mode, the offset, the length,
 * and the result.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 10;
	int null = open("/dev/null", O_RDWR), file = open("fallocated", O_RDWR | O_CREAT, 0600);
	int readable = open("fallocated", O_RDONLY);

	if (null < 0 || file < 0 || readable < 0)
		return 1;
	for (long i = 0; i < n; i++) {
		/* None, ENODEV, EOPNOTSUPP, EINVAL twice, EBADF, EFBIG. */
		int fds[] = { file, null, file, file, file, readable, file };
		int fd = fds[i % 7], mode = i % 7 == 2 ? 0x40000000 + (int)i : (int)(i & 1);
		long long offset = i % 7 == 3 ? -i - 5000000000LL : i;
		long long len = i % 7 == 4 ? -i : i % 7 == 6 ? 0x7fffffffffffffffLL - i : i + 1;
		int r = fallocate(fd, mode, offset, len);

		if (r < 0)
			printf("%d %lld %lld -%s\n", mode, offset, len, strerrorname_np(errno));
		else
			printf("%d %lld %lld %d\n", mode, offset, len, r);
	}
	return 0;
}
