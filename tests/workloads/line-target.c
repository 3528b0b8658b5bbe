/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For probes on source lines: prints the lines, and the values of the variables there. Built without
 * optimization, so that all variables have a location.
 *
 * usage: line-target COUNT
 *
 *	LOOP N, EMPTY N, INLINE N, FIRST N	line numbers; EMPTY has no code, INLINE is
 *						inlined into two functions, FIRST is the first of a function
 *	loop I SUM TEXT NAME DEEP TOTAL	COUNT times: at LOOP
 *	inline VALUE				2 * COUNT times: at INLINE
 */
#include <stdio.h>
#include <stdlib.h>

enum colour {
	COLOUR_RED,
	COLOUR_GREEN = 5,
	COLOUR_BLUE,
};

struct item {
	int n;
	char name[16];
	struct item *next;
};

static struct item last = { 7, "last", NULL };
long line_total;
int line_work(int count, const char *text);
int line_more(int count);
int line_paint(enum colour colour);

enum {
	INLINE = __LINE__ + 4,
};
static inline __attribute__((always_inline)) int twice(int value)
{
	line_total += value;
	return value * 2;
}

int line_paint(enum colour colour)
{
	return colour == COLOUR_GREEN;
}

enum {
	FIRST = __LINE__ + 3,
};
int line_work(int count, const char *text)
{
	struct item item = { 0, "item", &last };
	int sum = 0;
	enum {
		EMPTY = __LINE__,
		LOOP = __LINE__ + 4,
	};

	for (int i = 0; i < count; i++) {
		item.n = -i;
		sum += twice(i);
		printf("loop %d %d %s %s %d %ld\ninline %d\n", i, sum - 2 * i, text, item.name,
		       item.next->n, line_total - i, i);
		last.n += 3;
	}
	printf("LOOP %d\nEMPTY %d\nINLINE %d\nFIRST %d\n", LOOP, EMPTY, INLINE, FIRST);
	return sum + item.n;
}

int line_more(int count)
{
	int sum = 0;

	while (count-- > 0) {
		printf("inline %d\n", count);
		sum += twice(count);
	}
	return sum;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
	int sum = line_work(count, "some text");

	sum += line_more(count);
	for (int i = 0; i < count; i++)
		sum += line_paint((enum colour)(COLOUR_GREEN + i));
	return sum == -1;
}
