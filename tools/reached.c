/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * reached.c: the library of a build with -Dfaults=true notes in the file REACHED which of its basic blocks ran, a byte
 * for each address. The file is mapped before anything else runs: a process that is confined, forked or killed counts.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

void __sanitizer_cov_trace_pc(void);

static uint8_t *blocks;
static size_t n_blocks;

__attribute__((constructor(101))) static void blocks_map(void)
{
	int fd = open(REACHED, O_RDWR | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && status.st_size > 0) {
		void *map = mmap(NULL, status.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (map != MAP_FAILED) {
			blocks = map;
			n_blocks = status.st_size;
		}
	}
	close(fd);
}

/* The compiler calls it at the begin of each block. */
void __sanitizer_cov_trace_pc(void)
{
	size_t at = (const char *)__builtin_return_address(0) - __ehdr_start;

	if (at < n_blocks)
		blocks[at] = 1;
}
