/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls its own functions with known values, passes USDT markers, and then prints what probes on them
 * should have recorded, one line each, in order.
 *
 * usage: user-probe-target COUNT [wait]
 *
 *	ints S8 S16 S32 S64 U8 U32 RESULT	COUNT times, of target_ints()
 *	text STRING SECOND POINTER RESULT	of target_text(): SECOND is list[1], RESULT a pointer
 *	memory VALUE DEEP N0 N1 N2 BITS RESULT	of target_memory(): ->value, ->inner->value, numbers[], bits
 *	point N BIG FIVE TEXT			COUNT times, of the marker fathom_test:point, at two places in turn
 *	counter N				the marker's semaphore during the call
 *
 * With "wait", it prints "ready" and waits for a line on stdin before it starts.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The contents of such a note are documented in SystemTap's wiki. */
#define MARKER(name, arguments, ...)                                                             \
	__asm__ volatile("990:	nop\n"                                                            \
			 ".pushsection .note.stapsdt,\"\",\"note\"\n"                            \
			 ".balign 4\n"                                                           \
			 ".4byte 992f-991f, 994f-993f, 3\n"                                      \
			 "991: .asciz \"stapsdt\"\n"                                             \
			 "992: .balign 4\n"                                                      \
			 "993: .8byte 990b, _.stapsdt.base, fathom_test_counter\n"               \
			 ".asciz \"fathom_test\"\n"                                              \
			 ".asciz \"" name "\"\n"                                                 \
			 ".asciz \"" arguments "\"\n"                                            \
			 "994: .balign 4\n"                                                      \
			 ".popsection\n"                                                         \
			 ".ifndef _.stapsdt.base\n"                                              \
			 ".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n" \
			 ".weak _.stapsdt.base\n"                                                \
			 ".hidden _.stapsdt.base\n"                                              \
			 "_.stapsdt.base: .space 1\n"                                            \
			 ".size _.stapsdt.base, 1\n"                                             \
			 ".popsection\n"                                                         \
			 ".endif\n"                                                              \
			 :                                                                       \
			 : __VA_ARGS__)

/* Not 0 while the markers are observed; incremented by the kernel. */
__attribute__((section(".probes"), used)) volatile unsigned short fathom_test_counter;

struct inner {
	int64_t pad;
	int value;
};

struct outer {
	uint32_t value;
	unsigned low : 3, middle : 7;
	struct inner *inner;
	int numbers[3];
};

int target_ints(signed char a, short b, int c, long d, unsigned char e, unsigned f);
const char *target_text(const char *text, char **list);
int64_t target_memory(const struct outer *outer);
void target_point_a(int n, uint64_t big, const char *text);
void target_point_b(int n, uint64_t big, const char *text);

__attribute__((noinline)) int target_ints(signed char a, short b, int c, long d, unsigned char e,
					  unsigned f)
{
	return (int)(a + b + c + d + e - (int)(f & 0xffff));
}

__attribute__((noinline)) const char *target_text(const char *text, char **list)
{
	return list[1] + (text[0] == 'x');
}

__attribute__((noinline)) int64_t target_memory(const struct outer *outer)
{
	return ((int64_t)outer->inner->value << 32) - outer->value + outer->numbers[2] +
	       outer->middle;
}

/* In a register, in memory, in the instruction. */
__attribute__((noinline)) void target_point_a(int n, uint64_t big, const char *text)
{
	volatile uint64_t in_memory = big;

	MARKER("point", "-4@%0 8@%1 -4@%2 8@%3", "r"(n), "m"(in_memory), "n"(5), "r"(text));
}

__attribute__((noinline)) void target_point_b(int n, uint64_t big, const char *text)
{
	volatile int in_memory = n;

	MARKER("point", "-4@%0 8@%1 -4@%2 8@%3", "m"(in_memory), "r"(big), "n"(5), "r"(text));
	MARKER("plain", "", "n"(0));
}

static void call_ints(FILE *told, int i)
{
	signed char a = (signed char)(i * 7);
	short b = (short)(i * -31);
	int c = i * -1000003;
	long d = (i % 2 ? -1L : 1L) * (0x123456789aL * i);
	unsigned char e = (unsigned char)(i * 3);
	unsigned f = 0xfffffff0U - (unsigned)i;

	fprintf(told, "ints %d %d %d %ld %u %u %d\n", a, b, c, d, e, f,
		target_ints(a, b, c, d, e, f));
}

static void call_text(FILE *told, int i)
{
	char text[64], second[64], *list[3] = { text, second, NULL };
	const char *result;

	snprintf(text, sizeof(text), "%ctext-%d", i % 3 ? 'x' : 'y', i);
	snprintf(second, sizeof(second), "second-%d", i);
	result = target_text(text, list);
	fprintf(told, "text %s %s %lu %lu\n", text, second, (unsigned long)text,
		(unsigned long)result);
}

static void call_memory(FILE *told, int i)
{
	struct inner inner = { .value = -i };
	struct outer outer = { .value = 0xf0000000U + (unsigned)i,
			       .low = 5,
			       .middle = (unsigned)i & 127,
			       .inner = &inner,
			       .numbers = { i, -i, i * i } };
	int64_t result = target_memory(&outer);

	fprintf(told, "memory %u %d %d %d %d %u %lld\n", outer.value, inner.value, outer.numbers[0],
		outer.numbers[1], outer.numbers[2], outer.middle, (long long)result);
}

static void pass_point(FILE *told, int i)
{
	uint64_t big = 0xfedcba9800000000ULL + (uint64_t)i;
	char text[32];

	snprintf(text, sizeof(text), "point-%d", i);
	if (i % 2)
		target_point_a(-i, big, text);
	else
		target_point_b(-i, big, text);
	fprintf(told, "point %d %llu 5 %s\n", -i, (unsigned long long)big, text);
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
	char *text = NULL, line[16];
	size_t len = 0;
	FILE *told = open_memstream(&text, &len);

	if (count <= 0 || !told) {
		fprintf(stderr, "usage: user-probe-target COUNT [wait]\n");
		return 2;
	}
	if (argc > 2) {
		puts("ready");
		fflush(stdout);
		if (!fgets(line, sizeof(line), stdin))
			return 1;
	}
	for (int i = 0; i < count; i++) {
		call_ints(told, i);
		call_text(told, i);
		call_memory(told, i);
		pass_point(told, i);
	}
	fprintf(told, "counter %u\n", fathom_test_counter);
	if (fclose(told) != 0)
		return 1;
	fwrite(text, 1, len, stdout);
	free(text);
	return fflush(stdout) ? 1 : 0;
}
