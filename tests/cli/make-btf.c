/* SPDX-License-Identifier: GPL-2.0-or-later */
/* make-btf DIR: writes the types of types-sample.c, as in the kernel's /sys/kernel/btf. */
#include <fcntl.h>

#include "types-sample.h"

int main(int argc, char **argv)
{
	int dir = argc == 2 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;

	return dir >= 0 && types_sample_write(dir) == 0 ? 0 : 1;
}
