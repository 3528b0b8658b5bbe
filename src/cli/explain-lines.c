/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a function of the kernel is in the source, by the debug information of its file, vmlinux. */
#include "cli/explain-find.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "symbols/kernel-file.h"
#include "symbols/module-lines.h"
#include "symbols/source-lines.h"
#include "symbols/source-places.h"
#include "symbols/user-program.h"

/* A function of so many places: the others are as good. */
#define PLACES_MAX 16

struct debug_file {
	struct user_program *program;
	void *image;
	size_t size;
	struct source_lines *lines;
};

static void debug_file_done(struct debug_file *file)
{
	source_lines_free(file->lines);
	if (file->image)
		munmap(file->image, file->size);
	user_program_free(file->program);
}

/* 0, or a negative errno with why not. */
static int debug_file_open(const char *path, struct debug_file *file, struct fathom_err *why)
{
	int r = user_program_open(path, &file->program, why);
	_cleanup_close_ int fd = r < 0 ? -1 : user_program_open_debug(file->program);
	struct stat st;
	void *image;

	if (r < 0)
		return r;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return err_set(why, -ENODATA, "'%.150s' has no debug information", path);
	/* Of its own, as the library may change it. */
	image = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (image == MAP_FAILED)
		return err_set_errno(why, -errno, "cannot read '%.150s'", path), why->code;
	file->image = image;
	file->size = (size_t)st.st_size;
	r = source_lines_new(image, file->size, &file->lines);
	if (r == -ENOTSUP)
		return err_set(why, r, "fathom was built without libdw, which reads '%.150s'",
			       path);
	return r < 0 && r != -ENOMEM ? err_set(why, r, "'%.150s' has no debug information", path) :
				       r;
}

/* Where in the file the symbol is: by its address, which tells those of one name apart, or by its name. */
static bool find_address(const struct debug_file *file, const struct explanation *e,
			 const struct explained_symbol *symbol, uint64_t *ret_address)
{
	uint64_t text;

	if (symbol->address && e->text_address && symbol->address >= e->text_address &&
	    user_program_symbol(file->program, "_text", &text)) {
		*ret_address = symbol->address - e->text_address + text;
		return true;
	}
	return user_program_symbol(file->program, symbol->name, ret_address);
}

static bool is_told(const struct explanation *e, const char *file, unsigned line)
{
	for (size_t i = 0; i < e->n_sources; i++)
		if (e->sources[i].line == line && str_eq(e->sources[i].file, file))
			return true;
	return false;
}

static int add_place(const struct explain_query *query, const char *path, uint32_t line,
		     const char *by, struct explanation *e)
{
	const char *file = source_path_end(path), *found = file;

	if (query->source && file[0] != '/')
		found = arena_printf(&e->arena, "%s/%s", query->source, file);
	if (!found)
		return -ENOMEM;
	/* It may be another tree, or a part of one. */
	if (access(found, R_OK) < 0)
		found = file;
	return is_told(e, found, line) ? 0 : explain_add_source(e, found, line, by);
}

static int find_places(const struct explain_query *query, const struct debug_file *file,
		       const char *by, struct explanation *e)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < e->n_symbols && n < PLACES_MAX && r == 0; i++) {
		const char *path;
		uint64_t address;
		uint32_t line;

		/* Pieces of a function, as ".cold", are at its line, too. */
		if (!e->symbols[i].module && strchr("tTwW", e->symbols[i].type) &&
		    find_address(file, e, &e->symbols[i], &address) &&
		    source_lines_function(file->lines, address, &path, &line)) {
			r = add_place(query, path, line, by, e);
			n++;
		}
	}
	return r;
}

static int find_kernel_lines(const struct explain_query *query, struct explanation *e)
{
	_cleanup_(debug_file_done) struct debug_file file = { 0 };
	struct fathom_err why = { 0 };
	char path[PATH_MAX];
	const char *by = query->vmlinux;
	int r;

	if (!by && !kernel_file_find(query->root, query->release, path, sizeof(path)))
		return 0;
	by = arena_strdup(&e->arena, by ?: path);
	r = by ? debug_file_open(by, &file, &why) : -ENOMEM;
	if (r == -ENOMEM)
		return r;
	if (r == 0 && !kernel_file_is_running(query->root, &file.program->elf)) {
		r = err_set(&why, -ESTALE, "'%.150s' is not of the kernel that runs", by);
		/* Functions are elsewhere in it; those that are one of a kind can be found by their names. */
		e->text_address = 0;
	}
	if (r < 0)
		e->notes = arena_printf(&e->arena, "%s%s\n", e->notes, why.message);
	if (!e->notes)
		return -ENOMEM;
	return file.lines && (r == 0 || query->vmlinux) ? find_places(query, &file, by, e) : 0;
}

static int note(struct explanation *e, const char *by, const char *what)
{
	e->notes = arena_printf(&e->arena, "%s'%s' %s\n", e->notes, by, what);
	return e->notes ? 0 : -ENOMEM;
}

/* Of a function in a module. */
static int find_in_module(const struct explain_query *query, const struct explained_symbol *symbol,
			  struct explanation *e)
{
	struct elf_source source;
	struct elf_file elf;
	char path[PATH_MAX];
	const char *by, *file;
	uint32_t line;
	bool is_loaded = false;
	int r;

	if (!kernel_file_find_module(query->root, query->release, symbol->module, path,
				     sizeof(path)))
		return 0;
	{
		_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

		if (fd >= 0 && elf_source_fd(fd, &source) == 0 &&
		    elf_file_init(&elf, &source, NULL) == 0) {
			is_loaded = kernel_file_is_loaded(query->root, symbol->module, &elf);
			elf_file_done(&elf);
		}
	}
	by = arena_strdup(&e->arena, path);
	if (!by)
		return -ENOMEM;
	if (!is_loaded)
		return note(e, by, "is not of the module that is loaded");
	r = module_lines_find(path, symbol->name, &e->arena, &file, &line);
	if (r == 0)
		return add_place(query, file, line, by, e);
	return r == -ENOMEM ? r : 0;
}

int explain_find_lines(const struct explain_query *query, struct explanation *e)
{
	bool in_kernel = !e->n_symbols;
	int r = 0;

	for (size_t i = 0; i < e->n_symbols && r == 0; i++) {
		const struct explained_symbol *s = &e->symbols[i];

		if (!s->module)
			in_kernel = true;
		else if (strchr("tTwW", s->type))
			r = find_in_module(query, s, e);
	}
	return r == 0 && in_kernel ? find_kernel_lines(query, e) : r;
}
