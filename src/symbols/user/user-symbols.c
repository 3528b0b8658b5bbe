/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/user/user-symbols.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/order.h"
#include "symbols/elf/elf-debug-file.h"
#include "symbols/user/user-symbols-parts.h"

/* Limits the bytes read of a perf-PID.map. */
#define JIT_TEXT_MAX ((uint64_t)64 << 20)

/* JIT-compiled code of a process. */
struct user_jit {
	bool asked;
	struct symbol_table table;
};

const char *user_unresolved_text(enum user_unresolved why)
{
	static const char *const texts[USER_REASONS] = {
		[USER_RESOLVED] = "",
		[USER_NO_MAPS] = "no memory map of the process was recorded",
		[USER_NOT_MAPPED] = "not mapped",
		[USER_JIT] = "JIT-compiled code without a /tmp/perf-PID.map or jit-PID.dump",
		[USER_VDSO] = "in the vDSO of the kernel that recorded",
		[USER_NO_CODE] = "no part of a file",
		[USER_DELETED] = "the file had been deleted",
		[USER_CHANGED] = "another file has this name now",
		[USER_NOT_HERE] =
			"no such file here; deleted since, other mount namespace or machine",
		[USER_UNREADABLE] = "the file cannot be read",
		[USER_NO_SYMBOLS] = "no symbols: the file is stripped, and no debug file was found",
		[USER_NO_FUNCTION] = "no function of the file",
	};

	return (size_t)why < ARRAY_SIZE(texts) ? texts[why] : "";
}

void user_symbols_done(struct user_symbols *symbols)
{
	user_maps_done(&symbols->maps);
	for (size_t i = 0; i < symbols->n_files; i++) {
		elf_file_done(&symbols->files[i].elf);
		symbol_table_done(&symbols->files[i].table);
	}
	for (size_t i = 0; i < symbols->n_jits; i++)
		symbol_table_done(&symbols->jits[i].table);
	free(symbols->files);
	free(symbols->copies);
	free(symbols->jits);
	free(symbols->readable);
	u64_map_done(&symbols->paths);
	u64_map_done(&symbols->jit_pids);
	u64_map_done(&symbols->shown);
	u64_map_done(&symbols->line_keys);
	free(symbols->lines);
	arena_done(&symbols->arena);
	demangler_done(&symbols->demangler);
	*symbols = (struct user_symbols){ 0 };
}

int user_symbols_add_copy(struct user_symbols *symbols, uint32_t number,
			  const struct elf_source *source)
{
	if (mem_reserve(&symbols->copies, &symbols->cap_copies, symbols->n_copies + 1,
			sizeof(*symbols->copies)) < 0)
		return -ENOMEM;
	symbols->copies[symbols->n_copies++] = (struct user_copy){ number, *source };
	return 0;
}

static int user_symbols_compare_copy(const void *number, const void *copy)
{
	const uint32_t *wanted = number;
	const struct user_copy *other = copy;

	return (*wanted > other->number) - (*wanted < other->number);
}

static const struct elf_source *find_copy(const struct user_symbols *symbols, uint32_t number)
{
	size_t at = order_place(&number, symbols->copies, symbols->n_copies,
				sizeof(*symbols->copies), user_symbols_compare_copy);

	return at < symbols->n_copies && symbols->copies[at].number == number ?
		       &symbols->copies[at].source :
		       NULL;
}

/*
 * Checks that this is the file that was mapped, as far as its origin is known. Returns 0 or
 * -ESTALE.
 */
static int check_origin(const struct user_file *file, const struct stat *st)
{
	const struct user_origin *origin = file->origin;
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len;

	if (!origin)
		return 0;
	if (origin->build_id_len) {
		len = elf_file_build_id(&file->elf, id);
		return len == origin->build_id_len && memcmp(id, origin->build_id, len) == 0 ?
			       0 :
			       -ESTALE;
	}
	if (!origin->mtime)
		return 0;
	return origin->size == (uint64_t)st->st_size &&
			       origin->mtime == (uint64_t)st->st_mtim.tv_sec * 1000000000 +
							(uint64_t)st->st_mtim.tv_nsec ?
		       0 :
		       -ESTALE;
}

/*
 * Reads the symbols of an open file, from the cache or the file. Only complete tables are stored.
 */
static int user_symbols_read_table(struct user_symbols *symbols, struct user_file *file, int fd)
{
	unsigned char id[ELF_BUILD_ID_MAX];
	size_t len = elf_file_build_id(&file->elf, id);
	unsigned lack;
	struct stat st;
	int r;

	if (fstat(fd, &st) < 0)
		return negative_errno();
	r = check_origin(file, &st);
	if (r < 0)
		return r;
	if (symbol_cache_load(&symbols->cache, id, len, &st, &file->table) == 0)
		return 0;
	r = elf_symbols_read(&file->elf, file->path, &symbols->opener, &file->table, &lack);
	if (r < 0)
		return r;
	file->stripped = lack & (ELF_LACK_SYMTAB | ELF_LACK_DAMAGE);
	/* Failing to store it does not affect the result. */
	if (!lack)
		symbol_cache_store(&symbols->cache, id, len, &st, &file->table);
	return 0;
}

/* Reads the symbols of a copy in the trace. */
static int read_copy(struct user_symbols *symbols, struct user_file *file,
		     const struct elf_source *source)
{
	unsigned lack;
	int r = elf_file_init(&file->elf, source, NULL);

	if (r == 0)
		r = elf_symbols_read(&file->elf, file->path, &symbols->opener, &file->table, &lack);
	if (r == 0)
		file->stripped = lack & (ELF_LACK_SYMTAB | ELF_LACK_DAMAGE);
	file->elf.source = (struct elf_source){ .fd = -1 };
	return r;
}

static int read_by_name(struct user_symbols *symbols, struct user_file *file, const char *name)
{
	const struct elf_opener *opener = &symbols->opener;
	_cleanup_close_ int fd = opener->open ? opener->open(opener->data, name) : -ENOENT;
	struct elf_source source;
	int r;

	if (fd < 0)
		return fd;
	r = elf_source_fd(fd, &source);
	if (r == 0)
		r = elf_file_init(&file->elf, &source, NULL);
	if (r < 0)
		return r;
	r = user_symbols_read_table(symbols, file, fd);
	file->elf.source = (struct elf_source){ .fd = -1 };
	return r;
}

const struct elf_source *user_file_copy(const struct user_symbols *symbols,
					const struct user_file *file)
{
	return file->origin && file->origin->copy ? find_copy(symbols, file->origin->copy) : NULL;
}

static int read_file(struct user_symbols *symbols, struct user_file *file)
{
	const struct user_origin *origin = file->origin;
	const struct elf_source *copy = user_file_copy(symbols, file);

	char name[ELF_DEBUGINFOD_NAME];
	int r;

	if (copy)
		return read_copy(symbols, file, copy);
	r = origin && origin->deleted ? -EOWNERDEAD : read_by_name(symbols, file, file->path);
	if (r == 0 || r == -ENOMEM || !origin || !origin->build_id_len ||
	    !symbols->opener.debuginfod)
		return r;
	/* Try to download the file. */
	elf_file_done(&file->elf);
	elf_debuginfod_name("executable", origin->build_id, origin->build_id_len, name);
	if (read_by_name(symbols, file, name) < 0)
		return r;
	file->opened = arena_strdup(&symbols->arena, name);
	return file->opened ? 0 : -ENOMEM;
}

static enum user_unresolved reason_of(int r)
{
	return r == 0			     ? USER_RESOLVED :
	       r == -EOWNERDEAD		     ? USER_DELETED :
	       r == -ESTALE		     ? USER_CHANGED :
	       r == -ENOENT || r == -ENOTDIR ? USER_NOT_HERE :
					       USER_UNREADABLE;
}

/* Returns the file of that name, which is read by the first call. NULL: out of memory. */
static struct user_file *get_file(struct user_symbols *symbols, const char *path,
				  const struct user_origin *origin)
{
	uint64_t key = hash_bytes(path, strlen(path), hash_seed()) ^ (uintptr_t)origin;
	struct user_file *file;
	int r;

	/* On a hash collision, try the next slot. */
	for (;; key++) {
		file = u64_map_element(&symbols->paths, key, &symbols->files, &symbols->n_files,
				       &symbols->cap_files, sizeof(*file));
		if (!file)
			return NULL;
		if (!file->path)
			break;
		if (strcmp(file->path, path) == 0 && file->origin == origin)
			return file;
	}
	file->path = path;
	file->origin = origin;
	r = read_file(symbols, file);
	if (r == -ENOMEM)
		symbols->nomem = true;
	file->why = reason_of(r);
	return file;
}

/* Opens the file with names of JIT-compiled code of @pid; @form is the format of its name. */
static int open_jit(struct user_symbols *symbols, const char *form, int32_t pid,
		    struct elf_source *ret_source)
{
	const struct elf_opener *opener = &symbols->jit_opener;
	_cleanup_close_ int fd = -1;
	char path[64];
	int r;

	snprintf(path, sizeof(path), form, (int)pid);
	fd = opener->open ? opener->open(opener->data, path) : -ENOENT;
	if (fd < 0)
		return fd;
	r = elf_source_fd(fd, ret_source);
	return r < 0 ? r : TAKE_FD(fd);
}

static int read_jit_map(struct user_symbols *symbols, int32_t pid, struct symbol_builder *builder)
{
	_cleanup_free_ char *text = NULL;
	struct elf_source source;
	_cleanup_close_ int fd = open_jit(symbols, "/tmp/perf-%d.map", pid, &source);
	int r;

	if (fd < 0)
		return fd;
	if (source.size > JIT_TEXT_MAX)
		source.size = JIT_TEXT_MAX;
	text = mem_alloc((size_t)source.size + 1);
	if (!text)
		return -ENOMEM;
	r = elf_source_read(&source, 0, text, (size_t)source.size);
	return r < 0 ? r : user_jit_add_text(builder, text, (size_t)source.size);
}

static int read_jit(struct user_symbols *symbols, int32_t pid, struct symbol_table *ret_table)
{
	_cleanup_symbol_builder_ struct symbol_builder builder = { 0 };
	struct elf_source source;
	_cleanup_close_ int fd = -1;
	int r = read_jit_map(symbols, pid, &builder);

	if (r == -ENOMEM)
		return r;
	fd = open_jit(symbols, "/tmp/jit-%d.dump", pid, &source);
	if (fd >= 0 && user_jit_add_dump(&builder, &source) == -ENOMEM)
		return -ENOMEM;
	return symbol_builder_finish(&builder, ret_table);
}

static const struct symbol_table *get_jit(struct user_symbols *symbols, int32_t pid)
{
	struct user_jit *jit = u64_map_element(&symbols->jit_pids, (uint32_t)pid, &symbols->jits,
					       &symbols->n_jits, &symbols->cap_jits, sizeof(*jit));

	if (!jit) {
		symbols->nomem = true;
		return NULL;
	}
	if (!jit->asked && read_jit(symbols, pid, &jit->table) == -ENOMEM)
		symbols->nomem = true;
	jit->asked = true;
	return &jit->table;
}

const char *user_symbols_readable(struct user_symbols *symbols, const char *name)
{
	_cleanup_strbuf_ struct strbuf out = { 0 };
	const char **place;

	if (name[0] != '_')
		return name;
	place = u64_map_element(&symbols->shown, (uintptr_t)name, &symbols->readable,
				&symbols->n_readable, &symbols->cap_readable, sizeof(*place));
	if (!place) {
		symbols->nomem = true;
		return name;
	}
	if (*place)
		return *place;
	*place = name;
	if (demangle(&symbols->demangler, name, &out)) {
		const char *copy = arena_strdup(&symbols->arena, strbuf_str(&out));

		if (copy && !out.err)
			*place = copy;
		else
			symbols->nomem = true;
	}
	return *place;
}

/*
 * Converts an address to one as in the file. Returns false if it is not in a loaded part of the
 * file.
 */
static bool address_in_file(const struct user_file *file, const struct user_mapping *mapping,
			    uint64_t address, uint64_t *ret_address)
{
	uint64_t distance = address - mapping->start;

	if (mapping->offset == USER_OFFSET_UNKNOWN) {
		*ret_address = elf_file_base(&file->elf) + distance;
		return true;
	}
	return elf_file_address(&file->elf, mapping->offset + distance, ret_address);
}

static void user_symbols_find_in_file(struct user_symbols *symbols,
				      const struct user_mapping *mapping, uint64_t address,
				      struct user_symbol *symbol)
{
	const struct user_file *file = get_file(symbols, mapping->path, mapping->origin);
	struct symbol found;
	uint64_t own;

	symbol->path = mapping->path;
	symbol->offset = address - mapping->start;
	if (mapping->offset != USER_OFFSET_UNKNOWN)
		symbol->offset += mapping->offset;
	if (!file) {
		symbols->nomem = true;
		symbol->why = USER_UNREADABLE;
		return;
	}
	symbol->why = file->why;
	if (file->why != USER_RESOLVED)
		return;
	if (address_in_file(file, mapping, address, &own) &&
	    symbol_table_find(&file->table, own, &found)) {
		symbol->name = user_symbols_readable(symbols, found.name);
		symbol->offset = own - found.start;
		symbol->file = (uint32_t)(file - symbols->files) + 1;
		symbol->address = own;
		return;
	}
	symbol->why = file->stripped ? USER_NO_SYMBOLS : USER_NO_FUNCTION;
}

bool user_symbols_function(struct user_symbols *symbols, const char *path, const char *name,
			   struct user_symbol *ret_symbol)
{
	const struct user_file *file = get_file(symbols, path, NULL);
	const struct symbol_table *table;
	uint32_t n = 0, at = 0;

	if (!file) {
		symbols->nomem = true;
		return false;
	}
	table = &file->table;
	for (uint32_t i = 0; file->why == USER_RESOLVED && i < table->n; i++)
		if (!table->ranges[i].back &&
		    strcmp(table->strings + table->ranges[i].name, name) == 0) {
			n++;
			at = i;
		}
	if (n == 1)
		*ret_symbol = (struct user_symbol){ .name = table->strings + table->ranges[at].name,
						    .path = path,
						    .file = (uint32_t)(file - symbols->files) + 1,
						    .address = table->starts[at] };
	return n == 1;
}

/* Returns true if it is JIT-compiled code with a name. */
static bool find_in_jit(struct user_symbols *symbols, int32_t pid, uint64_t address,
			struct user_symbol *symbol)
{
	const struct symbol_table *table = get_jit(symbols, pid);
	struct symbol found;

	if (!table || !symbol_table_find(table, address, &found))
		return false;
	*symbol = (struct user_symbol){ .name = user_symbols_readable(symbols, found.name),
					.offset = address - found.start };
	return true;
}

/* The vDSO of 32-bit programs differs from that of the recorder. */
static bool is_kept_vdso(const struct user_mapping *mapping)
{
	return mapping->origin && mapping->origin->copy && mapping->start >> 32 &&
	       strcmp(mapping->path, "[vdso]") == 0;
}

void user_symbols_find(struct user_symbols *symbols, int32_t pid, uint64_t time, uint64_t address,
		       struct user_symbol *ret_symbol)
{
	const struct user_mapping *mapping;
	struct user_symbol symbol = { .offset = address };
	bool known;

	mapping = user_maps_find(&symbols->maps, pid, time, address, &known);
	if (!mapping || !*mapping->path || strncmp(mapping->path, "//anon", 6) == 0) {
		if (!find_in_jit(symbols, pid, address, &symbol))
			symbol.why = !known ? USER_NO_MAPS : !mapping ? USER_NOT_MAPPED : USER_JIT;
	} else if (is_kept_vdso(mapping)) {
		user_symbols_find_in_file(symbols, mapping, address, &symbol);
	} else if (mapping->path[0] != '/') {
		symbol.why = strcmp(mapping->path, "[vdso]") == 0 ? USER_VDSO : USER_NO_CODE;
		symbol.path = mapping->path;
		symbol.offset = address - mapping->start;
	} else if (mapping->deleted && !mapping->origin) {
		symbol.why = USER_DELETED;
		symbol.path = mapping->path;
		symbol.offset = address - mapping->start;
	} else {
		user_symbols_find_in_file(symbols, mapping, address, &symbol);
	}
	symbols->answers[symbol.why]++;
	*ret_symbol = symbol;
}
