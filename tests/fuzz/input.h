/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of the fuzzer as a file, for code that reads files. */
#ifndef FATHOM_TESTS_FUZZ_INPUT_H
#define FATHOM_TESTS_FUZZ_INPUT_H

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns a new file with these bytes, open for reading and writing. */
static inline int fuzz_file(const uint8_t *data, size_t size)
{
	int fd = memfd_create("trace", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

#endif
