/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the source location of a kernel function in the debug information of vmlinux or a module.
 * The file given with --vmlinux is untrusted, so all of this is parsed in a confined process.
 */
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/machine/explain-lines-parts.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "process/confined-call.h"
#include "symbols/dwarf/source-lines.h"
#include "symbols/dwarf/source-places.h"
#include "symbols/kernel/kernel-file.h"
#include "symbols/kernel/module-lines.h"
#include "symbols/user/user-program.h"

/* Kernel debug information has hundreds of megabytes, and libdw maps the whole file privately. */
#define MEMORY_MAX ((uint64_t)4 << 30)

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

/* 0, or a negative errno with the reason */
static int debug_file_open(const char *path, struct debug_file *file, struct fathom_err *why)
{
	int r = user_program_open(path, &file->program, why);
	_cleanup_close_ int fd = r < 0 ? -1 : user_program_open_debug(file->program);
	struct stat st;
	void *image;

	if (r < 0)
		return r;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_size <= 0)
		return err_set(why, -ENODATA, "no debug information in '%.150s'", path);
	/* A descriptor of its own, because libdw may modify its state. */
	image = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (image == MAP_FAILED)
		return err_set_errno(why, negative_errno(), "cannot read '%.150s'", path),
		       why->code;
	file->image = image;
	file->size = (size_t)st.st_size;
	r = source_lines_new(image, file->size, &file->lines);
	if (r == -ENOTSUP)
		return err_set(why, r, "cannot read '%.150s': fathom was built without libdw",
			       path);
	return r < 0 && r != -ENOMEM ? err_set(why, r, "no debug information in '%.150s'", path) :
				       r;
}

/* Finds the symbol in the file, by address, which is unambiguous, or by name. */
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

static bool explain_lines_is_told(const struct explanation *e, const char *file, unsigned line)
{
	for (size_t i = 0; i < e->n_sources; i++)
		if (e->sources[i].line == line && str_eq(e->sources[i].file, file))
			return true;
	return false;
}

static int send_place(const char *path, uint32_t line, const char *by)
{
	_cleanup_strbuf_ struct strbuf message = { 0 };

	strbuf_addc(&message, EXPLAIN_PLACE);
	strbuf_add(&message, &line, sizeof(line));
	strbuf_add(&message, path, strlen(path) + 1);
	strbuf_add(&message, by, strlen(by));
	return message.err ? -ENOMEM : confined_send(message.s, message.len);
}

static int explain_lines_add_place(const struct explain_query *query, const char *path,
				   uint32_t line, const char *by, struct explanation *e)
{
	const char *file = source_path_end(path), *found = file;

	if (query->source && file[0] != '/')
		found = arena_printf(&e->arena, "%s/%s", query->source, file);
	if (!found)
		return -ENOMEM;
	/* May be a different tree, or a part of one. */
	if (access(found, R_OK) < 0)
		found = file;
	return explain_lines_is_told(e, found, line) ? 0 : explain_add_source(e, found, line, by);
}

static int explain_lines_find_places(const struct debug_file *file, const char *by,
				     const struct explanation *e)
{
	size_t n = 0;
	int r = 0;

	for (size_t i = 0; i < e->n_symbols && n < EXPLAIN_PLACES_MAX && r == 0; i++) {
		const char *path;
		uint64_t address;
		uint32_t line;

		/* Fragments of a function, such as ".cold", also have its line. */
		if (!e->symbols[i].module && strchr("tTwW", e->symbols[i].type) &&
		    find_address(file, e, &e->symbols[i], &address) &&
		    source_lines_function(file->lines, address, &path, &line)) {
			r = send_place(path, line, by);
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
		r = err_set(&why, -ESTALE, "'%.150s' does not match the running kernel", by);
		/* Functions have other addresses in this file; unique ones can be found by name. */
		e->text_address = 0;
	}
	if (r < 0)
		e->notes = arena_printf(&e->arena, "%s%s\n", e->notes, why.message);
	if (!e->notes)
		return -ENOMEM;
	return file.lines && (r == 0 || query->vmlinux) ? explain_lines_find_places(&file, by, e) :
							  0;
}

static int explain_lines_note(struct explanation *e, const char *by, const char *what)
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
		_cleanup_close_ int fd = confined_open(path);

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
		return explain_lines_note(e, by, "does not match the loaded module");
	r = module_lines_find(path, symbol->name, &e->arena, &file, &line);
	if (r == 0)
		return send_place(file, line, by);
	return r == -ENOMEM ? r : 0;
}

static int send_notes(const char *notes)
{
	_cleanup_strbuf_ struct strbuf message = { 0 };

	strbuf_addc(&message, EXPLAIN_NOTES);
	strbuf_add(&message, notes, strlen(notes));
	return message.err ? -ENOMEM : confined_send(message.s, message.len);
}

static int explain_lines_work(void *data, struct fathom_err *err)
{
	const struct explain_search *search = data;
	struct explanation *e = search->e;
	size_t before = strlen(e->notes);
	bool in_kernel = !e->n_symbols;
	int r = 0;

	for (size_t i = 0; i < e->n_symbols && r == 0; i++) {
		const struct explained_symbol *s = &e->symbols[i];

		if (!s->module)
			in_kernel = true;
		else if (strchr("tTwW", s->type))
			r = find_in_module(search->query, s, e);
	}
	if (r == 0 && in_kernel)
		r = find_kernel_lines(search->query, e);
	return r == 0 && e->notes[before] ? send_notes(e->notes + before) : r;
}

int explain_message_parse(const char *bytes, size_t len, struct arena *arena,
			  struct explain_message *ret_message)
{
	struct explain_message message = { .letter = EXPLAIN_NOTES };
	size_t head = 1, n;

	if (len < 2 || (bytes[0] != EXPLAIN_NOTES && bytes[0] != EXPLAIN_PLACE))
		return -EPROTO;
	if (bytes[0] == EXPLAIN_PLACE) {
		message.letter = EXPLAIN_PLACE;
		head += sizeof(message.line);
		n = len > head ? strnlen(bytes + head, len - head) : 0;
		/* Both texts, and the NUL between them. */
		if (!n || head + n + 1 >= len)
			return -EPROTO;
		memcpy(&message.line, bytes + 1, sizeof(message.line));
		message.by = arena_strndup(arena, bytes + head + n + 1, len - head - n - 1);
		if (!message.by)
			return -ENOMEM;
	}
	message.text = arena_strndup(arena, bytes + head, len - head);
	if (!message.text)
		return -ENOMEM;
	*ret_message = message;
	return 0;
}

int explain_search_take(void *data, const char *bytes, size_t len, struct fathom_err *err)
{
	struct explain_search *search = data;
	struct explanation *e = search->e;
	struct explain_message message;
	int r = search->n++ <= EXPLAIN_PLACES_MAX + e->n_symbols ?
			explain_message_parse(bytes, len, &e->arena, &message) :
			-EPROTO;

	if (r == 0 && message.letter == EXPLAIN_PLACE)
		return explain_lines_add_place(search->query, message.text, message.line,
					       message.by, e);
	if (r == -EPROTO || (r == 0 && search->has_notes))
		return err_set(err, -EPROTO, "cannot read '%.200s'",
			       search->query->vmlinux ?: "vmlinux");
	if (r < 0)
		return r;
	search->has_notes = true;
	e->notes = arena_printf(&e->arena, "%s%s", e->notes, message.text);
	return e->notes ? 0 : -ENOMEM;
}

/* Files that the process may read besides those of the kernel: they identify the running kernel. */
static struct confined_file *list_files(const struct explain_query *query, struct explanation *e,
					size_t *ret_n)
{
	struct confined_file *files = arena_zalloc(&e->arena, e->n_symbols + 3, sizeof(*files));
	size_t n = 0;

	if (!files)
		return NULL;
	files[n++].name = query->vmlinux ?: "";
	files[n++].name = arena_printf(&e->arena, "%s/sys/kernel/notes", query->root);
	files[n++].name = arena_printf(&e->arena, "%s/lib/modules/%s/modules.dep", query->root,
				       query->release);
	for (size_t i = 0; i < e->n_symbols; i++)
		if (e->symbols[i].module)
			files[n++].name = arena_printf(&e->arena,
						       "%s/sys/module/%s/notes/.note.gnu.build-id",
						       query->root, e->symbols[i].module);
	for (size_t i = 0; i < n; i++) {
		files[i].fd = -1;
		if (!files[i].name)
			return NULL;
	}
	*ret_n = n;
	return files;
}

int explain_find_lines(const struct explain_query *query, struct explanation *e)
{
	struct explain_search search = { query, e };
	struct fathom_err err = { 0 };
	size_t n = 0;
	struct confined_file *files = list_files(query, e, &n);
	int r;

	if (!files)
		return -ENOMEM;
	r = confined_call(&(struct confined_call){ .work = explain_lines_work,
						   .take = explain_search_take,
						   .data = &search,
						   .subject = query->vmlinux ?: "vmlinux",
						   .files = files,
						   .n_files = n,
						   .memory = MEMORY_MAX },
			  &err);
	/* Without lines, the explanation is shorter. */
	if (r < 0 && r != -ENOMEM)
		e->notes = arena_printf(&e->arena, "%s%s\n", e->notes ?: "", err.message);
	return r == -ENOMEM || !e->notes ? -ENOMEM : 0;
}
