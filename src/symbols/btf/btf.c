/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/btf/btf.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "symbols/btf/btf-files.h"
#include "symbols/btf/btf-print.h"

/* Limits the number of different prototypes of one name. */
#define VARIANTS_MAX 16

struct prototypes {
	struct btf_files files;
};

int prototypes_new(int dir, struct prototypes **ret_prototypes, struct fathom_err *err)
{
	_cleanup_free_ struct prototypes *p = mem_zalloc(1, sizeof(*p));
	int r;

	if (!p)
		return err_nomem(err);
	r = btf_files_init(&p->files, dir, err);
	if (r < 0)
		return r;
	*ret_prototypes = TAKE_PTR(p);
	return 0;
}

void prototypes_free(struct prototypes *prototypes)
{
	if (prototypes)
		btf_files_done(&prototypes->files);
	free(prototypes);
}

/*
 * Returns whether the line from @line to the end of @text equals one that begins at @start or
 * later.
 */
static bool btf_is_repeated(const struct strbuf *text, size_t start, size_t line)
{
	size_t len = text->len - line;

	for (const char *p = text->s + start; p < text->s + line;) {
		size_t n = strcspn(p, "\n");

		if (n == len && memcmp(p, text->s + line, len) == 0)
			return true;
		p += n + 1;
	}
	return false;
}

int prototypes_print(struct prototypes *prototypes, const char *module, const char *name,
		     struct strbuf *text)
{
	size_t start = text->len;
	struct btf_part *part;
	int n = 0, r;

	r = btf_files_part(&prototypes->files, module, &part);
	if (r < 0)
		return r;
	for (size_t i = btf_part_find(part, name); i < part->n && n < VARIANTS_MAX; i++) {
		const struct btf_function *f = &part->functions[i];
		const struct btf_type *t = btf__type_by_id(part->btf, f->id);
		const struct btf_type *proto;
		size_t before = text->len;

		if (!str_eq(f->name, name))
			break;
		proto = t ? btf__type_by_id(part->btf, t->type) : NULL;
		if (!proto || !btf_is_func_proto(proto))
			continue;
		if (n)
			strbuf_addc(text, '\n');
		btf_print_declaration(part->btf, t->type, name, text);
		if (text->err)
			return -ENOMEM;
		if (n && btf_is_repeated(text, start, before + 1)) {
			text->len = before;
			text->s[before] = '\0';
			continue;
		}
		n++;
	}
	return n;
}

void prototypes_each(const struct prototypes *prototypes, const char *prefix,
		     void (*put)(void *data, const char *name), void *data)
{
	const struct btf_part *kernel = &prototypes->files.kernel;

	for (size_t i = btf_part_find(kernel, prefix); i < kernel->n; i++) {
		if (!str_after(kernel->functions[i].name, prefix))
			break;
		put(data, kernel->functions[i].name);
	}
}
