/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/elf/elf-object.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/str.h"
#include "symbols/elf/elf-debug-file.h"

#define SHOWN_MAX 8

struct search {
	const char *source; /* the source file given by the user; NULL: none */
	size_t source_len;
	const char *name;
	struct elf_object found;
	unsigned n; /* number of different ones */
	bool is_thread_local;
	struct strbuf *several; /* may be NULL */
};

static const char *elf_object_name_at(const struct elf_file *file, const struct elf_symtab *table,
				      const unsigned char *p)
{
	uint64_t at = ELF_FIELD(file, p, Sym, st_name);

	return at < table->names_size ? (const char *)table->names + at : "";
}

/*
 * Returns whether this is the requested name, possibly with a version as in "environ@@GLIBC_2.2.5".
 */
static bool elf_object_is_wanted(const struct search *search, const char *name, const char *source)
{
	size_t len = strlen(search->name);

	if (strncmp(name, search->name, len) != 0 || (name[len] && name[len] != '@'))
		return false;
	return !search->source || (source && strlen(source) == search->source_len &&
				   strncmp(source, search->source, search->source_len) == 0);
}

static void elf_object_note(struct search *search, const struct elf_object *object,
			    const char *source)
{
	if (search->n && search->found.address == object->address) {
		if (!search->found.size)
			search->found.size = object->size;
		return;
	}
	if (!search->n)
		search->found = *object;
	search->n++;
	if (search->several && search->n <= SHOWN_MAX)
		strbuf_addf(search->several, "%s%.100s%s%.100s", search->n > 1 ? ", " : "",
			    source ?: "", source ? ":" : "", search->name);
}

static void search_table(struct search *search, const struct elf_file *file,
			 const struct elf_symtab *table)
{
	const char *source = NULL;

	for (size_t i = 1; i < table->n; i++) {
		const unsigned char *p = table->symbols + i * table->entry;
		unsigned info = (unsigned)ELF_FIELD(file, p, Sym, st_info);
		unsigned type = ELF64_ST_TYPE(info);
		bool is_local = ELF64_ST_BIND(info) == STB_LOCAL;
		struct elf_object object = { .address = ELF_FIELD(file, p, Sym, st_value),
					     .size = ELF_FIELD(file, p, Sym, st_size),
					     .is_function = type == STT_FUNC ||
							    type == STT_GNU_IFUNC };

		if (type == STT_FILE) {
			source = elf_object_name_at(file, table, p);
			continue;
		}
		if (ELF_FIELD(file, p, Sym, st_shndx) == SHN_UNDEF || type == STT_SECTION ||
		    !elf_object_is_wanted(search, elf_object_name_at(file, table, p),
					  is_local ? source : NULL))
			continue;
		if (type == STT_TLS)
			search->is_thread_local = true;
		else
			elf_object_note(search, &object, is_local ? source : NULL);
	}
}

static int search_section(struct search *search, const struct elf_file *file, uint32_t type)
{
	const struct elf_section *section = elf_file_typed(file, type);
	_cleanup_free_ unsigned char *symbols = NULL, *names = NULL;
	struct elf_symtab table;
	int r;

	if (!section)
		return 0;
	r = elf_file_symtab(file, section, &table);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	symbols = table.symbols;
	names = table.names;
	search_table(search, file, &table);
	return 0;
}

static int search_debug_file(struct search *search, const struct elf_file *file, const char *path,
			     const struct elf_opener *opener)
{
	_cleanup_close_ int fd = elf_debug_file_open(file, path, opener);
	struct elf_source source;
	struct elf_file debug;
	int r;

	if (fd < 0 || elf_source_fd(fd, &source) < 0)
		return fd == -ENOMEM ? fd : 0;
	r = elf_file_init(&debug, &source, NULL);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = search_section(search, &debug, SHT_SYMTAB);
	elf_file_done(&debug);
	return r;
}

int elf_object_find(const struct elf_file *file, const char *path, const struct elf_opener *opener,
		    const char *name, struct elf_object *ret_object, struct strbuf *several)
{
	const char *colon = strrchr(name, ':');
	struct search search = { .name = name, .several = several };
	int r;

	/* "ns::name" is one name. */
	if (colon && colon > name && colon[-1] != ':') {
		search.source = name;
		search.source_len = (size_t)(colon - name);
		search.name = colon + 1;
	}
	r = search_section(&search, file, SHT_SYMTAB);
	if (r == 0 && opener && !elf_file_typed(file, SHT_SYMTAB))
		r = search_debug_file(&search, file, path, opener);
	if (r == 0)
		r = search_section(&search, file, SHT_DYNSYM);
	if (r < 0)
		return r;
	if (search.n > 1)
		return -ENOTUNIQ;
	if (!search.n)
		return search.is_thread_local ? -EOPNOTSUPP : -ENOENT;
	*ret_object = search.found;
	return 0;
}
