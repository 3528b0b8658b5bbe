/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/elf/elf-symbols.h"

#include <elf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/strbuf.h"
#include "symbols/elf/elf-debug-file.h"
#include "symbols/elf/xz.h"

/* Reads the symbols of a file into a builder. */
struct reading {
	const struct elf_file *file;
	struct symbol_builder *builder;
	unsigned lack;
};

/* A symbol table with its names. */
struct names {
	unsigned char *symbols;
	size_t n, entry;
	uint32_t base; /* offset of the names in the builder's strings */
	size_t size; /* of the names */
};

const char *elf_symbols_lack_text(unsigned lack)
{
	if (lack & ELF_LACK_DEBUG_CRC)
		return "stripped, and its debug file belongs to another version";
	if (lack & ELF_LACK_XZ)
		return "stripped, and fathom was built without liblzma for its .gnu_debugdata";
	if (lack & ELF_LACK_DAMAGE)
		return "its table of symbols is damaged";
	return lack & ELF_LACK_SYMTAB ? "stripped, and no debug file was found" : "";
}

static int elf_symbols_read_names(struct reading *reading, const struct elf_section *section,
				  struct names *ret_names)
{
	_cleanup_free_ unsigned char *symbols = NULL, *strings = NULL;
	struct elf_symtab table;
	int r = elf_file_symtab(reading->file, section, &table);

	if (r < 0)
		return r;
	symbols = table.symbols;
	strings = table.names;
	r = symbol_builder_strings(reading->builder, strings, table.names_size, true,
				   &ret_names->base);
	if (r < 0)
		return r;
	ret_names->entry = table.entry;
	ret_names->n = table.n;
	ret_names->size = table.names_size;
	ret_names->symbols = TAKE_PTR(symbols);
	return 0;
}

/* Returns the end of the code that contains the address; 0: not code. */
static uint64_t code_end(const struct elf_file *file, uint64_t index, uint64_t address)
{
	if (index < file->n_sections) {
		const struct elf_section *section = &file->sections[index];

		if (!(section->flags & SHF_EXECINSTR) || address < section->address ||
		    address - section->address >= section->size)
			return 0;
		return section->address + section->size;
	}
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (segment->executable && address >= segment->address &&
		    address - segment->address < segment->size)
			return segment->address + segment->size;
	}
	return 0;
}

/* "$x", "$d.1": on ARM these mark code and data. */
static bool is_mapping_symbol(const char *name)
{
	return name[0] == '$' && name[1] && strchr("axdt", name[1]) && (!name[2] || name[2] == '.');
}

/* Returns false if it is not the name of code. */
static bool parse_symbol(const struct reading *reading, const struct names *names, size_t i,
			 struct symbol_input *input)
{
	const struct elf_file *file = reading->file;
	const unsigned char *p = names->symbols + i * names->entry;
	unsigned info = (unsigned)ELF_FIELD(file, p, Sym, st_info);
	unsigned type = ELF64_ST_TYPE(info), bind = ELF64_ST_BIND(info);
	uint64_t index = ELF_FIELD(file, p, Sym, st_shndx), name = ELF_FIELD(file, p, Sym, st_name);

	if (name >= names->size || index == SHN_UNDEF || index == SHN_COMMON)
		return false;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return false;
	*input = (struct symbol_input){ .start = ELF_FIELD(file, p, Sym, st_value),
					.size = ELF_FIELD(file, p, Sym, st_size),
					.name = names->base + (uint32_t)name,
					.is_indirect = type == STT_GNU_IFUNC };
	/* The lowest bit selects the instruction set. */
	if (file->machine == EM_ARM && type != STT_NOTYPE)
		input->start &= ~(uint64_t)1;
	input->limit = code_end(file, index < SHN_LORESERVE ? index : UINT64_MAX, input->start);
	if (!input->limit ||
	    (type == STT_NOTYPE && is_mapping_symbol(reading->builder->strings + input->name)))
		return false;
	input->rank = (type == STT_NOTYPE ? 0 : SYMBOL_FUNCTION) |
		      (bind == STB_WEAK ? 0 : SYMBOL_STRONG) |
		      (bind == STB_LOCAL ? 0 : SYMBOL_GLOBAL);
	return true;
}

static int add_section(struct reading *reading, const struct elf_section *section)
{
	_cleanup_free_ unsigned char *symbols = NULL;
	struct names names;
	int r = elf_symbols_read_names(reading, section, &names);

	if (r < 0) {
		reading->lack |= ELF_LACK_DAMAGE;
		return r == -ENOMEM ? r : 0;
	}
	symbols = names.symbols;
	/* The first one is empty by definition. */
	for (size_t i = 1; r == 0 && i < names.n; i++) {
		struct symbol_input input;

		if (parse_symbol(reading, &names, i, &input))
			r = symbol_builder_add(reading->builder, &input);
	}
	return r;
}

/* Returns the symbol of relocation @i of the PLT. */
static uint64_t relocation_symbol(const struct elf_file *file, const struct elf_section *section,
				  const unsigned char *bytes, size_t entry, size_t i)
{
	const unsigned char *p = bytes + i * entry;
	uint64_t info = section->type == SHT_RELA ? ELF_FIELD(file, p, Rela, r_info) :
						    ELF_FIELD(file, p, Rel, r_info);

	return file->is_64 ? ELF64_R_SYM(info) : ELF32_R_SYM(info);
}

/* Adds the name of the function with "@plt" as a new string. Returns 1, or 0 if it has no name. */
static int add_stub_name(struct reading *reading, const struct names *names, uint64_t symbol,
			 uint32_t *ret_name)
{
	struct symbol_builder *builder = reading->builder;
	_cleanup_free_ char *name = NULL;
	uint64_t at;
	int r;

	if (!symbol || symbol >= names->n)
		return 0;
	at = ELF_FIELD(reading->file, names->symbols + symbol * names->entry, Sym, st_name);
	if (at >= names->size || !builder->strings[names->base + at])
		return 0;
	name = mem_printf("%.256s@plt", builder->strings + names->base + at);
	if (!name)
		return -ENOMEM;
	r = symbol_builder_strings(builder, name, strlen(name), false, ret_name);
	return r < 0 ? r : 1;
}

/* Stubs of 16 bytes, one per relocation, in the same order. */
static int add_plt(struct reading *reading, const struct elf_section *relocations,
		   const struct elf_section *dynsym)
{
	const struct elf_file *file = reading->file;
	const struct elf_section *plt = elf_file_named(file, ".plt.sec");
	uint64_t head = plt ? 0 : file->machine == EM_AARCH64 ? 32 : 16;
	size_t entry = relocations->type == SHT_RELA ?
			       (file->is_64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela)) :
			       (file->is_64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel));
	_cleanup_free_ unsigned char *bytes = NULL, *symbols = NULL;
	struct names names;
	size_t size;
	int r;

	plt = plt ? plt : elf_file_named(file, ".plt");
	if (!plt || !(plt->flags & SHF_EXECINSTR))
		return 0;
	r = elf_file_bytes(file, relocations, &bytes, &size);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = elf_symbols_read_names(reading, dynsym, &names);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	symbols = names.symbols;
	for (size_t i = 0; r >= 0 && i < size / entry; i++) {
		struct symbol_input input = { .start = plt->address + head + i * 16,
					      .size = 16,
					      .rank = SYMBOL_FUNCTION };

		if (head + (i + 1) * 16 > plt->size)
			break;
		r = add_stub_name(reading, &names,
				  relocation_symbol(file, relocations, bytes, entry, i),
				  &input.name);
		if (r > 0)
			r = symbol_builder_add(reading->builder, &input);
	}
	return r < 0 ? r : 0;
}

static int add_stubs(struct reading *reading)
{
	const struct elf_file *file = reading->file;
	const struct elf_section *dynsym = elf_file_typed(file, SHT_DYNSYM);
	const struct elf_section *relocations = elf_file_named(file, ".rela.plt");

	if (!relocations)
		relocations = elf_file_named(file, ".rel.plt");
	if (!dynsym || !relocations ||
	    (relocations->type != SHT_RELA && relocations->type != SHT_REL) ||
	    (file->machine != EM_X86_64 && file->machine != EM_386 && file->machine != EM_AARCH64))
		return 0;
	return add_plt(reading, relocations, dynsym);
}

/* Adds the .symtab of another file with the same addresses. Returns 1 if it has one. */
static int add_symtab_of(struct reading *reading, const struct elf_source *source)
{
	struct elf_file file;
	const struct elf_section *symtab;
	int r = elf_file_init(&file, source, NULL);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	symtab = elf_file_typed(&file, SHT_SYMTAB);
	if (symtab) {
		struct reading other = { .file = &file, .builder = reading->builder };

		r = add_section(&other, symtab);
		reading->lack |= other.lack;
	}
	elf_file_done(&file);
	return r < 0 ? r : symtab != NULL;
}

static int add_debug_file(struct reading *reading, const char *path,
			  const struct elf_opener *opener)
{
	_cleanup_close_ int fd = elf_debug_file_open(reading->file, path, opener);
	struct elf_source source;

	if (fd == -EBADMSG)
		reading->lack |= ELF_LACK_DEBUG_CRC;
	if (fd < 0 || elf_source_fd(fd, &source) < 0)
		return fd == -ENOMEM ? fd : 0;
	return add_symtab_of(reading, &source);
}

/* Reads the small symbol table that some distributions leave in stripped files. */
static int add_debugdata(struct reading *reading)
{
	const struct elf_section *section = elf_file_named(reading->file, ".gnu_debugdata");
	_cleanup_free_ unsigned char *packed = NULL;
	_cleanup_strbuf_ struct strbuf unpacked = { 0 };
	struct elf_source source;
	size_t size;
	int r;

	if (!section)
		return 0;
	r = elf_file_bytes(reading->file, section, &packed, &size);
	if (r == 0)
		r = xz_unpack(packed, size, &unpacked);
	if (r < 0) {
		reading->lack |= r == -ENOTSUP ? ELF_LACK_XZ : ELF_LACK_DAMAGE;
		return r == -ENOMEM ? r : 0;
	}
	source = (struct elf_source){ .fd = -1,
				      .bytes = (const unsigned char *)strbuf_str(&unpacked),
				      .size = unpacked.len };
	return add_symtab_of(reading, &source);
}

static int elf_symbols_add_all(struct reading *reading, const char *path,
			       const struct elf_opener *opener)
{
	const struct elf_section *symtab = elf_file_typed(reading->file, SHT_SYMTAB);
	const struct elf_section *dynsym = elf_file_typed(reading->file, SHT_DYNSYM);
	int found = 1;
	int r = 0;

	if (symtab) {
		r = add_section(reading, symtab);
	} else {
		found = opener ? add_debug_file(reading, path, opener) : 0;
		if (found == 0)
			found = add_debugdata(reading);
		if (found < 0)
			return found;
	}
	/*
	 * Read .dynsym even if .symtab has the same symbols: names in both are aliases of each
	 * other.
	 */
	if (r == 0 && dynsym)
		r = add_section(reading, dynsym);
	if (found)
		reading->lack &= ~(unsigned)ELF_LACK_DEBUG_CRC;
	else
		reading->lack |= ELF_LACK_SYMTAB;
	return r;
}

int elf_symbols_read(const struct elf_file *file, const char *path, const struct elf_opener *opener,
		     struct symbol_table *ret_table, unsigned *ret_lack)
{
	_cleanup_symbol_builder_ struct symbol_builder builder = { 0 };
	struct reading reading = { .file = file, .builder = &builder };
	struct symbol_table table;
	int r = elf_symbols_add_all(&reading, path, opener);

	if (r == 0)
		r = add_stubs(&reading);
	if (r == 0)
		r = symbol_builder_finish(&builder, &table);
	if (r < 0)
		return r;
	*ret_table = table;
	*ret_lack = reading.lack;
	return 0;
}

int elf_symbols_collect(const struct elf_file *file, const char *path,
			const struct elf_opener *opener, struct symbol_builder *builder,
			unsigned *ret_lack)
{
	struct reading reading = { .file = file, .builder = builder };
	int r = elf_symbols_add_all(&reading, path, opener);

	*ret_lack = reading.lack;
	return r;
}
