/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fathom list functions: combines the kernel's list, its symbols and its type information. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "actions/machine/list.h"
#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/quote.h"
#include "symbols/btf/btf.h"

struct picked {
	size_t n;
	size_t several; /* number of functions whose name is not unique */
};

static bool module_fits(const struct match *module, const struct function *f)
{
	return match_test(module, f->module ? f->module : "vmlinux");
}

/* Marks matches. The others stay in the list, because functions_locate() needs neighbors. */
static int list_functions_pick(struct list *list, const struct functions *functions, bool *fits,
			       struct picked *ret_picked)
{
	const char *module = list->args->module;
	struct picked picked = { 0 };
	struct match match = { 0 };
	int r;

	r = match_init(&match, module ? module : "*", MATCH_WHOLE, list->err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < functions->n; i++) {
		const struct function *f = &functions->list[i];

		fits[i] = module_fits(&match, f) && matches_test(&list->patterns, f->name);
		picked.n += fits[i];
		picked.several += fits[i] && f->same > 1;
	}
	match_done(&match);
	*ret_picked = picked;
	return 0;
}

static void suggest(struct list *list, const struct functions *functions)
{
	struct nearest nearest = list_nearest(list);

	for (size_t i = 0; i < functions->n && nearest.wanted; i++)
		nearest_offer(&nearest, functions->list[i].name);
	list_keep_nearest(list, &nearest);
}

/* Reads kallsyms only if there are functions to distinguish, because it is long. */
static int locate_duplicates(struct list *list, struct functions *functions)
{
	_cleanup_strbuf_ struct strbuf kallsyms = { 0 };
	int r = file_read(AT_FDCWD, list->source->kallsyms, &kallsyms);

	if (r == -ENOMEM)
		return err_nomem(list->err);
	r = functions_locate(functions, kallsyms.s);
	if (r < 0)
		return err_nomem(list->err);
	if (r == FUNCTIONS_ADDRS_HIDDEN)
		fputs("note: several functions have the same name, and the kernel hides their "
		      "addresses: run as root to distinguish them\n",
		      list->notes);
	return 0;
}

/* Returns "foo" for "foo.isra.0"; false if the name is as in the source. */
static bool source_name(const char *name, char *ret_name, size_t size)
{
	size_t len = strcspn(name, ".");

	if (!name[len] || len == 0 || len >= size)
		return false;
	memcpy(ret_name, name, len);
	ret_name[len] = '\0';
	return true;
}

static int add_prototypes(struct prototypes *prototypes, struct strbuf *text,
			  struct list_function *f)
{
	const char *module = f->function->module;
	char name[256];
	int n;

	strbuf_clear(text);
	n = prototypes_print(prototypes, module, f->function->name, text);
	if (n == 0 && source_name(f->function->name, name, sizeof(name))) {
		n = prototypes_print(prototypes, module, name, text);
		f->of_source = n > 0;
	}
	if (n < 0)
		return n;
	f->prototypes = strbuf_str(text);
	f->n_prototypes = n;
	return 0;
}

/* Returns whether the next function to be printed has another name than the one at @i. */
static bool is_last_of_name(const struct functions *functions, const bool *fits, size_t i)
{
	const char *name = functions->list[i].name;

	for (size_t k = i + 1; k < functions->n && str_eq(functions->list[k].name, name); k++)
		if (fits[k] && !functions->list[k].dropped)
			return false;
	return true;
}

/* Counts the entries after the one at @i that belong to it and are not functions. */
static size_t count_dropped(const struct functions *functions, size_t i)
{
	size_t n = 0;

	while (i + 1 + n < functions->n && functions->list[i + 1 + n].dropped)
		n++;
	return n;
}

static int list_functions_put(struct list *list, const struct functions *functions,
			      const bool *fits, struct prototypes *prototypes)
{
	_cleanup_strbuf_ struct strbuf text = { 0 };
	struct list_writer *w = &list->writer;

	for (size_t i = 0; i < functions->n; i++) {
		struct list_function f = { .function = &functions->list[i], .prototypes = "" };
		int r;

		if (!fits[i] || f.function->dropped)
			continue;
		f.last_of_name = is_last_of_name(functions, fits, i);
		f.dropped = count_dropped(functions, i);
		r = prototypes ? add_prototypes(prototypes, &text, &f) : 0;
		if (r < 0)
			return err_nomem(list->err);
		w->format->function(w, &f);
	}
	return 0;
}

/* Bare names need neither addresses nor prototypes. */
static bool wants_details(const struct list *list)
{
	return list->writer.format == &list_text || list->writer.format == &list_json;
}

int list_functions(struct list *list)
{
	_cleanup_(functions_done) struct functions functions = { 0 };
	_cleanup_(prototypes_free_p) struct prototypes *prototypes = NULL;
	struct list_writer *w = &list->writer;
	_cleanup_free_ bool *fits = NULL;
	struct fathom_err why = { 0 };
	struct picked picked;
	int r;

	r = functions_read(list->source->tracefs, wants_details(list), &functions, list->err);
	if (r < 0)
		return r;
	fits = mem_zalloc(functions.n, sizeof(*fits));
	if (!fits)
		return err_nomem(list->err);
	r = list_functions_pick(list, &functions, fits, &picked);
	if (r < 0)
		return r;
	suggest(list, &functions);
	if (picked.several && wants_details(list)) {
		r = locate_duplicates(list, &functions);
		if (r < 0)
			return r;
	}
	if (picked.n && wants_details(list) &&
	    prototypes_new(list->source->btf, &prototypes, &why) < 0)
		quote_printf(list->notes, "note: no prototypes: %s\n", fathom_err_text(&why));
	for (size_t i = 0; i < functions.n; i++)
		picked.n -= fits[i] && functions.list[i].dropped;
	w->format->begin(w, "functions", picked.n);
	r = list_functions_put(list, &functions, fits, prototypes);
	if (r < 0)
		return r;
	w->format->end(w);
	return 0;
}
