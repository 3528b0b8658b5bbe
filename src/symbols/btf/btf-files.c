/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Loads BTF with libbpf, and indexes its functions. libbpf does not validate everything, so the
 * header is checked here first. libbpf checks type IDs and string offsets on use; readers must
 * handle loops in types.
 */
#include "symbols/btf/btf-files.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>
#include <bpf/libbpf.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/order.h"
#include "base/str.h"

/* The kernel's limit is much lower. */
#define MODULE_NAME_MAX 128

static void part_done(struct btf_part *part)
{
	free(part->module);
	free(part->functions);
	btf__free(part->btf);
}

/* Returns whether the header describes sections within the @size bytes. */
static bool header_is_sound(const void *bytes, size_t size)
{
	struct btf_header h;
	uint64_t room;

	if (size < sizeof(h) || size > UINT32_MAX)
		return false;
	memcpy(&h, bytes, sizeof(h));
	if (h.magic != BTF_MAGIC || h.version != BTF_VERSION)
		return false;
	/*
	 * libbpf only checks offsets within the sections, and reads types in place, so they must be
	 * aligned.
	 */
	if (h.hdr_len < sizeof(h) || h.hdr_len > size || h.hdr_len % 4)
		return false;
	room = size - h.hdr_len;
	return (uint64_t)h.type_off + h.type_len <= room &&
	       (uint64_t)h.str_off + h.str_len <= room && h.type_off % 4 == 0 &&
	       h.type_off + (uint64_t)h.type_len <= h.str_off;
}

/* A library must not print, and neither must libbpf. */
static int say_nothing(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	return 0;
}

/* libbpf has no public function to parse split BTF in memory, so use a path. */
static struct btf *parse_module(int dir, const char *file, struct btf *base)
{
	char path[MODULE_NAME_MAX + 64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", dir, file);
	return btf__parse_raw_split(path, base);
}

static int btf_files_load(int dir, const char *file, struct btf *base, struct btf **ret_btf)
{
	_cleanup_strbuf_ struct strbuf bytes = { 0 };
	libbpf_print_fn_t outer;
	struct btf *btf;
	int r = file_read(dir, file, &bytes);

	if (r < 0)
		return r;
	if (!header_is_sound(bytes.s, bytes.len))
		return -EINVAL;
	outer = libbpf_set_print(say_nothing);
	if (base)
		btf = parse_module(dir, file, base);
	else
		btf = btf__new(bytes.s, (uint32_t)bytes.len);
	r = libbpf_get_error(btf) ? negative_errno() : 0;
	libbpf_set_print(outer);
	if (r == 0)
		*ret_btf = btf;
	return r == -ENOMEM ? r : r < 0 ? -EINVAL : 0;
}

static int btf_files_compare_functions(const void *a, const void *b)
{
	const struct btf_function *f = a, *g = b;
	int r = strcmp(f->name, g->name);

	return r ? r : (f->id > g->id) - (f->id < g->id);
}

/* Fills the index of @part with the functions among the types from @first on. */
static int index_functions(struct btf_part *part, uint32_t first)
{
	uint32_t count = btf__type_cnt(part->btf);
	size_t cap = 0;

	for (uint32_t id = first; id < count; id++) {
		const struct btf_type *t = btf__type_by_id(part->btf, id);
		const char *name;

		if (!t || !btf_is_func(t))
			continue;
		name = btf__name_by_offset(part->btf, t->name_off);
		if (!name || !*name)
			continue;
		if (mem_reserve(&part->functions, &cap, part->n + 1, sizeof(*part->functions)) < 0)
			return -ENOMEM;
		part->functions[part->n++] = (struct btf_function){ .name = name, .id = id };
	}
	if (part->n)
		qsort(part->functions, part->n, sizeof(*part->functions),
		      btf_files_compare_functions);
	return 0;
}

int btf_files_adopt(struct btf_files *files, struct btf *btf)
{
	int r;

	*files = (struct btf_files){ .dir = -1, .kernel = { .btf = btf } };
	r = index_functions(&files->kernel, 1);
	if (r < 0)
		btf_files_done(files);
	return r;
}

int btf_files_init(struct btf_files *files, int dir, struct fathom_err *err)
{
	int r;

	*files = (struct btf_files){ .dir = dir };
	r = btf_files_load(dir, "vmlinux", NULL, &files->kernel.btf);
	if (r == 0)
		r = index_functions(&files->kernel, 1);
	if (r < 0)
		btf_files_done(files);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r == -ENOENT)
		return err_set(
			err, r,
			"this kernel has no type information (CONFIG_DEBUG_INFO_BTF is off)");
	if (r < 0)
		return err_set_errno(err, r, "cannot read the kernel's type information");
	return 0;
}

void btf_files_done(struct btf_files *files)
{
	/* The BTF of modules refers to that of the kernel. */
	for (size_t i = 0; i < files->n_modules; i++)
		part_done(&files->modules[i]);
	free(files->modules);
	part_done(&files->kernel);
	*files = (struct btf_files){ .dir = -1 };
}

/* A module without BTF gets an empty part, so that the file is looked up only once. */
static int add_module(struct btf_files *files, const char *module, struct btf_part **ret_part)
{
	_cleanup_(part_done) struct btf_part part = { .module = mem_strdup(module) };
	int r;

	if (!part.module || mem_reserve(&files->modules, &files->cap_modules, files->n_modules + 1,
					sizeof(*files->modules)) < 0)
		return -ENOMEM;
	if (!strchr(module, '/') && module[0] != '.' && strlen(module) < MODULE_NAME_MAX) {
		r = btf_files_load(files->dir, module, files->kernel.btf, &part.btf);
		if (r == 0)
			r = index_functions(&part, btf__type_cnt(files->kernel.btf));
		if (r == -ENOMEM)
			return r;
	}
	*ret_part = &files->modules[files->n_modules++];
	**ret_part = TAKE_STRUCT(part, { 0 });
	return 0;
}

int btf_files_part(struct btf_files *files, const char *module, struct btf_part **ret_part)
{
	if (!module) {
		*ret_part = &files->kernel;
		return 0;
	}
	/* A linear search: there are a few hundred modules at most. */
	for (size_t i = 0; i < files->n_modules; i++) {
		if (str_eq(files->modules[i].module, module)) {
			*ret_part = &files->modules[i];
			return 0;
		}
	}
	return add_module(files, module, ret_part);
}

static int btf_files_compare_name(const void *name, const void *function)
{
	return strcmp(name, ((const struct btf_function *)function)->name);
}

size_t btf_part_find(const struct btf_part *part, const char *name)
{
	return order_place(name, part->functions, part->n, sizeof(*part->functions),
			   btf_files_compare_name);
}
