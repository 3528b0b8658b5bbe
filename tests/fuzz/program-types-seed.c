/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program whose debug information contains all kinds of types, as a seed of the fuzz target
 * 'program-types'. It is never run.
 */

enum kind {
	KIND_NONE,
	KIND_ONE = 1,
	KIND_MINUS = -1
};

union value {
	long number;
	double real;
	char text[8];
};

struct pair {
	short first, second;
};

typedef struct list {
	struct list *next;
	enum kind kind;
	unsigned bits : 3, more : 5;
	union value value;
	struct pair pair[2];
	struct {
		const volatile int inner;
	};
	int (*call)(struct list *restrict list, union value value);
	_Bool is_last;
} list_t;

list_t head;
static long count;
static __thread int own;

__attribute__((noinline)) long add(long a, int b)
{
	long sum = a + b;

	count += sum;
	return sum;
}

static inline int twice(int x)
{
	int y = 2 * x;

	return y;
}

__attribute__((noinline)) enum kind walk(const list_t *list, unsigned n)
{
	enum kind kind = KIND_NONE;

	for (unsigned i = 0; list && i < n; i++) {
		const struct pair *pair = &list->pair[i & 1];

		kind = pair->first ? list->kind : KIND_MINUS;
		list = list->next;
	}
	return kind;
}

__attribute__((noinline)) int deep(char *text, int n)
{
	char copy[16];
	int left = n;

	while (left-- > 0) {
		int at = twice(left) & 15;

		copy[at] = text[left];
		own += copy[at];
	}
	return own;
}

__attribute__((noinline)) union value choose(struct pair pair, float real)
{
	union value value = { .number = pair.first };

	value.real += real;
	return value;
}

void _start(void)
{
	char text[4] = "abc";
	union value value = choose(head.pair[0], 1.5F);

	add(deep(text, 3), (int)value.number);
	walk(&head, 3);
}
