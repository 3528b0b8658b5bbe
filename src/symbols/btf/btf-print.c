/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * C declarations are written from the inside out, while BTF links types from the name to the base:
 * pointer -> function -> void. So the chain is collected first, and then written: the base, the
 * parts to the left of the name, the name, and the parts to its right. Loops in invalid BTF are
 * limited by the size of the chain, the depth and the length of the text.
 */
#include "symbols/btf/btf-print.h"

#include <string.h>

#include <bpf/btf.h>

#include "base/cleanup.h"
#include "base/str.h"

#define CHAIN_MAX 32
#define DEPTH_MAX 8

struct printer {
	const struct btf *btf;
	struct strbuf *text;
	size_t start; /* length of the text before this declaration */
	unsigned depth;
};

enum qualifier {
	QUALIFIER_CONST = 1,
	QUALIFIER_VOLATILE = 2,
};

struct chain {
	const struct btf_type *types[CHAIN_MAX]; /* from the name to the base, exclusive */
	size_t n;
	uint32_t base;
	unsigned qualifiers; /* of the base */
	bool broken;
};

static void print_declaration(struct printer *p, uint32_t type, const char *name);

static bool is_word_char(char c)
{
	return c == '_' || c == '.' || c == '$' || c == '?' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

static bool is_full(const struct printer *p)
{
	return p->text->len - p->start > BTF_PRINT_MAX || p->text->err;
}

/* Appends a token, preceded by a space if needed or customary. */
static void btf_print_put(struct printer *p, const char *token)
{
	char last = p->text->len > p->start ? p->text->s[p->text->len - 1] : '\0';
	bool opens = token[0] == '*' || token[0] == '(' || token[0] == '{';

	if (is_full(p))
		return;
	if ((is_word_char(last) && (is_word_char(token[0]) || opens)) ||
	    (last == '}' && (is_word_char(token[0]) || opens)) || last == ',')
		strbuf_addc(p->text, ' ');
	strbuf_adds(p->text, token);
}

/* Appends a name from BTF without characters that are not valid in C, such as escape sequences. */
static void btf_print_put_name(struct printer *p, const char *name)
{
	char clean[256];
	size_t n = 0;

	for (; *name && n + 1 < sizeof(clean); name++)
		clean[n++] = is_word_char(*name) || *name == ' ' ? *name : '?';
	clean[n] = '\0';
	if (n)
		btf_print_put(p, clean);
}

static const char *btf_print_name_of(const struct printer *p, const struct btf_type *t)
{
	const char *name = btf__name_by_offset(p->btf, t->name_off);

	return name ? name : "";
}

/* Returns the common spelling of the compiler's name of a number type. */
static const char *usual_name(const char *name)
{
	static const struct {
		const char *compiler, *people;
	} names[] = {
		{ "long unsigned int", "unsigned long" },
		{ "long int", "long" },
		{ "long long unsigned int", "unsigned long long" },
		{ "long long int", "long long" },
		{ "short unsigned int", "unsigned short" },
		{ "short int", "short" },
		{ "_Bool", "bool" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(names[i].compiler, name))
			return names[i].people;
	return name;
}

static void put_tagged(struct printer *p, const char *keyword, const char *name)
{
	btf_print_put(p, keyword);
	if (*name)
		btf_print_put_name(p, name);
	else
		btf_print_put(p, "{ ... }");
}

static void print_base(struct printer *p, const struct chain *chain)
{
	const struct btf_type *t = btf__type_by_id(p->btf, chain->base);

	if (chain->qualifiers & QUALIFIER_CONST)
		btf_print_put(p, "const");
	if (chain->qualifiers & QUALIFIER_VOLATILE)
		btf_print_put(p, "volatile");
	if (chain->broken || !t) {
		btf_print_put(p, "?");
		return;
	}
	switch (btf_kind(t)) {
	case BTF_KIND_UNKN:
		btf_print_put(p, "void");
		break;
	case BTF_KIND_STRUCT:
		put_tagged(p, "struct", btf_print_name_of(p, t));
		break;
	case BTF_KIND_UNION:
		put_tagged(p, "union", btf_print_name_of(p, t));
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		put_tagged(p, "enum", btf_print_name_of(p, t));
		break;
	case BTF_KIND_FWD:
		put_tagged(p, btf_kflag(t) ? "union" : "struct", btf_print_name_of(p, t));
		break;
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPEDEF:
		btf_print_put_name(
			p, *btf_print_name_of(p, t) ? usual_name(btf_print_name_of(p, t)) : "?");
		break;
	default:
		btf_print_put(p, "?");
	}
}

static unsigned qualifier_of(const struct btf_type *t)
{
	switch (btf_kind(t)) {
	case BTF_KIND_CONST:
		return QUALIFIER_CONST;
	case BTF_KIND_VOLATILE:
		return QUALIFIER_VOLATILE;
	default:
		return 0;
	}
}

/* In C, qualifiers of an array, a return value or the base precede everything else. */
static void move_qualifiers_to_base(struct chain *chain)
{
	while (chain->n && btf_kind(chain->types[chain->n - 1]) != BTF_KIND_PTR &&
	       !btf_is_array(chain->types[chain->n - 1]) &&
	       !btf_is_func_proto(chain->types[chain->n - 1]))
		chain->qualifiers |= qualifier_of(chain->types[--chain->n]);
}

static void btf_print_collect(const struct printer *p, uint32_t type, struct chain *chain)
{
	for (;;) {
		const struct btf_type *t = btf__type_by_id(p->btf, type);

		chain->base = type;
		if (!t) {
			chain->broken = true;
			break;
		}
		switch (btf_kind(t)) {
		case BTF_KIND_PTR:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			type = t->type;
			break;
		case BTF_KIND_FUNC_PROTO:
			move_qualifiers_to_base(chain);
			type = t->type;
			break;
		case BTF_KIND_ARRAY:
			move_qualifiers_to_base(chain);
			type = btf_array(t)->type;
			break;
		default:
			move_qualifiers_to_base(chain);
			return;
		}
		if (chain->n == CHAIN_MAX) {
			chain->broken = true;
			break;
		}
		chain->types[chain->n++] = t;
	}
	move_qualifiers_to_base(chain);
}

static bool is_suffix(const struct btf_type *t)
{
	return btf_is_array(t) || btf_is_func_proto(t);
}

/* Arrays and functions bind tighter than '*', so a pointer to one needs parentheses. */
static bool needs_parentheses(const struct chain *chain, size_t i)
{
	return is_suffix(chain->types[i]) && i > 0 && !is_suffix(chain->types[i - 1]);
}

static void print_left(struct printer *p, const struct chain *chain)
{
	for (size_t i = chain->n; i-- > 0;) {
		const struct btf_type *t = chain->types[i];

		if (needs_parentheses(chain, i))
			btf_print_put(p, "(");
		if (btf_is_ptr(t))
			btf_print_put(p, "*");
		else if (btf_kind(t) == BTF_KIND_CONST)
			btf_print_put(p, "const");
		else if (btf_kind(t) == BTF_KIND_VOLATILE)
			btf_print_put(p, "volatile");
		else if (btf_kind(t) == BTF_KIND_RESTRICT)
			btf_print_put(p, "restrict");
	}
}

static void print_parameters(struct printer *p, const struct btf_type *proto)
{
	const struct btf_param *params = btf_params(proto);
	unsigned n = btf_vlen(proto);

	strbuf_addc(p->text, '(');
	if (n == 0)
		strbuf_adds(p->text, "void");
	for (unsigned i = 0; i < n; i++) {
		const char *name = btf__name_by_offset(p->btf, params[i].name_off);

		if (i)
			strbuf_addc(p->text, ',');
		if (is_full(p) || p->depth >= DEPTH_MAX) {
			strbuf_adds(p->text, " ...");
			break;
		}
		if (!params[i].type && !params[i].name_off) {
			/* The last one: variable arguments. */
			btf_print_put(p, "...");
			continue;
		}
		p->depth++;
		print_declaration(p, params[i].type, name ? name : "");
		p->depth--;
	}
	strbuf_addc(p->text, ')');
}

static void print_right(struct printer *p, const struct chain *chain)
{
	for (size_t i = 0; i < chain->n; i++) {
		const struct btf_type *t = chain->types[i];

		if (needs_parentheses(chain, i))
			strbuf_addc(p->text, ')');
		if (btf_is_array(t) && btf_array(t)->nelems)
			strbuf_addf(p->text, "[%u]", btf_array(t)->nelems);
		else if (btf_is_array(t))
			strbuf_adds(p->text, "[]");
		else if (btf_is_func_proto(t))
			print_parameters(p, t);
	}
}

static void print_declaration(struct printer *p, uint32_t type, const char *name)
{
	struct chain chain = { .n = 0 };

	btf_print_collect(p, type, &chain);
	print_base(p, &chain);
	print_left(p, &chain);
	btf_print_put_name(p, name);
	print_right(p, &chain);
}

void btf_print_declaration(const struct btf *btf, uint32_t type, const char *name,
			   struct strbuf *text)
{
	struct printer p = { .btf = btf, .text = text, .start = text->len };

	print_declaration(&p, type, name);
}
