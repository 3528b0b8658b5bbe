/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiles a filter's tree for one format. Code is generated from the end of the filter to its
 * beginning: each condition is given the targets for success and failure, which exist already, and
 * returns its entry point. A condition with a constant result for the format needs no code: its
 * entry point is the corresponding target.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "read/filter/filter-compile.h"

#define SIGN (1ULL << 63)

/* The targets of a condition, and whether it is negated. */
struct way {
	uint16_t yes;
	uint16_t no;
	bool negated;
};

static uint16_t compile_node(struct filter_compiler *compiler, struct filter_node *node,
			     struct way way);

static void filter_compile_fail(struct filter_compiler *compiler, int code)
{
	if (!compiler->error)
		compiler->error = code;
}

/* The condition has the constant result @holds for all events of the format. */
static uint16_t filter_compile_certain(struct way way, bool holds)
{
	return holds != way.negated ? way.yes : way.no;
}

/*
 * The event lacks an operand, so neither the comparison nor its negation matches. For trace-cmd,
 * the comparison is false and its negation is true.
 */
static uint16_t filter_compile_absent(const struct filter_compiler *compiler, struct way way)
{
	return compiler->filter->prefixed ? filter_compile_certain(way, false) : way.no;
}

static uint16_t filter_compile_misfit(struct filter_compiler *compiler, struct filter_node *node,
				      const char *why, struct way way)
{
	if (why && !node->misfit)
		node->misfit = why;
	return filter_compile_absent(compiler, way);
}

static uint16_t filter_compile_emit(struct filter_compiler *compiler, struct filter_test *test,
				    struct way way)
{
	if (way.yes == way.no)
		return way.no;
	if (compiler->n + 1 >= FILTER_REJECT) {
		filter_compile_fail(compiler, err_set(compiler->err, -E2BIG, "filter too long"));
		return way.no;
	}
	if (mem_reserve(&compiler->tests, &compiler->cap, compiler->n + 1, sizeof(*test)) < 0) {
		filter_compile_fail(compiler, err_nomem(compiler->err));
		return way.no;
	}
	test->negated ^= way.negated;
	test->on_true = way.yes;
	test->on_false = way.no;
	compiler->tests[compiler->n] = *test;
	return (uint16_t)compiler->n++;
}

/* Also zeroes padding, because equal programs are found by comparing memory. */
static struct filter_test *test_init(struct filter_test *test, enum filter_test_code code)
{
	memset(test, 0, sizeof(*test));
	test->code = (uint8_t)code;
	return test;
}

/*
 * Returns the range of numbers that compare with @number according to @op. False: there are none.
 */
static bool find_bounds(enum filter_op op, uint64_t number, uint64_t *ret_lo, uint64_t *ret_hi)
{
	*ret_lo = 0;
	*ret_hi = UINT64_MAX;
	switch (op) {
	case FILTER_LT:
		*ret_hi = number - 1;
		return number != 0;
	case FILTER_LE:
		*ret_hi = number;
		return true;
	case FILTER_GT:
		*ret_lo = number + 1;
		return number != UINT64_MAX;
	case FILTER_GE:
		*ret_lo = number;
		return true;
	default:
		*ret_lo = *ret_hi = number;
		return true;
	}
}

static uint64_t filter_compile_narrow(uint64_t number, unsigned size)
{
	return size > 0 && size < 8 ? number & (UINT64_MAX >> (64 - 8 * size)) : number;
}

/*
 * Compares a number with a constant. Values compare as signed numbers, unless the constant exceeds
 * the largest signed number, such as an address: then the comparison is unsigned, and -1 equals an
 * unsigned field with all bits set.
 */
static uint16_t emit_range(struct filter_compiler *compiler, const struct filter_value *value,
			   enum filter_op op, const struct filter_value *constant, struct way way)
{
	bool negative = !constant->wide && (int64_t)constant->number < 0;
	bool as_signed = !value->wide && !constant->wide;
	uint64_t number = constant->number;
	struct filter_test test;
	uint64_t lo, hi;

	test_init(&test, TEST_RANGE)->value = *value;
	if (op == FILTER_NE)
		test.negated = true;
	if ((op == FILTER_EQ || op == FILTER_NE) && negative && !value->is_signed &&
	    value->source == SOURCE_FIXED)
		number = filter_compile_narrow(number, value->size);
	if (as_signed)
		number ^= SIGN;
	/* No unsigned number is less than a negative one. */
	if (value->wide && negative && op != FILTER_EQ && op != FILTER_NE) {
		test.span = UINT64_MAX;
		test.negated = op == FILTER_LT || op == FILTER_LE;
		return filter_compile_emit(compiler, &test, way);
	}
	test.op = as_signed;
	if (find_bounds(op, number, &lo, &hi)) {
		test.lo = lo;
		test.span = hi - lo;
	} else {
		test.span = UINT64_MAX;
		test.negated = true;
	}
	return filter_compile_emit(compiler, &test, way);
}

static uint16_t emit_pair(struct filter_compiler *compiler, const struct filter_value *left,
			  enum filter_op op, const struct filter_value *right, struct way way)
{
	struct filter_value *other;
	struct filter_test test;

	if (right->source == SOURCE_NUMBER)
		return emit_range(compiler, left, op, right, way);
	other = arena_alloc(compiler->filter->arena, sizeof(*other));
	if (!other) {
		filter_compile_fail(compiler, err_nomem(compiler->err));
		return way.no;
	}
	*other = *right;
	test_init(&test, TEST_PAIR)->value = *left;
	test.op = (uint8_t)op;
	test.other = other;
	return filter_compile_emit(compiler, &test, way);
}

/* Returns the text of @node, the right operand, as a pattern. */
static const struct pattern *pattern_of(struct filter_compiler *compiler, struct filter_node *node)
{
	int r;

	if (!node->pattern) {
		r = pattern_compile(compiler->filter->arena, PATTERN_EXACT, 0, node->text,
				    strlen(node->text), &node->pattern, compiler->err);
		if (r < 0) {
			if (r == -EINVAL && compiler->err)
				compiler->err->offset = node->offset;
			filter_compile_fail(compiler, r);
		}
	}
	return node->pattern;
}

static bool is_text_op(enum filter_op op)
{
	return op == FILTER_EQ || op == FILTER_NE || op >= FILTER_GLOB;
}

static bool is_opposite(enum filter_op op)
{
	return op == FILTER_NE || op == FILTER_NOT_REGEX;
}

static uint16_t compare_text(struct filter_compiler *compiler, const struct filter_operand *left,
			     struct filter_node *node, enum filter_op op, struct filter_node *right,
			     struct way way)
{
	const struct event_field *same = NULL;
	struct filter_test test;

	if (!is_text_op(op))
		return filter_compile_misfit(
			compiler, node, "compares texts, which only ==, !=, ~, =~, !~ and 'in' can",
			way);
	if (right->kind != FILTER_NAME && right->kind != FILTER_STRING &&
	    right->kind != FILTER_CHAR && right->kind != FILTER_NUMBER)
		return filter_compile_misfit(compiler, right,
					     "is a number, but is compared with text", way);
	if (right->kind == FILTER_NAME && left->field && op < FILTER_GLOB) {
		same = event_field_find(compiler->format, right->text);
		if (same && same->kind != EVENT_FIELD_STRING)
			same = NULL;
	}
	right->found = true;
	if (right->kind == FILTER_NAME && !same && op < FILTER_GLOB &&
	    pattern_is_glob(right->text, strlen(right->text)))
		return filter_compile_misfit(
			compiler, right, "is a pattern: compare with ~, or put it in quotes", way);
	test_init(&test, same ? TEST_SAME_TEXT : TEST_TEXT)->negated = is_opposite(op);
	test.field = left->field;
	test.text = left->text;
	if (same)
		test.value.field = same;
	else
		test.pattern = pattern_of(compiler, right);
	if (compiler->error)
		return way.no;
	node->found = true;
	if (left->kind == OPERAND_WORD)
		return filter_compile_certain(way,
					      pattern_match(test.pattern, left->word,
							    strlen(left->word)) != test.negated);
	return filter_compile_emit(compiler, &test, way);
}

/* Compares an address with the name of a function. */
static uint16_t compare_function(struct filter_compiler *compiler,
				 const struct filter_operand *left, struct filter_node *node,
				 enum filter_op op, struct filter_node *right, struct way way)
{
	struct filter *filter = compiler->filter;
	struct filter_test test;

	node->found = true;
	test_init(&test, TEST_ADDRESS)->value = left->value;
	test.negated = is_opposite(op);
	if (op >= FILTER_GLOB || str_after(right->text, "0x")) {
		right->found = true;
		test.code = TEST_FUNCTION;
		if (!pattern_of(compiler, right))
			return way.no;
		if (filter_cache_new(filter, right->pattern, &right->cache) < 0)
			filter_compile_fail(compiler, err_nomem(compiler->err));
		test.cache = right->cache;
		return filter_compile_emit(compiler, &test, way);
	}
	if (filter_function_find(filter, &right->functions, right->text) < 0) {
		filter_compile_fail(compiler, err_nomem(compiler->err));
		return way.no;
	}
	if (right->functions->n > 0 || (filter->prefixed && right->kind != FILTER_NAME))
		right->found = true;
	else
		right->misfit = "is not a function name";
	test.list = right->functions->ranges;
	test.n = right->functions->n;
	return filter_compile_emit(compiler, &test, way);
}

/* Parses a number in quotes, or a character. False: it is neither. */
static bool number_in_quotes(const struct filter_node *node, struct filter_value *ret)
{
	char *end;

	*ret = (struct filter_value){ .source = SOURCE_NUMBER };
	if (node->kind == FILTER_CHAR && node->text[0] && !node->text[1]) {
		ret->number = (unsigned char)node->text[0];
		return true;
	}
	if (node->text[0] < '0' || node->text[0] > '9')
		return false;
	errno = 0;
	ret->number = strtoull(node->text, &end, 0);
	ret->wide = ret->number > INT64_MAX;
	return !*end && errno == 0;
}

/* Compares a number other than an address with a quoted text. */
static uint16_t compare_hex(struct filter_compiler *compiler, const struct filter_operand *left,
			    struct filter_node *node, enum filter_op op, struct filter_node *right,
			    struct way way)
{
	struct filter_value number;
	struct filter_test test;

	if (op < FILTER_GLOB && number_in_quotes(right, &number)) {
		node->found = true;
		return emit_range(compiler, &left->value, op, &number, way);
	}
	/* trace-cmd formats the number as "0x1f" and compares the texts. */
	if (!is_text_op(op) || op == FILTER_GLOB ||
	    (op < FILTER_GLOB && !compiler->filter->prefixed))
		return filter_compile_misfit(compiler, node, "compares a number with text", way);
	node->found = true;
	test_init(&test, TEST_TEXT)->value = left->value;
	test.negated = is_opposite(op);
	test.text = TEXT_HEX;
	test.pattern = pattern_of(compiler, right);
	return compiler->error ? way.no : filter_compile_emit(compiler, &test, way);
}

/* Converts the right operand to the unit of the left one. */
static bool filter_compile_set_unit(struct filter_compiler *compiler,
				    const struct filter_operand *left, struct filter_node *right,
				    struct filter_value *value)
{
	if (right->kind != FILTER_NUMBER ||
	    (right->unit != FILTER_UNIT_NONE && right->unit != FILTER_UNIT_DECIMAL))
		return true;
	if (left->unit == OPERAND_SECONDS) {
		value->number = right->as_seconds;
		value->wide = value->number > INT64_MAX;
	} else if (right->unit == FILTER_UNIT_DECIMAL ||
		   (left->unit == OPERAND_NEEDS_UNIT && right->number != 0)) {
		filter_compile_misfit(compiler, right, "needs a unit, such as us or ms",
				      (struct way){ 0 });
		return false;
	}
	return true;
}

static uint16_t compare_number(struct filter_compiler *compiler, struct filter_operand *left,
			       struct filter_node *node, enum filter_op op,
			       struct filter_node *right, struct way way)
{
	struct filter_operand other;

	if (right->kind == FILTER_STRING || right->kind == FILTER_CHAR || op >= FILTER_GLOB) {
		if (!is_text_op(op) && !(right->kind == FILTER_CHAR))
			return filter_compile_misfit(
				compiler, node,
				"compares texts, which only ==, !=, ~, =~, !~ and 'in' can", way);
		return left->address && !(right->kind == FILTER_CHAR && !right->text[1]) ?
			       compare_function(compiler, left, node, op, right, way) :
			       compare_hex(compiler, left, node, op, right, way);
	}
	other = filter_operand_read(compiler, right);
	if (other.kind == OPERAND_ABSENT && right->kind == FILTER_NAME && left->address &&
	    (op == FILTER_EQ || op == FILTER_NE))
		return compare_function(compiler, left, node, op, right, way);
	if (other.kind == OPERAND_ABSENT)
		return filter_compile_absent(compiler, way);
	if (other.kind != OPERAND_NUMBER)
		return filter_compile_misfit(
			compiler, right,
			other.misfit ? NULL : "is text, but is compared with a number", way);
	if (!filter_compile_set_unit(compiler, left, right, &other.value))
		return filter_compile_absent(compiler, way);
	node->found = true;
	return emit_pair(compiler, &left->value, op, &other.value, way);
}

static uint16_t filter_compile_compare_with(struct filter_compiler *compiler,
					    struct filter_operand *left, struct filter_node *node,
					    enum filter_op op, struct filter_node *right,
					    struct way way)
{
	switch (left->kind) {
	case OPERAND_NUMBER:
		return compare_number(compiler, left, node, op, right, way);
	case OPERAND_TEXT:
	case OPERAND_WORD:
		return compare_text(compiler, left, node, op, right, way);
	default:
		return filter_compile_absent(compiler, way);
	}
}

static bool filter_compile_has_name(const struct filter_node *node)
{
	if (node->kind == FILTER_NAME)
		return true;
	for (const struct filter_node *child = node->first; child; child = child->next)
		if (filter_compile_has_name(child))
			return true;
	return false;
}

static enum filter_op mirror(enum filter_op op)
{
	switch (op) {
	case FILTER_LT:
		return FILTER_GT;
	case FILTER_LE:
		return FILTER_GE;
	case FILTER_GT:
		return FILTER_LT;
	case FILTER_GE:
		return FILTER_LE;
	default:
		return op;
	}
}

static uint16_t compile_compare(struct filter_compiler *compiler, struct filter_node *node,
				struct way way)
{
	struct filter_node *left = node->first, *right = node->last;
	enum filter_op op = node->op;
	struct filter_operand operand;

	if (!filter_compile_has_name(left)) {
		left = node->last;
		right = node->first;
		op = mirror(op);
	}
	operand = filter_operand_read(compiler, left);
	return filter_compile_compare_with(compiler, &operand, node, op, right, way);
}

static int compare_numbers(const void *a, const void *b)
{
	uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

/* Returns whether an "in" list only contains numbers, and sorts these; once for all formats. */
static bool has_numbers(struct filter_compiler *compiler, struct filter_node *node)
{
	size_t n = 0;
	uint64_t *list;

	if (node->numbers)
		return true;
	for (const struct filter_node *item = node->first->next; item; item = item->next, n++)
		if (item->kind != FILTER_NUMBER || item->unit == FILTER_UNIT_DECIMAL)
			return false;
	list = arena_zalloc(compiler->filter->arena, n, sizeof(*list));
	if (!list) {
		filter_compile_fail(compiler, err_nomem(compiler->err));
		return false;
	}
	n = 0;
	for (const struct filter_node *item = node->first->next; item; item = item->next)
		list[n++] = item->number;
	qsort(list, n, sizeof(*list), compare_numbers);
	node->numbers = list;
	node->n_numbers = n;
	return true;
}

static uint16_t compile_in(struct filter_compiler *compiler, struct filter_node *node,
			   struct way way)
{
	struct filter_operand left = filter_operand_read(compiler, node->first);
	/* "Not in the list" means different from the first and from the second, ... */
	uint16_t at = way.negated ? way.yes : way.no;
	struct filter_test test;

	if (left.kind == OPERAND_NUMBER && left.unit == OPERAND_PLAIN &&
	    has_numbers(compiler, node)) {
		node->found = true;
		test_init(&test, TEST_LIST)->value = left.value;
		test.list = node->numbers;
		test.n = node->n_numbers;
		return filter_compile_emit(compiler, &test, way);
	}
	if (left.kind != OPERAND_NUMBER && left.kind != OPERAND_TEXT && left.kind != OPERAND_WORD)
		return filter_compile_absent(compiler, way);
	for (struct filter_node *item = node->last; item != node->first && !compiler->error;
	     item = item->prev)
		at = filter_compile_compare_with(compiler, &left, node, FILTER_EQ, item,
						 (struct way){ .yes = way.negated ? at : way.yes,
							       .no = way.negated ? way.no : at,
							       .negated = way.negated });
	return at;
}

static uint16_t compile_truth(struct filter_compiler *compiler, struct filter_node *node,
			      struct way way)
{
	static const struct filter_value zero = { .source = SOURCE_NUMBER };
	struct filter_operand operand = filter_operand_read(compiler, node->first);

	if (operand.kind != OPERAND_NUMBER)
		return filter_compile_absent(compiler, way);
	node->found = true;
	if (operand.value.source == SOURCE_NUMBER)
		return filter_compile_certain(way, operand.value.number != 0);
	return emit_range(compiler, &operand.value, FILTER_NE, &zero, way);
}

/* For an event of a function tracer, a word can be the name of the function. */
static uint16_t compile_function(struct filter_compiler *compiler, struct filter_pattern *pattern,
				 struct way way)
{
	struct filter *filter = compiler->filter;
	struct filter_test test;
	int r;

	memset(&test, 0, sizeof(test));
	if (pattern->system || !filter_name_function(compiler->format, &test.value))
		return filter_compile_certain(way, false);
	if (pattern->regex || pattern_is_glob(pattern->name, strlen(pattern->name))) {
		r = filter_cache_new(filter, pattern->name_pattern, &pattern->cache);
		test.code = TEST_FUNCTION;
		test.cache = pattern->cache;
	} else {
		r = filter_function_find(filter, &pattern->functions, pattern->name);
		test.code = TEST_ADDRESS;
		test.list = r == 0 ? pattern->functions->ranges : NULL;
		test.n = r == 0 ? pattern->functions->n : 0;
		if (test.n > 0)
			pattern->found = true;
	}
	if (r < 0) {
		filter_compile_fail(compiler, err_nomem(compiler->err));
		return way.no;
	}
	return filter_compile_emit(compiler, &test, way);
}

static uint16_t compile_events(struct filter_compiler *compiler, struct filter_node *node,
			       struct way way)
{
	uint16_t at = way.negated ? way.yes : way.no;
	bool fits = false;

	/* Try all of them, to learn for each whether it matches any event. */
	for (struct filter_pattern *p = node->events; p; p = p->next)
		fits |= filter_pattern_fits(p, compiler->format);
	if (fits)
		return filter_compile_certain(way, true);
	for (struct filter_pattern *p = node->events; p && !compiler->error; p = p->next)
		at = compile_function(compiler, p,
				      (struct way){ .yes = way.negated ? at : way.yes,
						    .no = way.negated ? way.no : at,
						    .negated = way.negated });
	return at;
}

static uint16_t compile_children(struct filter_compiler *compiler, struct filter_node *node,
				 struct way way)
{
	/* De Morgan: not (a and b) is (not a) or (not b). */
	bool all = (node->kind == FILTER_AND) != way.negated;
	uint16_t at = all ? way.yes : way.no;

	for (struct filter_node *child = node->last; child && !compiler->error; child = child->prev)
		at = compile_node(compiler, child,
				  (struct way){ .yes = all ? at : way.yes,
						.no = all ? way.no : at,
						.negated = way.negated });
	return at;
}

static uint16_t compile_node(struct filter_compiler *compiler, struct filter_node *node,
			     struct way way)
{
	switch (node->kind) {
	case FILTER_AND:
	case FILTER_OR:
		return compile_children(compiler, node, way);
	case FILTER_NOT:
		way.negated = !way.negated;
		return compile_node(compiler, node->first, way);
	case FILTER_COMPARE:
		return compile_compare(compiler, node, way);
	case FILTER_IN:
		return compile_in(compiler, node, way);
	case FILTER_TRUTH:
		return compile_truth(compiler, node, way);
	default:
		return compile_events(compiler, node, way);
	}
}

uint16_t filter_compile(struct filter_compiler *compiler)
{
	const struct filter *filter = compiler->filter;
	bool fits = !filter->events;

	for (struct filter_pattern *p = filter->events; p && !fits; p = p->next)
		fits = filter_pattern_fits(p, compiler->format);
	if (!fits)
		return FILTER_REJECT;
	if (!filter->root)
		return FILTER_ACCEPT;
	return compile_node(compiler, filter->root,
			    (struct way){ .yes = FILTER_ACCEPT, .no = FILTER_REJECT });
}
