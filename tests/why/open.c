/* SPDX-License-Identifier: GPL-2.0-or-later */
/* open FILE: fails if FILE cannot be opened, with a message if LOUD or OWN_WORDS is defined. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
int main(int argc, char **argv)
{
	if (open(argv[1], O_RDONLY) >= 0)
		return 0;
#ifdef LOUD
	perror(argv[1]);
#endif
#ifdef OWN_WORDS
	fprintf(stderr, "not allowed to look into '%s', giving up\n", argv[1]);
#endif
	return 5;
}
