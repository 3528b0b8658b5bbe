/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the kernel names in its own type information (BTF), which anyone may read;
 * where it has none, its symbol table. Both tell what was really compiled in.
 */
#include "kernel/probe.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/mem.h"

/* Reads the kernel's BTF once; false when there is none. */
static bool have_btf(struct asker *asker)
{
	_cleanup_free_ char *path = NULL;

	if (asker->btf_read)
		return asker->btf.len > 0;
	asker->btf_read = true;
	path = mem_printf("%s/sys/kernel/btf/vmlinux", asker->root);
	if (!path || file_read(AT_FDCWD, path, &asker->btf) == -ENOMEM)
		asker->no_memory = true;
	return asker->btf.len > 0;
}

/* In BTF every name stands between two NULs. */
static int btf_names(const struct strbuf *btf, const char *name)
{
	size_t len = strlen(name) + 1;
	const char *at = btf->s;
	size_t left = btf->len;

	while ((at = memmem(at, left, name, len))) {
		if (at > btf->s && at[-1] == '\0')
			return 1;
		at += len;
		left = btf->len - (size_t)(at - btf->s);
	}
	return 0;
}

/* In kallsyms: "ADDRESS TYPE NAME" and, of a module, a tab and more. */
static int kallsyms_names(struct asker *asker, const char *name)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	_cleanup_free_ char *path = mem_printf("%s/proc/kallsyms", asker->root);
	size_t len = strlen(name);
	int r;

	if (!path)
		return -ENOMEM;
	r = file_read(AT_FDCWD, path, &buf);
	if (r < 0)
		return r;
	if (!buf.len)
		return -ENODATA;
	for (const char *at = buf.s; (at = strstr(at, name)); at += len)
		if (at > buf.s && at[-1] == ' ' && (at[len] == '\n' || at[len] == '\0'))
			return 1;
	return 0;
}

int kernel_names(struct asker *asker, const char *name)
{
	int r;

	if (have_btf(asker))
		return btf_names(&asker->btf, name);
	r = kallsyms_names(asker, name);
	if (r == -ENOMEM)
		asker->no_memory = true;
	return r;
}

int kernel_quiet_function_id(struct asker *asker)
{
	libbpf_print_fn_t before;
	struct btf *btf;
	int id;

	/* Parsing is the dear part, and all ask for the same one. */
	if (asker->function_id)
		return asker->function_id;
	if (!have_btf(asker))
		return -ENOENT;
	/* A library must not print; libbpf does unless told. */
	before = libbpf_set_print(NULL);
	btf = btf__new(asker->btf.s, (__u32)asker->btf.len);
	id = btf ? btf__find_by_name_kind(btf, QUIET_FUNCTION, BTF_KIND_FUNC) : -errno;
	btf__free(btf);
	libbpf_set_print(before);
	asker->function_id = id;
	return id;
}

/*
 * Probing many functions through fprobe was slow while it looked them up in a
 * table of fixed size; the table that replaced it brought functions of its own.
 */
void ask_fprobe_mass(struct asker *asker, const struct question *question,
		     struct fathom_feature *answer)
{
	int table = kernel_names(asker, "fprobe_hlist");
	int better = kernel_names(asker, "fprobe_node_cmp");

	if (table < 0 || better < 0)
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN,
			   "looked for fprobe_hlist among the kernel's names",
			   "the kernel shows neither BTF nor symbols");
	else if (!table)
		answer_set(asker, answer, FATHOM_FEATURE_NO, "the kernel has no fprobe_hlist",
			   "its fprobes do not use the slow table");
	else if (better)
		answer_set(asker, answer, FATHOM_FEATURE_NO, "the kernel has fprobe_node_cmp",
			   "its fprobes use a table that grows");
	else
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   "the kernel has fprobe_hlist, but not fprobe_node_cmp", "");
}
