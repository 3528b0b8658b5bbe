/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * grow-file FROM TO: acts as a recorder that writes TO with the contents of FROM. A line with a
 * number lets it record that percentage of the time, 'end' finishes the file, and at the end of its
 * input it exits without finishing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grow.h"

int main(int argc, char **argv)
{
	struct fathom_err err = { 0 };
	struct grow *grow = NULL;
	char line[64];
	int r;

	if (argc != 3)
		return 2;
	r = grow_new(argv[1], argv[2], &grow, &err);
	if (r < 0) {
		fprintf(stderr, "grow-file: %s\n", fathom_err_text(&err));
		return 1;
	}
	while (r == 0 && fgets(line, sizeof(line), stdin)) {
		if (strncmp(line, "end", 3) == 0) {
			r = grow_end(grow);
			break;
		}
		r = grow_until(grow, (unsigned)strtoul(line, NULL, 10));
	}
	grow_free(grow);
	return r < 0;
}
