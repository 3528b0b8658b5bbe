/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looks up names in the kernel's BTF, which is world-readable, or else in its symbol table. Both
 * list what was actually compiled in.
 */
#include "kernel/features/probe.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"

/* Lines of kallsyms to read; a few hundred at its beginning have address 0. */
#define SYMBOLS_READ 4096

/* Newer kernels allow mapping; others return 4 KB of the 6 MB per read. */
static int load_btf(struct asker *asker, const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	struct stat st;
	void *p;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return negative_errno();
	if (st.st_size <= 0)
		return -ENODATA;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p != MAP_FAILED) {
		asker->btf = p;
		asker->btf_len = (size_t)st.st_size;
		asker->btf_mapped = true;
		return 0;
	}
	r = file_read(AT_FDCWD, path, &buf);
	if (r < 0)
		return r;
	asker->btf_len = buf.len;
	asker->btf = strbuf_take(&buf);
	return 0;
}

/* Loads the kernel's BTF once. Returns false if there is none. */
static bool have_btf(struct asker *asker)
{
	_cleanup_free_ char *path = NULL;

	if (asker->btf_tried)
		return asker->btf;
	asker->btf_tried = true;
	path = mem_printf("%s/sys/kernel/btf/vmlinux", asker->root);
	if (!path || load_btf(asker, path) == -ENOMEM)
		asker->no_memory = true;
	return asker->btf;
}

void kernel_names_done(struct asker *asker)
{
	if (asker->btf_mapped)
		munmap(asker->btf, asker->btf_len);
	else
		free(asker->btf);
	asker->btf = NULL;
}

/* BTF encloses each name in NUL bytes. */
int kernel_types_name(struct asker *asker, const char *name)
{
	size_t len = strlen(name) + 1;
	const char *at, *end;

	if (!have_btf(asker))
		return -ENOENT;
	at = asker->btf;
	end = at + asker->btf_len;
	while ((at = memmem(at, (size_t)(end - at), name, len))) {
		if (at > asker->btf && at[-1] == '\0')
			return 1;
		at += len;
	}
	return 0;
}

/*
 * Lines of kallsyms are "ADDRESS TYPE NAME", followed by a tab and the module for symbols of
 * modules.
 */
static int kallsyms_names(struct asker *asker, const char *name)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/kallsyms", asker->root);
	const struct strbuf *symbols = &asker->symbols;
	size_t len = strlen(name);
	int r = 0;

	if (!path)
		return -ENOMEM;
	if (!symbols->len)
		r = file_read(AT_FDCWD, path, &asker->symbols);
	if (r < 0)
		return r;
	if (!symbols->len)
		return -ENODATA;
	for (const char *at = symbols->s; (at = strstr(at, name)); at += len)
		if (at > symbols->s && at[-1] == ' ' && (at[len] == '\n' || at[len] == '\0'))
			return 1;
	return 0;
}

/* BTF of older kernels lists traceable functions only, and thus none of the tracer itself. */
int kernel_names(struct asker *asker, const char *name)
{
	int r;

	if (kernel_types_name(asker, name) > 0)
		return 1;
	r = kallsyms_names(asker, name);
	if (r == -ENOMEM)
		asker->no_memory = true;
	return r;
}

void ask_name(struct asker *asker, const struct question *question, struct fathom_feature *answer)
{
	int has = kernel_names(asker, question->arg);

	if (has > 0)
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   asker_text(asker, "the kernel has %s()", question->arg), "");
	else if (has == 0)
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   asker_text(asker, "the kernel has no %s()", question->arg),
			   "the kernel is too old, or was built without it");
	else
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN,
			   asker_text(asker, "looked for %s() in BTF and kernel symbols",
				      question->arg),
			   "neither BTF nor kernel symbols are visible");
}

int kernel_quiet_function_id(struct asker *asker)
{
	libbpf_print_fn_t before;
	struct btf *btf;
	int id;

	/* Parsing is expensive, and all questions need the same ID. */
	if (asker->function_id)
		return asker->function_id;
	if (!have_btf(asker))
		return -ENOENT;
	/* By default libbpf prints errors; a library must not. */
	before = libbpf_set_print(NULL);
	btf = btf__new(asker->btf, (__u32)asker->btf_len);
	id = btf ? btf__find_by_name_kind(btf, QUIET_FUNCTION, BTF_KIND_FUNC) : negative_errno();
	btf__free(btf);
	libbpf_set_print(before);
	asker->function_id = id;
	return id;
}

/*
 * Registering many fprobes was slow with the fixed-size hash table. Its replacement is recognized
 * by the functions it added.
 */
void ask_fprobe_mass(struct asker *asker, const struct question *question,
		     struct fathom_feature *answer)
{
	int table = kernel_names(asker, "fprobe_hlist");
	int better = kernel_names(asker, "fprobe_node_cmp");

	if (table < 0 || better < 0)
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN,
			   "looked for fprobe_hlist in BTF and kernel symbols",
			   "neither BTF nor kernel symbols are visible");
	else if (!table)
		answer_set(asker, answer, FATHOM_FEATURE_NO, "the kernel has no fprobe_hlist",
			   "fprobes do not use the slow hash table");
	else if (better)
		answer_set(asker, answer, FATHOM_FEATURE_NO, "the kernel has fprobe_node_cmp",
			   "fprobes use a resizable hash table");
	else
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   "the kernel has fprobe_hlist, but not fprobe_node_cmp", "");
}

/* Hidden addresses are all zero; a few at the beginning of the list always are. */
void ask_symbol_addrs(struct asker *asker, const struct question *question,
		      struct fathom_feature *answer)
{
	static const char how[] = "read the beginning of /proc/kallsyms";
	_cleanup_free_ char *path = mem_printf("%s/proc/kallsyms", asker->root);
	_cleanup_fclose_ FILE *file = path ? fopen(path, "re") : NULL;
	char line[512];

	if (!path) {
		asker->no_memory = true;
		return;
	}
	if (!file) {
		answer_from_errno(asker, answer, negative_errno(), how);
		return;
	}
	for (int n = 0; n < SYMBOLS_READ && fgets(line, sizeof(line), file); n++) {
		const char *at = line;

		if (str_hex(&at)) {
			answer_set(asker, answer, FATHOM_FEATURE_YES, how, "");
			return;
		}
	}
	answer_set(asker, answer, FATHOM_FEATURE_NO, how, "kernel addresses are hidden");
}
