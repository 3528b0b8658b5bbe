/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cached text has a line for each function:
 * ADDRESS PLACE ORDER SIZE FLAGS NAME [MODULE]
 * with numbers in hexadecimal.
 */
#include "actions/why/why-chosen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/why/meanings.h"
#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/quote.h"
#include "base/str.h"

#define FILE_NAME ".why-functions"
#define FORMAT	  1 /* to be changed when the same rules select other functions */

enum flags {
	FLAG_SIGNED = 1,
	FLAG_ANSWER = 2,
	FLAG_OUTER = 4,
	FLAG_UNWANTED = 8,
	FLAGS = 16,
};

void why_armed_done(struct why_armed *armed)
{
	free(armed->list);
	functions_done(&armed->functions);
	strbuf_done(&armed->names);
	*armed = (struct why_armed){ 0 };
}

/* Parses a number and the space after it. */
static bool why_chosen_take(const char **p, uint64_t max, uint64_t *ret)
{
	if (!str_take_hex(p, *p + strlen(*p), ret) || *ret > max || **p != ' ')
		return false;
	(*p)++;
	return true;
}

static bool why_chosen_parse_line(char *line, struct function *ret_function,
				  struct return_probe *ret_probe)
{
	uint64_t address, place, order, size, flags;
	const char *p = line;
	char *rest;

	if (!why_chosen_take(&p, UINT64_MAX, &address) ||
	    !why_chosen_take(&p, UINT32_MAX, &place) || !why_chosen_take(&p, UINT32_MAX, &order) ||
	    !why_chosen_take(&p, 16, &size) || !why_chosen_take(&p, FLAGS - 1, &flags))
		return false;
	rest = line + (p - line);
	*ret_function = (struct function){ .name = str_next_word(&rest, " "),
					   .module = str_next_word(&rest, " "),
					   .addr = address,
					   .line = (uint32_t)place,
					   .order = (uint32_t)order };
	*ret_probe = (struct return_probe){ .address = address,
					    .size = (uint8_t)size,
					    .is_signed = flags & FLAG_SIGNED,
					    .is_answer = flags & FLAG_ANSWER,
					    .is_outer = flags & FLAG_OUTER,
					    .is_unwanted = flags & FLAG_UNWANTED };
	return ret_function->name;
}

static size_t why_chosen_count_lines(const char *text)
{
	size_t n = 0;

	for (; (text = strchr(text, '\n')); text++)
		n++;
	return n;
}

/*
 * Parses the lines of functions, which stay in @text. Returns 1, 0 if one is invalid, or -ENOMEM.
 */
static int parse_lines(char *text, struct why_armed *armed)
{
	const char *last = "";

	armed->cap = why_chosen_count_lines(text) + 1;
	armed->list = mem_zalloc(armed->cap, sizeof(*armed->list));
	armed->functions.list = mem_zalloc(armed->cap, sizeof(*armed->functions.list));
	if (!armed->list || !armed->functions.list)
		return -ENOMEM;
	for (char *line; (line = str_next_line(&text)); armed->n++) {
		struct function *f = &armed->functions.list[armed->n];

		if (!why_chosen_parse_line(line, f, &armed->list[armed->n]))
			return 0;
		/* Functions of one name are adjacent. */
		if (!str_eq(f->name, last))
			quote_addf(&armed->names, "%s\n", f->name);
		last = f->name;
		armed->n_wanted += !armed->list[armed->n].is_unwanted;
	}
	armed->functions.n = armed->n;
	armed->functions.has_addrs = true;
	functions_sort(&armed->functions);
	return armed->names.err ? -ENOMEM : armed->n_wanted > 0;
}

struct why_cache why_chosen_file(void)
{
	return (struct why_cache){
		.name = FILE_NAME, .of = hash_bytes(meanings_default, meanings_default_len, FORMAT)
	};
}

int why_chosen_read(const struct session_env *env, struct why_cache *cache,
		    struct why_armed *ret_armed)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	_cleanup_(why_armed_done) struct why_armed armed = { 0 };
	int r = why_cache_read(env, cache, &text);

	if (r <= 0)
		return r;
	armed.functions.text = strbuf_take(&text);
	if (!armed.functions.text)
		return -ENOMEM;
	r = parse_lines(armed.functions.text, &armed);
	if (r > 0) {
		*ret_armed = TAKE_STRUCT(armed, { 0 });
	}
	return r;
}

static void why_chosen_add_line(const struct function *f, const struct return_probe *probe,
				struct strbuf *text)
{
	unsigned flags = (probe->is_signed ? FLAG_SIGNED : 0) |
			 (probe->is_answer ? FLAG_ANSWER : 0) | (probe->is_outer ? FLAG_OUTER : 0) |
			 (probe->is_unwanted ? FLAG_UNWANTED : 0);

	quote_addf(text, "%" PRIx64 " %x %x %x %x %s", f->addr, f->line, f->order, probe->size,
		   flags, f->name);
	if (f->module)
		quote_addf(text, " %s", f->module);
	strbuf_adds(text, "\n");
}

/* Returns false if the lists differ. */
static bool why_chosen_add_lines(const struct why_armed *armed, struct strbuf *text)
{
	_cleanup_free_ char *names = mem_strdup(strbuf_str(&armed->names));
	char *rest = names;
	size_t at = 0;

	for (char *name; rest && (name = str_next_line(&rest));) {
		size_t n = 0;
		const struct function *f = functions_find(&armed->functions, name, &n);

		for (; n; n--, f++, at++) {
			if (at == armed->n || armed->list[at].address != f->addr)
				return false;
			why_chosen_add_line(f, &armed->list[at], text);
		}
	}
	return at == armed->n;
}

void why_chosen_keep(struct session_env *env, const struct why_cache *cache,
		     const struct why_armed *armed)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };

	if (why_chosen_add_lines(armed, &text) && !text.err)
		why_cache_write(env, cache, strbuf_str(&text));
}

void why_chosen_forget(void)
{
	_cleanup_session_env_ struct session_env env = SESSION_ENV_NONE;
	struct why_cache cache = why_chosen_file();

	if (session_env_open("", &env, NULL) == 0)
		why_cache_drop(&env, &cache);
}
