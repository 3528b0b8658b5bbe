/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compiler and matcher for basic and extended regular expressions, which differ in what needs a
 * backslash. Jumps in the code are relative, so that a part can be moved and copied for '*' and
 * '{m,n}'. The matcher simulates an NFA (Thompson): it follows all paths at once and visits each
 * instruction at most once per byte of text, which bounds its time. Its lists are on the stack.
 * pattern-regex.h says why regexec() is not used.
 */
#include "base/pattern/pattern-regex.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"

#define DEPTH_MAX  32
#define REPEAT_MAX 255

static int parse_alternatives(struct pattern_compiler *compiler);

static bool next_is(const struct pattern_compiler *compiler, const char *what)
{
	size_t len = strlen(what);

	return compiler->len - compiler->at >= len &&
	       memcmp(compiler->text + compiler->at, what, len) == 0;
}

/* The operators that basic expressions write with a backslash and extended ones without. */
static bool next_is_operator(const struct pattern_compiler *compiler, char operator)
{
	const char basic[] = { '\\', operator, '\0' };

	return next_is(compiler, compiler->extended ? basic + 1 : basic);
}

static bool take_operator(struct pattern_compiler *compiler, char operator)
{
	if (!next_is_operator(compiler, operator))
		return false;
	compiler->at += compiler->extended ? 1 : 2;
	return true;
}

/* The prefix of operators, for messages. */
static const char *pattern_regex_mark(const struct pattern_compiler *compiler)
{
	return compiler->extended ? "" : "\\";
}

static int pattern_regex_insert(struct pattern_compiler *compiler, unsigned at,
				struct pattern_code code)
{
	int r = pattern_emit(compiler, code);

	if (r < 0)
		return r;
	memmove(&compiler->code[at + 1], &compiler->code[at],
		(compiler->n_code - 1 - at) * sizeof(code));
	compiler->code[at] = code;
	return 0;
}

/* Makes the code from @start on optional. */
static int make_optional(struct pattern_compiler *compiler, unsigned start)
{
	int len = (int)(compiler->n_code - start);

	return pattern_regex_insert(
		compiler, start,
		(struct pattern_code){ .op = PATTERN_OP_SPLIT, .x = 1, .y = (int16_t)(len + 1) });
}

/* Repeats the code from @start on, at least once. */
static int make_loop(struct pattern_compiler *compiler, unsigned start)
{
	int len = (int)(compiler->n_code - start);

	return pattern_emit(compiler, (struct pattern_code){
					      .op = PATTERN_OP_SPLIT, .x = (int16_t)-len, .y = 1 });
}

/* Likewise, or not at all. */
static int make_star(struct pattern_compiler *compiler, unsigned start)
{
	int r = make_loop(compiler, start);

	return r < 0 ? r : make_optional(compiler, start);
}

static int pattern_regex_read_count(struct pattern_compiler *compiler, int missing)
{
	int n = 0;
	size_t start = compiler->at;

	for (; compiler->at < compiler->len; compiler->at++) {
		char c = compiler->text[compiler->at];

		if (c < '0' || c > '9')
			break;
		n = n * 10 + (c - '0');
		if (n > REPEAT_MAX)
			return err_set_at(compiler->err, -EINVAL, start,
					  "invalid repeat count: expected at most %d", REPEAT_MAX);
	}
	return compiler->at == start ? missing : n;
}

/* Emits @n copies of the code that is in compiler->copy, each optional inside the one before. */
static int emit_copies(struct pattern_compiler *compiler, unsigned len, int n)
{
	for (int i = 0; i < n; i++)
		for (unsigned k = 0; k < len; k++) {
			int r = pattern_emit(compiler, compiler->copy[k]);

			if (r < 0)
				return r;
		}
	return 0;
}

static int bad_repeat(struct pattern_compiler *compiler)
{
	return err_set_at(compiler->err, -EINVAL, compiler->at,
			  compiler->extended ?
				  "invalid repeat count: expected {2}, {2,} or {2,5}" :
				  "invalid repeat count: expected \\{2\\}, \\{2,\\} or \\{2,5\\}");
}

/* Parses "m}", "m,}" or "m,n}" after "{", and repeats the code from @start on. */
static int parse_repeat(struct pattern_compiler *compiler, unsigned start)
{
	unsigned len = compiler->n_code - start;
	int min = pattern_regex_read_count(compiler, 0), max = min;
	int r = 0;

	if (min >= 0 && next_is(compiler, ",")) {
		compiler->at++;
		max = pattern_regex_read_count(compiler, REPEAT_MAX + 1);
	}
	if (min < 0 || max < 0)
		return -EINVAL;
	if (!next_is_operator(compiler, '}') || max < min)
		return bad_repeat(compiler);
	take_operator(compiler, '}');
	memcpy(compiler->copy, &compiler->code[start], len * sizeof(compiler->copy[0]));
	compiler->n_code = start;
	r = emit_copies(compiler, len, min);
	if (r < 0 || len == 0)
		return r;
	if (max > REPEAT_MAX) {
		start = compiler->n_code;
		r = emit_copies(compiler, len, 1);
		return r < 0 ? r : make_star(compiler, start);
	}
	/* Each further copy is skipped together with all after it: x(x(x)?)? */
	for (int left = max - min; left > 0 && r == 0; left--) {
		int skip = (int)((unsigned)left * (len + 1));

		if (skip > PATTERN_CODE_MAX)
			return err_set_at(compiler->err, -EINVAL, compiler->at,
					  "pattern too large: use fewer or smaller repeat counts");
		r = pattern_emit(compiler, (struct pattern_code){ .op = PATTERN_OP_SPLIT,
								  .x = 1,
								  .y = (int16_t)skip });
		if (r == 0)
			r = emit_copies(compiler, len, 1);
	}
	return r;
}

static int pattern_regex_parse_postfix(struct pattern_compiler *compiler, unsigned start)
{
	int r = 0;

	while (r == 0) {
		if (next_is(compiler, "*")) {
			compiler->at++;
			r = make_star(compiler, start);
		} else if (take_operator(compiler, '+')) {
			r = make_loop(compiler, start);
		} else if (take_operator(compiler, '?')) {
			r = make_optional(compiler, start);
		} else if (take_operator(compiler, '{')) {
			r = parse_repeat(compiler, start);
		} else {
			break;
		}
	}
	return r;
}

static int emit_word_set(struct pattern_compiler *compiler, char letter)
{
	struct pattern_set set = { { 0 } };
	int r;

	for (unsigned c = 0; c < 256; c++) {
		bool in = letter == 'w' || letter == 'W' ? pattern_word_char((unsigned char)c) :
							   c == ' ' || (c >= '\t' && c <= '\r');

		if (in != (letter == 'W' || letter == 'S'))
			set.bits[c / 64] |= 1ULL << (c % 64);
	}
	r = pattern_add_set(compiler, &set);
	if (r < 0)
		return r;
	return pattern_emit(compiler,
			    (struct pattern_code){ .op = PATTERN_OP_SET, .x = (int16_t)r });
}

static int emit_char(struct pattern_compiler *compiler, char c)
{
	return pattern_emit(compiler,
			    (struct pattern_code){ .op = PATTERN_OP_CHAR,
						   .c = compiler->icase ?
								pattern_fold((unsigned char)c) :
								(unsigned char)c });
}

static int nothing_to_repeat(struct pattern_compiler *compiler, size_t at)
{
	return err_set_at(compiler->err, -EINVAL, at, "nothing to repeat before '%.*s'",
			  compiler->extended ? 1 : 2, compiler->text + at);
}

static int parse_group(struct pattern_compiler *compiler, size_t start)
{
	int r;

	if (compiler->depth == DEPTH_MAX)
		return err_set_at(compiler->err, -EINVAL, start, "pattern nested too deeply");
	compiler->depth++;
	r = parse_alternatives(compiler);
	if (r < 0)
		return r;
	compiler->depth--;
	if (!take_operator(compiler, ')'))
		return err_set_at(compiler->err, -EINVAL, start, "unclosed '%s(': expected '%s)'",
				  pattern_regex_mark(compiler), pattern_regex_mark(compiler));
	return 0;
}

/* Parses the part after a backslash. */
static int parse_escape(struct pattern_compiler *compiler)
{
	static const struct {
		char letter;
		uint8_t op;
	} edges[] = {
		{ '<', PATTERN_OP_WORD_BEGIN }, { '>', PATTERN_OP_WORD_END },
		{ 'b', PATTERN_OP_WORD_EDGE },	{ 'B', PATTERN_OP_NO_WORD_EDGE },
		{ '`', PATTERN_OP_BEGIN },	{ '\'', PATTERN_OP_END },
	};
	size_t start = compiler->at - 1;
	char c;

	if (compiler->at == compiler->len)
		return err_set_at(
			compiler->err, -EINVAL, start,
			"backslash at the end of the pattern: use '\\\\' for the character");
	c = compiler->text[compiler->at++];
	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		if (c == edges[i].letter)
			return pattern_emit(compiler, (struct pattern_code){ .op = edges[i].op });
	if (c == '(' && !compiler->extended)
		return parse_group(compiler, start);
	if (c == '{' && !compiler->extended)
		return nothing_to_repeat(compiler, start);
	switch (c) {
	case '1' ... '9':
		return err_set_at(compiler->err, -EINVAL, start,
				  "unsupported back reference '\\%c'", c);
	case 'w':
	case 'W':
	case 's':
	case 'S':
		return emit_word_set(compiler, c);
	default:
		return emit_char(compiler, c);
	}
}

static int parse_set(struct pattern_compiler *compiler)
{
	size_t start = compiler->at - 1;
	int r = pattern_read_set(compiler, false);

	if (r == -ENOENT)
		return err_set_at(compiler->err, -EINVAL, start, "unclosed '[': expected ']'");
	if (r < 0)
		return r;
	return pattern_emit(compiler,
			    (struct pattern_code){ .op = PATTERN_OP_SET, .x = (int16_t)r });
}

static bool at_end_of_branch(const struct pattern_compiler *compiler)
{
	/* An unmatched ')' in an extended expression is an ordinary character. */
	return compiler->at == compiler->len || next_is_operator(compiler, '|') ||
	       (next_is_operator(compiler, ')') && (compiler->depth || !compiler->extended));
}

static int parse_atom(struct pattern_compiler *compiler)
{
	char c = compiler->text[compiler->at++];

	if (c == '\\')
		return parse_escape(compiler);
	if (c == '[')
		return parse_set(compiler);
	if (c == '.')
		return pattern_emit(compiler, (struct pattern_code){ .op = PATTERN_OP_ANY });
	if (c == '$' && (compiler->extended || at_end_of_branch(compiler)))
		return pattern_emit(compiler, (struct pattern_code){ .op = PATTERN_OP_END });
	if (c == '^' && compiler->extended)
		return pattern_emit(compiler, (struct pattern_code){ .op = PATTERN_OP_BEGIN });
	if (c == '(' && compiler->extended)
		return parse_group(compiler, compiler->at - 1);
	return emit_char(compiler, c);
}

static bool is_edge(uint8_t op)
{
	return op >= PATTERN_OP_BEGIN && op <= PATTERN_OP_NO_WORD_EDGE;
}

static int parse_extended_branch(struct pattern_compiler *compiler)
{
	int r = 0;

	while (r == 0 && !at_end_of_branch(compiler)) {
		char c = compiler->text[compiler->at];
		unsigned start = compiler->n_code;

		if (c == '*' || c == '+' || c == '?' || c == '{')
			return nothing_to_repeat(compiler, compiler->at);
		r = parse_atom(compiler);
		/* An anchor cannot be repeated, only a group around it. */
		if (r == 0 &&
		    (c == '(' || compiler->n_code == start || !is_edge(compiler->code[start].op)))
			r = pattern_regex_parse_postfix(compiler, start);
	}
	return r;
}

static int parse_basic_branch(struct pattern_compiler *compiler)
{
	int r = 0;

	if (next_is(compiler, "^")) {
		compiler->at++;
		r = pattern_emit(compiler, (struct pattern_code){ .op = PATTERN_OP_BEGIN });
	}
	/* A star with nothing to repeat is an ordinary character. */
	if (r == 0 && next_is(compiler, "*")) {
		unsigned start = compiler->n_code;

		compiler->at++;
		r = emit_char(compiler, '*');
		if (r == 0)
			r = pattern_regex_parse_postfix(compiler, start);
	}
	while (r == 0 && !at_end_of_branch(compiler)) {
		unsigned start = compiler->n_code;

		r = parse_atom(compiler);
		if (r == 0)
			r = pattern_regex_parse_postfix(compiler, start);
	}
	return r;
}

static int parse_branch(struct pattern_compiler *compiler)
{
	return compiler->extended ? parse_extended_branch(compiler) : parse_basic_branch(compiler);
}

static int parse_alternatives(struct pattern_compiler *compiler)
{
	unsigned start = compiler->n_code;
	int r = parse_branch(compiler);

	while (r == 0 && take_operator(compiler, '|')) {
		unsigned first = compiler->n_code - start, jump;

		r = pattern_regex_insert(compiler, start,
					 (struct pattern_code){ .op = PATTERN_OP_SPLIT,
								.x = 1,
								.y = (int16_t)(first + 2) });
		if (r < 0)
			break;
		jump = compiler->n_code;
		r = pattern_emit(compiler, (struct pattern_code){ .op = PATTERN_OP_JUMP });
		if (r == 0)
			r = parse_branch(compiler);
		compiler->code[jump].x = (int16_t)(compiler->n_code - jump);
	}
	return r;
}

int pattern_compile_regex(struct pattern_compiler *compiler)
{
	int r = parse_alternatives(compiler);

	if (r == 0 && compiler->at < compiler->len)
		return err_set_at(compiler->err, -EINVAL, compiler->at,
				  "unexpected '\\)': no '\\(' before it");
	if (r == 0)
		r = pattern_emit(compiler, (struct pattern_code){ .op = PATTERN_OP_MATCH });
	return r;
}

/* The set of states after the text so far. */
struct places {
	uint16_t n;
	uint16_t at[PATTERN_CODE_MAX];
	uint64_t seen[PATTERN_CODE_MAX / 64];
};

static bool pattern_regex_holds(enum pattern_op op, const char *text, size_t len, size_t at)
{
	bool before = at > 0 && pattern_word_char((unsigned char)text[at - 1]);
	bool behind = at < len && pattern_word_char((unsigned char)text[at]);

	switch (op) {
	case PATTERN_OP_BEGIN:
		return at == 0;
	case PATTERN_OP_END:
		return at == len;
	case PATTERN_OP_WORD_BEGIN:
		return !before && behind;
	case PATTERN_OP_WORD_END:
		return before && !behind;
	case PATTERN_OP_WORD_EDGE:
		return before != behind;
	default:
		return before == behind;
	}
}

static void pattern_regex_push(struct places *places, uint16_t *stack, unsigned *n, int pc)
{
	if (places->seen[pc / 64] >> (pc % 64) & 1)
		return;
	places->seen[pc / 64] |= 1ULL << (pc % 64);
	stack[(*n)++] = (uint16_t)pc;
}

/*
 * Adds @pc and all states reachable without consuming a byte. Returns true if the pattern matches.
 */
static bool pattern_regex_add_place(const struct pattern *pattern, struct places *places, int pc,
				    const char *text, size_t len, size_t at)
{
	uint16_t stack[PATTERN_CODE_MAX];
	unsigned n = 0;

	pattern_regex_push(places, stack, &n, pc);
	while (n > 0) {
		const struct pattern_code *code;

		pc = stack[--n];
		code = &pattern->code[pc];
		switch (code->op) {
		case PATTERN_OP_MATCH:
			return true;
		case PATTERN_OP_SPLIT:
			pattern_regex_push(places, stack, &n, pc + code->y);
			pattern_regex_push(places, stack, &n, pc + code->x);
			break;
		case PATTERN_OP_JUMP:
			pattern_regex_push(places, stack, &n, pc + code->x);
			break;
		case PATTERN_OP_CHAR:
		case PATTERN_OP_ANY:
		case PATTERN_OP_SET:
			places->at[places->n++] = (uint16_t)pc;
			break;
		default:
			if (pattern_regex_holds(code->op, text, len, at))
				pattern_regex_push(places, stack, &n, pc + 1);
			break;
		}
	}
	return false;
}

static bool pattern_regex_takes(const struct pattern *pattern, const struct pattern_code *code,
				unsigned char c)
{
	if (code->op == PATTERN_OP_CHAR)
		return (pattern->icase ? pattern_fold(c) : c) == code->c;
	return code->op == PATTERN_OP_ANY || pattern_set_has(&pattern->sets[code->x], c);
}

static void pattern_regex_clear(const struct pattern *pattern, struct places *places)
{
	places->n = 0;
	memset(places->seen, 0, (size_t)(pattern->n_code + 63) / 64 * sizeof(places->seen[0]));
}

static void add_taken(const struct pattern *pattern, const struct pattern_code *code,
		      struct pattern_set *set)
{
	for (unsigned c = 0; c < 256; c++)
		if (pattern_regex_takes(pattern, code, (unsigned char)c))
			set->bits[c / 64] |= 1ULL << (c % 64);
}

void pattern_find_first(struct pattern *pattern)
{
	uint16_t stack[PATTERN_CODE_MAX];
	struct places places;
	unsigned n = 0;

	pattern_regex_clear(pattern, &places);
	pattern->takes_bytes = true;
	pattern_regex_push(&places, stack, &n, 0);
	while (n > 0) {
		int pc = stack[--n];
		const struct pattern_code *code = &pattern->code[pc];

		switch (code->op) {
		case PATTERN_OP_MATCH:
			pattern->takes_bytes = false;
			break;
		case PATTERN_OP_SPLIT:
			pattern_regex_push(&places, stack, &n, pc + code->y);
			pattern_regex_push(&places, stack, &n, pc + code->x);
			break;
		case PATTERN_OP_JUMP:
			pattern_regex_push(&places, stack, &n, pc + code->x);
			break;
		case PATTERN_OP_CHAR:
		case PATTERN_OP_ANY:
		case PATTERN_OP_SET:
			add_taken(pattern, code, &pattern->first);
			break;
		default:
			pattern_regex_push(&places, stack, &n, pc + 1);
			break;
		}
	}
}

/*
 * Returns the first position from @at on at which a match can start; past the end if there is none.
 */
static size_t next_begin(const struct pattern *pattern, const char *text, size_t len, size_t at)
{
	if (pattern->takes_bytes) {
		while (at < len && !pattern_set_has(&pattern->first, (unsigned char)text[at]))
			at++;
		if (at == len)
			return len + 1;
	}
	return at > 0 && pattern->code[0].op == PATTERN_OP_BEGIN ? len + 1 : at;
}

bool pattern_run(const struct pattern *pattern, const char *text, size_t len)
{
	struct places lists[2], *now = &lists[0], *next = &lists[1];

	now->n = 0;
	for (size_t at = 0;; at++) {
		struct places *done = now;

		if (now->n == 0) {
			at = next_begin(pattern, text, len, at);
			if (at > len)
				return false;
			pattern_regex_clear(pattern, now);
		}
		/* The match may start anywhere. */
		if (pattern_regex_add_place(pattern, now, 0, text, len, at))
			return true;
		if (at == len)
			return false;
		pattern_regex_clear(pattern, next);
		for (unsigned i = 0; i < now->n; i++)
			if (pattern_regex_takes(pattern, &pattern->code[now->at[i]],
						(unsigned char)text[at]) &&
			    pattern_regex_add_place(pattern, next, now->at[i] + 1, text, len,
						    at + 1))
				return true;
		now = next;
		next = done;
	}
}
