/* SPDX-License-Identifier: GPL-2.0-or-later */
/* examples FILE: checks that every filter in the manual between ``` lines can be parsed. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "read/filter.h"

static bool reads(const char *text)
{
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	struct filter *filter;
	int r = filter_parse(text, &arena, &filter, &err);

	if (r < 0)
		printf("%s\n%*s^ %s\n", text, (int)err.offset, "", fathom_err_text(&err));
	arena_done(&arena);
	return r == 0;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
	bool quoted = false, grammar = false;
	unsigned good = 0, bad = 0;
	char line[1024];

	if (!f) {
		fprintf(stderr, "usage: examples FILE\n");
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		if (line[0] == '#')
			grammar = strcmp(line, "# GRAMMAR") == 0;
		else if (strcmp(line, "```") == 0)
			quoted = !quoted;
		else if (quoted && !grammar && reads(line))
			good++;
		else if (quoted && !grammar)
			bad++;
	}
	fclose(f);
	printf("%u examples, %u cannot be read\n", good + bad, bad);
	return bad || good < 10;
}
