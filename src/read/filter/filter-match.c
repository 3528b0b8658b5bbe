/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs compiled filters. Nothing here allocates, or modifies what other threads can see, except for
 * the caches of function names: their entries are single words, and all threads would store the
 * same values.
 */
#include <stdatomic.h>
#include <string.h>

#include "read/filter/filter-program.h"

#define SIGN (1ULL << 63)

static inline bool get_fixed(const struct filter_value *value, const struct filter_event *event,
			     uint32_t offset, uint64_t *ret)
{
	const unsigned char *p = (const unsigned char *)event->data + offset;
	uint16_t n2;
	uint32_t n4;
	uint64_t n8;

	if (offset > event->size || value->size > event->size - offset)
		return false;
	switch (value->size) {
	case 1:
		*ret = value->is_signed ? (uint64_t)(int8_t)*p : *p;
		return true;
	case 2:
		memcpy(&n2, p, sizeof(n2));
		n2 = value->swap ? __builtin_bswap16(n2) : n2;
		*ret = value->is_signed ? (uint64_t)(int16_t)n2 : n2;
		return true;
	case 4:
		memcpy(&n4, p, sizeof(n4));
		n4 = value->swap ? __builtin_bswap32(n4) : n4;
		*ret = value->is_signed ? (uint64_t)(int32_t)n4 : n4;
		return true;
	default:
		memcpy(&n8, p, sizeof(n8));
		*ret = value->swap ? __builtin_bswap64(n8) : n8;
		return true;
	}
}

static bool filter_match_divide(enum filter_op op, bool wide, uint64_t a, uint64_t b, uint64_t *ret)
{
	if (b == 0)
		return false;
	if (wide)
		*ret = op == FILTER_DIV ? a / b : a % b;
	else if (b == UINT64_MAX) /* division by -1 traps for the smallest number */
		*ret = op == FILTER_DIV ? 0 - a : 0;
	else
		*ret = (uint64_t)(op == FILTER_DIV ? (int64_t)a / (int64_t)b :
						     (int64_t)a % (int64_t)b);
	return true;
}

static bool operate(enum filter_op op, bool wide, uint64_t a, uint64_t b, uint64_t *ret)
{
	switch (op) {
	case FILTER_ADD:
		*ret = a + b;
		return true;
	case FILTER_SUB:
		*ret = a - b;
		return true;
	case FILTER_MUL:
		*ret = a * b;
		return true;
	case FILTER_BITAND:
		*ret = a & b;
		return true;
	case FILTER_BITOR:
		*ret = a | b;
		return true;
	case FILTER_XOR:
		*ret = a ^ b;
		return true;
	case FILTER_SHL:
		*ret = a << (b & 63);
		return b < 64;
	case FILTER_SHR:
		*ret = wide ? a >> (b & 63) : (uint64_t)((int64_t)a >> (b & 63));
		return b < 64;
	default:
		return filter_match_divide(op, wide, a, b, ret);
	}
}

static bool get_expr(const struct filter_env *env, const struct filter_expr *expr,
		     const struct filter_event *event, uint64_t *ret)
{
	uint64_t stack[FILTER_STACK_MAX] = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < expr->n; i++) {
		const struct filter_item *item = &expr->items[i];

		if (!item->is_op) {
			if (!filter_value_get(env, &item->value, event, &stack[n++]))
				return false;
			continue;
		}
		n--;
		if (!operate(item->op, item->wide, stack[n - 1], stack[n], &stack[n - 1]))
			return false;
	}
	*ret = stack[0];
	return true;
}

static bool get_span(const struct filter_value *value, const struct filter_event *event,
		     uint64_t *ret)
{
	uint64_t start, end;

	if (!get_fixed(value, event, value->offset, &start) ||
	    !get_fixed(value, event, value->offset_end, &end) || end < start)
		return false;
	*ret = end - start;
	return true;
}

static bool get_tgid(const struct filter_env *env, const struct filter_event *event, uint64_t *ret)
{
	int32_t tgid;

	if (!env->tgid || !env->tgid(env->arg, event, &tgid))
		return false;
	*ret = (uint64_t)tgid;
	return true;
}

bool filter_value_get(const struct filter_env *env, const struct filter_value *value,
		      const struct filter_event *event, uint64_t *ret)
{
	switch (value->source) {
	case SOURCE_FIXED:
		return get_fixed(value, event, value->offset, ret);
	case SOURCE_NUMBER:
		*ret = value->number;
		return true;
	case SOURCE_CPU:
		*ret = (uint64_t)event->cpu;
		return true;
	case SOURCE_PID:
		*ret = (uint64_t)event->pid;
		return true;
	case SOURCE_TIME:
		*ret = event->time;
		return true;
	case SOURCE_TGID:
		return get_tgid(env, event, ret);
	case SOURCE_SPAN:
		return get_span(value, event, ret);
	case SOURCE_DURATION:
		return env->duration && env->duration(env->arg, event, ret);
	case SOURCE_ELEMENT:
		return event_field_element(event->format, value->field, event->data, event->size,
					   value->offset, ret);
	default:
		return get_expr(env, value->expr, event, ret);
	}
}

static bool in_list(const uint64_t *list, size_t n, uint64_t value)
{
	size_t lo = 0;

	while (n > 0) {
		size_t half = n / 2;

		if (list[lo + half] == value)
			return true;
		if (list[lo + half] < value) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return false;
}

static bool in_ranges(const struct filter_range *ranges, size_t n, uint64_t address)
{
	size_t lo = 0;

	/* Find the last range that starts at or before the address. */
	while (n > 0) {
		size_t half = n / 2;

		if (ranges[lo + half].start <= address) {
			lo += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return lo > 0 && address < ranges[lo - 1].end;
}

/* Formats a number as trace-cmd shows an address without a name. Returns the length. */
static size_t write_hex(char buf[19], uint64_t n)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 3;

	while (len < 18 && n >> (4 * (len - 2)))
		len++;
	buf[0] = '0';
	buf[1] = 'x';
	for (size_t i = len; i > 2; i--, n >>= 4)
		buf[i - 1] = digits[n & 15];
	return len;
}

static bool name_fits(const struct filter_env *env, const struct pattern *pattern, uint64_t address)
{
	const char *name = env->function_name ? env->function_name(env->arg, address) : NULL;
	char hex[19];

	if (name)
		return pattern_match(pattern, name, strlen(name));
	return pattern_match(pattern, hex, write_hex(hex, address));
}

static bool function_fits(const struct filter_env *env, struct filter_name_cache *cache,
			  uint64_t address)
{
	size_t at = (size_t)(address * 0x9e3779b97f4a7c15ULL >> 54) % FILTER_CACHE_SLOTS;
	uint64_t entry = atomic_load_explicit(&cache->slots[at], memory_order_relaxed);
	bool fits;

	/* The two upper bits hold the result, so they must be copies of the bit below. */
	if ((uint64_t)((int64_t)(address << 2) >> 2) != address)
		return name_fits(env, cache->pattern, address);
	if ((entry & 2) && entry >> 2 == (address & (UINT64_MAX >> 2)))
		return entry & 1;
	fits = name_fits(env, cache->pattern, address);
	atomic_store_explicit(&cache->slots[at], address << 2 | 2 | fits, memory_order_relaxed);
	return fits;
}

/* Returns false if unknown. */
static bool test_text(const struct filter_env *env, const struct filter_test *test,
		      const struct filter_event *event, bool *ret)
{
	const char *text = NULL;
	uint64_t number;
	char hex[19];
	size_t len;

	switch (test->text) {
	case TEXT_FIELD:
		if (!event_field_string(event->format, test->field, event->data, event->size, &text,
					&len))
			return false;
		break;
	case TEXT_COMM:
		text = env->comm ? env->comm(env->arg, event) : NULL;
		len = text ? strlen(text) : 0;
		break;
	case TEXT_BUFFER:
		text = event->buffer ? event->buffer : "";
		len = strlen(text);
		break;
	default:
		if (!filter_value_get(env, &test->value, event, &number))
			return false;
		text = hex;
		len = write_hex(hex, number);
		break;
	}
	if (!text)
		return false;
	*ret = pattern_match(test->pattern, text, len);
	return true;
}

static bool same_text(const struct filter_test *test, const struct filter_event *event, bool *ret)
{
	const char *a, *b;
	size_t a_len, b_len;

	if (!event_field_string(event->format, test->field, event->data, event->size, &a, &a_len) ||
	    !event_field_string(event->format, test->value.field, event->data, event->size, &b,
				&b_len))
		return false;
	*ret = a_len == b_len && memcmp(a, b, a_len) == 0;
	return true;
}

/* Returns a number less than, equal to or greater than 0, comparing values across types. */
static int filter_match_compare(uint64_t a, bool a_wide, uint64_t b, bool b_wide)
{
	if (a == b)
		return 0;
	if (!a_wide && (int64_t)a < 0)
		return b_wide || (int64_t)b >= 0 || a < b ? -1 : 1;
	if (!b_wide && (int64_t)b < 0)
		return 1;
	return a < b ? -1 : 1;
}

static bool test_pair(const struct filter_env *env, const struct filter_test *test,
		      const struct filter_event *event, bool *ret)
{
	uint64_t a, b;
	int order;

	if (!filter_value_get(env, &test->value, event, &a) ||
	    !filter_value_get(env, test->other, event, &b))
		return false;
	order = filter_match_compare(a, test->value.wide, b, test->other->wide);
	switch (test->op) {
	case FILTER_EQ:
		*ret = order == 0;
		return true;
	case FILTER_NE:
		*ret = order != 0;
		return true;
	case FILTER_LT:
		*ret = order < 0;
		return true;
	case FILTER_LE:
		*ret = order <= 0;
		return true;
	case FILTER_GT:
		*ret = order > 0;
		return true;
	default:
		*ret = order >= 0;
		return true;
	}
}

/* Tests that are not worth inlining. Returns false if unknown. */
static bool run_other(const struct filter_env *env, const struct filter_test *test,
		      const struct filter_event *event, bool *ret)
{
	uint64_t value;

	switch (test->code) {
	case TEST_TEXT:
		return test_text(env, test, event, ret);
	case TEST_SAME_TEXT:
		return same_text(test, event, ret);
	case TEST_PAIR:
		return test_pair(env, test, event, ret);
	default:
		break;
	}
	if (!filter_value_get(env, &test->value, event, &value))
		return false;
	switch (test->code) {
	case TEST_LIST:
		*ret = in_list(test->list, test->n, value);
		return true;
	case TEST_ADDRESS:
		*ret = in_ranges(test->list, test->n, value);
		return true;
	default:
		*ret = function_fits(env, test->cache, value);
		return true;
	}
}

static bool filter_match_run(const struct filter_env *env, const struct filter_program *program,
			     const struct filter_event *event)
{
	unsigned at = program->entry;

	while (at < program->n) {
		const struct filter_test *test = &program->tests[at];
		bool known, holds = false;
		uint64_t value;

		if (test->code == TEST_RANGE) {
			/* Almost all values are read directly. */
			known = test->value.source == SOURCE_FIXED ?
					get_fixed(&test->value, event, test->value.offset, &value) :
					filter_value_get(env, &test->value, event, &value);
			/* For signed numbers, lo and span have the sign bit inverted. */
			holds = known && (value ^ (test->op ? SIGN : 0)) - test->lo <= test->span;
		} else {
			known = run_other(env, test, event, &holds);
		}
		at = known && holds != test->negated ? test->on_true : test->on_false;
	}
	return at == FILTER_ACCEPT;
}

const struct filter_program *filter_program_find(const struct filter *filter,
						 const struct event_format *format)
{
	if (!format || !filter->slots)
		return filter->fallback;
	for (size_t at = filter_slot_start(filter, format);;
	     at = (at + 1) & (filter->n_slots - 1)) {
		const struct filter_slot *slot = &filter->slots[at];

		if (slot->format == format)
			return slot->program;
		if (!slot->format)
			return filter->fallback;
	}
}

bool filter_match(const struct filter *filter, const struct filter_event *event)
{
	return filter_match_run(&filter->env, filter_program_find(filter, event->format), event);
}

bool filter_wants(const struct filter *filter, const struct event_format *format)
{
	return filter_program_find(filter, format)->entry != FILTER_REJECT;
}

const char *filter_note(const struct filter *filter, uint64_t *ret_offset)
{
	if (filter->note)
		*ret_offset = filter->note_offset;
	return filter->note;
}
