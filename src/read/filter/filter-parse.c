/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Builds the tree of a filter. Two forms share one grammar:
 *
 *	EVENTS: CONDITION	as in trace-cmd; "&&" and "||" have the same precedence and
 *				are left-associative; events are regular expressions
 *	CONDITION		"and" binds tighter than "or", and a single word is an event
 *				or a function
 *
 * A text with a colon that trace-cmd accepts is always taken as the first form. Each node has its
 * place in the text. No tree is deeper than FILTER_DEPTH_MAX, so recursion over a tree is bounded.
 */
#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/pattern/pattern.h"
#include "read/filter/filter-ast.h"
#include "read/filter/filter-lex.h"
#include "read/filter/filter-prefix.h"

struct parser {
	struct filter_lexer lexer;
	struct filter_token token; /* the next token */
	struct filter *filter;
	struct arena *arena;
	struct fathom_err *err;
	unsigned depth;
};

static int parse_condition(struct parser *parser, struct filter_node **ret);
static int parse_value(struct parser *parser, int level, struct filter_node **ret);

static int filter_parse_advance(struct parser *parser)
{
	return filter_lex(&parser->lexer, &parser->token, parser->err);
}

static int unexpected(const struct parser *parser, const char *wanted)
{
	const struct filter_token *token = &parser->token;

	if (token->kind == TOKEN_END)
		return err_set_at(parser->err, -EINVAL, token->offset,
				  "unexpected end of filter: expected %s", wanted);
	return err_set_at(parser->err, -EINVAL, token->offset, "unexpected '%.*s': expected %s",
			  (int)(token->len < 60 ? token->len : 60),
			  parser->lexer.text + token->offset, wanted);
}

static int filter_parse_new_node(struct parser *parser, enum filter_kind kind,
				 const struct filter_token *token, struct filter_node **ret)
{
	struct filter_node *node;

	if (++parser->filter->n_nodes > FILTER_NODES_MAX)
		return err_set_at(parser->err, -E2BIG, token->offset,
				  "filter too long: more than %d parts", FILTER_NODES_MAX);
	if (kind >= FILTER_COMPARE && kind <= FILTER_EVENTS &&
	    ++parser->filter->n_tests > FILTER_TESTS_MAX)
		return err_set_at(parser->err, -E2BIG, token->offset,
				  "filter too long: more than %d conditions", FILTER_TESTS_MAX);
	node = arena_zalloc(parser->arena, 1, sizeof(*node));
	if (!node)
		return err_nomem(parser->err);
	node->kind = (uint8_t)kind;
	node->op = token->op;
	node->unit = token->unit;
	node->depth = 1;
	node->offset = token->offset;
	node->len = token->len;
	node->text = token->text;
	node->number = token->number;
	node->as_seconds = token->as_seconds;
	*ret = node;
	return 0;
}

static int add_child(struct parser *parser, struct filter_node *node, struct filter_node *child)
{
	if (child->depth >= FILTER_DEPTH_MAX)
		return err_set_at(parser->err, -E2BIG, child->offset,
				  "filter nested too deeply: more than %d levels",
				  FILTER_DEPTH_MAX);
	if (child->depth >= node->depth)
		node->depth = (uint8_t)(child->depth + 1);
	child->prev = node->last;
	if (node->last)
		node->last->next = child;
	else
		node->first = child;
	node->last = child;
	return 0;
}

static int new_pair(struct parser *parser, enum filter_kind kind, const struct filter_token *token,
		    struct filter_node *left, struct filter_node *right, struct filter_node **ret)
{
	int r = filter_parse_new_node(parser, kind, token, ret);

	if (r == 0)
		r = add_child(parser, *ret, left);
	if (r == 0)
		r = add_child(parser, *ret, right);
	return r;
}

static int need_value(const struct parser *parser, const struct filter_node *node)
{
	if (filter_node_is_value(node))
		return 0;
	return err_set_at(parser->err, -EINVAL, node->offset,
			  "unexpected condition: expected a value");
}

/* Limits the depth of recursion; every recursive path calls this. */
static int filter_parse_enter(struct parser *parser)
{
	if (++parser->depth > FILTER_DEPTH_MAX)
		return err_set_at(parser->err, -E2BIG, parser->token.offset,
				  "filter nested too deeply: more than %d levels",
				  FILTER_DEPTH_MAX);
	return 0;
}

static int parse_paren(struct parser *parser, struct filter_node **ret)
{
	uint32_t open = parser->token.offset;
	int r = filter_parse_enter(parser);

	if (r == 0)
		r = filter_parse_advance(parser);
	if (r == 0)
		r = parse_condition(parser, ret);
	if (r != 0)
		return r;
	parser->depth--;
	if (parser->token.kind == TOKEN_END)
		return err_set_at(parser->err, -EINVAL, open, "unclosed '('");
	if (parser->token.kind != TOKEN_CLOSE)
		return unexpected(parser, "')'");
	return filter_parse_advance(parser);
}

static int parse_minus(struct parser *parser, struct filter_node **ret)
{
	struct filter_token token = parser->token;
	struct filter_node *operand = NULL;
	int r = filter_parse_enter(parser);

	if (r == 0)
		r = filter_parse_advance(parser);
	if (r == 0)
		r = parse_value(parser, 6, &operand);
	if (r == 0)
		r = need_value(parser, operand);
	if (r != 0)
		return r;
	parser->depth--;
	r = filter_parse_new_node(parser, FILTER_MINUS, &token, ret);
	return r != 0 ? r : add_child(parser, *ret, operand);
}

static int filter_parse_primary(struct parser *parser, struct filter_node **ret)
{
	static const uint8_t kinds[] = {
		[TOKEN_WORD] = FILTER_NAME,
		[TOKEN_NUMBER] = FILTER_NUMBER,
		[TOKEN_STRING] = FILTER_STRING,
		[TOKEN_CHAR] = FILTER_CHAR,
	};
	const struct filter_token *token = &parser->token;
	int r;

	switch (token->kind) {
	case TOKEN_OPEN:
		return parse_paren(parser, ret);
	case TOKEN_WORD:
	case TOKEN_NUMBER:
	case TOKEN_STRING:
	case TOKEN_CHAR:
		r = filter_parse_new_node(parser, kinds[token->kind], token, ret);
		return r != 0 ? r : filter_parse_advance(parser);
	case TOKEN_ARITH:
		if (token->op == FILTER_SUB)
			return parse_minus(parser, ret);
		break;
	default:
		break;
	}
	return unexpected(parser, "a name, a number or text");
}

/* Returns the precedence of an operator; all bind tighter than comparisons. */
static int filter_parse_level_of(const struct filter_token *token)
{
	if (token->kind != TOKEN_ARITH)
		return -1;
	switch (token->op) {
	case FILTER_BITOR:
		return 0;
	case FILTER_XOR:
		return 1;
	case FILTER_BITAND:
		return 2;
	case FILTER_SHL:
	case FILTER_SHR:
		return 3;
	case FILTER_ADD:
	case FILTER_SUB:
		return 4;
	default:
		return 5;
	}
}

static int parse_value(struct parser *parser, int level, struct filter_node **ret)
{
	struct filter_node *left = NULL, *right = NULL;
	int r = level > 5 ? filter_parse_primary(parser, &left) :
			    parse_value(parser, level + 1, &left);

	while (r == 0 && filter_parse_level_of(&parser->token) == level) {
		struct filter_token token = parser->token;

		r = need_value(parser, left);
		if (r == 0)
			r = filter_parse_advance(parser);
		if (r == 0)
			r = parse_value(parser, level + 1, &right);
		if (r == 0)
			r = need_value(parser, right);
		if (r == 0)
			r = new_pair(parser, FILTER_ARITH, &token, left, right, &left);
	}
	if (r == 0)
		*ret = left;
	return r;
}

static bool filter_parse_has_name(const struct filter_node *node)
{
	if (node->kind == FILTER_NAME)
		return true;
	for (const struct filter_node *child = node->first; child; child = child->next)
		if (filter_parse_has_name(child))
			return true;
	return false;
}

/* Parses the right operand of "~", "=~" and "!~". */
static int make_pattern(struct parser *parser, enum filter_op op, struct filter_node *node)
{
	bool quoted = node->kind == FILTER_STRING || node->kind == FILTER_CHAR;
	int r;

	if (!quoted && node->kind != FILTER_NAME && node->kind != FILTER_NUMBER)
		return err_set_at(parser->err, -EINVAL, node->offset,
				  "expected a pattern in quotes");
	r = pattern_compile(parser->arena, op == FILTER_GLOB ? PATTERN_GLOB : PATTERN_REGEX,
			    op == FILTER_GLOB ? 0 : PATTERN_ICASE, node->text, strlen(node->text),
			    &node->pattern, parser->err);
	if (r == -EINVAL && parser->err)
		parser->err->offset += node->offset + quoted;
	return r;
}

static int parse_compare(struct parser *parser, struct filter_node *left, struct filter_node **ret)
{
	struct filter_token token = parser->token;
	struct filter_node *right = NULL;
	int r = need_value(parser, left);

	if (r == 0)
		r = filter_parse_advance(parser);
	if (r == 0)
		r = parse_value(parser, 0, &right);
	if (r == 0)
		r = need_value(parser, right);
	if (r != 0)
		return r;
	if (!filter_parse_has_name(left) && !filter_parse_has_name(right))
		return err_set_at(parser->err, -EINVAL, left->offset,
				  "comparison of two constants: expected a field");
	if (parser->token.kind == TOKEN_COMPARE)
		return err_set_at(parser->err, -EINVAL, parser->token.offset,
				  "comparisons cannot be chained: combine them with 'and'");
	if (token.op >= FILTER_GLOB) {
		if (!filter_parse_has_name(left))
			return err_set_at(parser->err, -EINVAL, left->offset,
					  "wrong order: expected a field to the left of the "
					  "pattern");
		r = make_pattern(parser, token.op, right);
		if (r != 0)
			return r;
	}
	return new_pair(parser, FILTER_COMPARE, &token, left, right, ret);
}

/* Parses "in (A, B, ...)". */
static int parse_in(struct parser *parser, struct filter_node *left, struct filter_node **ret)
{
	struct filter_token token = parser->token;
	struct filter_node *node = NULL, *item = NULL;
	int r = need_value(parser, left);

	if (r == 0)
		r = filter_parse_new_node(parser, FILTER_IN, &token, &node);
	if (r == 0)
		r = add_child(parser, node, left);
	if (r == 0)
		r = filter_parse_advance(parser);
	if (r != 0)
		return r;
	if (parser->token.kind != TOKEN_OPEN)
		return unexpected(parser, "a list such as (1, 2)");
	do {
		r = filter_parse_advance(parser);
		if (r == 0)
			r = parse_value(parser, 0, &item);
		if (r == 0)
			r = need_value(parser, item);
		if (r == 0)
			r = add_child(parser, node, item);
		if (r != 0)
			return r;
	} while (parser->token.kind == TOKEN_COMMA);
	if (parser->token.kind != TOKEN_CLOSE)
		return unexpected(parser, "',' or ')'");
	*ret = node;
	return filter_parse_advance(parser);
}

/* Parses a single word, "SYSTEM/EVENT" in one word, or "SYSTEM:EVENT" with the system in @word. */
static int filter_parse_event(struct parser *parser, const struct filter_node *word,
			      struct filter_pattern **ret)
{
	const char *system = NULL, *name = word->text;
	const char *slash = strchr(name, '/');
	uint32_t len = word->len;
	struct filter_pattern *pattern;
	int r;

	if (parser->token.kind == TOKEN_COLON) {
		r = filter_parse_advance(parser);
		if (r != 0)
			return r;
		if (parser->token.kind != TOKEN_WORD)
			return unexpected(parser, "an event name");
		system = name;
		name = parser->token.text;
		len = parser->token.offset + parser->token.len - word->offset;
		r = filter_parse_advance(parser);
		if (r != 0)
			return r;
	} else if (slash) {
		system = arena_strndup(parser->arena, name, (size_t)(slash - name));
		if (!system)
			return err_nomem(parser->err);
		name = slash + 1;
	}
	pattern = filter_pattern_new(parser->arena, system, name, word->offset, len);
	if (!pattern)
		return err_nomem(parser->err);
	pattern->regex = strstr(word->text, ".*") || strstr(name, ".*");
	*ret = pattern;
	return 0;
}

static int parse_events(struct parser *parser, struct filter_node *word, struct filter_node **ret)
{
	struct filter_token token = { .offset = word->offset, .len = word->len };
	struct filter_pattern **end;
	int r = filter_parse_new_node(parser, FILTER_EVENTS, &token, ret);

	if (r != 0)
		return r;
	end = &(*ret)->events;
	for (;;) {
		r = filter_parse_event(parser, word, end);
		if (r != 0 || parser->token.kind != TOKEN_COMMA)
			return r;
		end = &(*end)->next;
		r = filter_parse_advance(parser);
		if (r != 0)
			return r;
		if (parser->token.kind != TOKEN_WORD)
			return unexpected(parser, "an event name");
		r = filter_parse_new_node(parser, FILTER_NAME, &parser->token, &word);
		if (r == 0)
			r = filter_parse_advance(parser);
		if (r != 0)
			return r;
	}
}

/* Turns a value used as a condition into one. */
static int make_condition(struct parser *parser, struct filter_node *value,
			  struct filter_node **ret)
{
	struct filter_token token = { .offset = value->offset, .len = value->len };
	int r;

	if (value->kind == FILTER_NAME)
		return parse_events(parser, value, ret);
	if (value->kind != FILTER_ARITH)
		return err_set_at(parser->err, -EINVAL, value->offset,
				  "not a condition: compare the value with something");
	r = filter_parse_new_node(parser, FILTER_TRUTH, &token, ret);
	return r != 0 ? r : add_child(parser, *ret, value);
}

static bool ends_value(const struct parser *parser)
{
	/* In parentheses, it may still be an operand of the following operator. */
	return parser->token.kind != TOKEN_CLOSE || parser->depth == 0;
}

static int parse_not_in(struct parser *parser, struct filter_node *left, struct filter_node **ret)
{
	struct filter_token token = parser->token;
	struct filter_node *in = NULL;
	int r = filter_parse_advance(parser);

	if (r != 0)
		return r;
	if (parser->token.kind != TOKEN_IN)
		return unexpected(parser, "'in' after 'not'");
	r = parse_in(parser, left, &in);
	if (r == 0)
		r = filter_parse_new_node(parser, FILTER_NOT, &token, ret);
	return r != 0 ? r : add_child(parser, *ret, in);
}

static int parse_test(struct parser *parser, struct filter_node **ret)
{
	struct filter_node *left = NULL;
	int r = parse_value(parser, 0, &left);

	if (r != 0)
		return r;
	switch (parser->token.kind) {
	case TOKEN_COMPARE:
		return parse_compare(parser, left, ret);
	case TOKEN_IN:
		return parse_in(parser, left, ret);
	case TOKEN_NOT:
		if (filter_node_is_value(left) && parser->token.len == 3)
			return parse_not_in(parser, left, ret);
		break;
	default:
		break;
	}
	if (filter_node_is_value(left) && ends_value(parser))
		return make_condition(parser, left, ret);
	*ret = left;
	return 0;
}

static int filter_parse_unary(struct parser *parser, struct filter_node **ret)
{
	struct filter_token token = parser->token;
	struct filter_node *child = NULL;
	int r;

	if (token.kind != TOKEN_NOT)
		return parse_test(parser, ret);
	r = filter_parse_enter(parser);
	if (r == 0)
		r = filter_parse_advance(parser);
	if (r == 0)
		r = filter_parse_unary(parser, &child);
	if (r == 0 && filter_node_is_value(child))
		r = make_condition(parser, child, &child);
	if (r == 0)
		r = filter_parse_new_node(parser, FILTER_NOT, &token, ret);
	parser->depth--;
	return r != 0 ? r : add_child(parser, *ret, child);
}

/* Joins @left and @right; "a or b or c" becomes one node with three children. */
static int filter_parse_join(struct parser *parser, const struct filter_token *token,
			     struct filter_node *left, struct filter_node *right,
			     struct filter_node **ret)
{
	enum filter_kind kind = token->kind == TOKEN_AND ? FILTER_AND : FILTER_OR;
	int r = 0;

	if (filter_node_is_value(left))
		r = make_condition(parser, left, &left);
	if (r == 0 && filter_node_is_value(right))
		r = make_condition(parser, right, &right);
	if (r != 0)
		return r;
	/* Also joining a parenthesized node of the same operator does not change the result. */
	if (left->kind != kind)
		return new_pair(parser, kind, token, left, right, ret);
	*ret = left;
	return add_child(parser, left, right);
}

static int parse_chain(struct parser *parser, bool and_only, struct filter_node **ret)
{
	struct filter_node *left = NULL, *right = NULL;
	bool both = parser->filter->prefixed;
	int r = and_only || both ? filter_parse_unary(parser, &left) :
				   parse_chain(parser, true, &left);

	while (r == 0 && (parser->token.kind == TOKEN_AND || parser->token.kind == TOKEN_OR)) {
		struct filter_token token = parser->token;

		if (!both && and_only != (token.kind == TOKEN_AND))
			break;
		r = filter_parse_advance(parser);
		if (r == 0)
			r = and_only || both ? filter_parse_unary(parser, &right) :
					       parse_chain(parser, true, &right);
		if (r == 0)
			r = filter_parse_join(parser, &token, left, right, &left);
	}
	if (r == 0)
		*ret = left;
	return r;
}

/* In parentheses, the result can be a value. */
static int parse_condition(struct parser *parser, struct filter_node **ret)
{
	return parse_chain(parser, false, ret);
}

static int parse_filter(struct parser *parser)
{
	struct filter_node *root = NULL;
	int r = filter_prefix_parse(parser->filter, &parser->lexer.at, parser->err);

	if (r == 0)
		r = filter_parse_advance(parser);
	if (r != 0)
		return r;
	if (parser->token.kind == TOKEN_END && parser->filter->prefixed)
		return 0;
	if (parser->token.kind == TOKEN_END)
		return err_set_at(parser->err, -EINVAL, 0, "empty filter");
	r = parse_condition(parser, &root);
	if (r != 0)
		return r;
	if (parser->token.kind == TOKEN_CLOSE)
		return err_set_at(parser->err, -EINVAL, parser->token.offset, "unexpected ')'");
	if (filter_node_is_value(root))
		r = make_condition(parser, root, &root);
	if (r != 0)
		return r;
	if (parser->token.kind != TOKEN_END)
		return unexpected(parser, "'and', 'or' or a comparison");
	parser->filter->root = root;
	return 0;
}

int filter_parse(const char *text, struct arena *arena, struct filter **ret_filter,
		 struct fathom_err *err)
{
	struct parser parser = { .arena = arena, .err = err };
	int r;

	if (strnlen(text, FILTER_TEXT_MAX + 1) > FILTER_TEXT_MAX)
		return err_set_at(err, -E2BIG, FILTER_TEXT_MAX,
				  "filter too long: more than %zu bytes", FILTER_TEXT_MAX);
	parser.filter = arena_zalloc(arena, 1, sizeof(*parser.filter));
	if (!parser.filter)
		return err_nomem(err);
	parser.filter->arena = arena;
	parser.filter->text = arena_strdup(arena, text);
	if (!parser.filter->text)
		return err_nomem(err);
	parser.lexer = (struct filter_lexer){ .text = parser.filter->text, .arena = arena };
	r = parse_filter(&parser);
	if (r != 0)
		return r;
	*ret_filter = parser.filter;
	return 0;
}
