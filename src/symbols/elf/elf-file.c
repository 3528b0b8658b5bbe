/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/elf/elf-file.h"

#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/negative-errno.h"

/*
 * Linkers create a few dozen; object files built with -ffunction-sections have tens of thousands.
 */
#define SECTIONS_MAX 1000000
#define SEGMENTS_MAX 65536
#define NOTES_MAX    4096
/* Longer sections are not read. */
#define SECTION_MAX ((uint64_t)1 << 31)
/* The smallest page size; files can require a larger one with p_align. */
#define PAGE 4096

/* Reads a member of an ELF struct at @p, in the variant of the file. */
#define GET(file, p, type, member)                                                             \
	elf_file_number((file),                                                                \
			(const unsigned char *)(p) + ((file)->is_64 ?                          \
							      offsetof(Elf64_##type, member) : \
							      offsetof(Elf32_##type, member)), \
			(file)->is_64 ? sizeof(((Elf64_##type *)0)->member) :                  \
					sizeof(((Elf32_##type *)0)->member))
#define SIZE(file, type) ((file)->is_64 ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

int elf_source_fd(int fd, struct elf_source *ret_source)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return negative_errno();
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	*ret_source = (struct elf_source){ .fd = fd, .size = (uint64_t)st.st_size };
	return 0;
}

int elf_source_read(const struct elf_source *source, uint64_t offset, void *buf, size_t len)
{
	unsigned char *p = buf;

	if (offset > source->size || len > source->size - offset)
		return -EINVAL;
	if (source->bytes) {
		memcpy(buf, source->bytes + offset, len);
		return 0;
	}
	while (len) {
		ssize_t n = pread(source->fd, p, len, (off_t)(source->base + offset));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? negative_errno() : -EIO;
		p += n;
		len -= (size_t)n;
		offset += (uint64_t)n;
	}
	return 0;
}

uint64_t elf_file_number(const struct elf_file *file, const void *p, size_t size)
{
	const unsigned char *bytes = p;
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | bytes[file->is_big ? i : size - 1 - i];
	return value;
}

static void parse_section(const struct elf_file *file, const unsigned char *p,
			  struct elf_section *section)
{
	*section = (struct elf_section){
		.name = (uint32_t)GET(file, p, Shdr, sh_name),
		.type = (uint32_t)GET(file, p, Shdr, sh_type),
		.flags = GET(file, p, Shdr, sh_flags),
		.address = GET(file, p, Shdr, sh_addr),
		.offset = GET(file, p, Shdr, sh_offset),
		.size = GET(file, p, Shdr, sh_size),
		.link = (uint32_t)GET(file, p, Shdr, sh_link),
		.entry_size = GET(file, p, Shdr, sh_entsize),
	};
}

/* Reads @n entries of @size bytes at @offset into memory that the caller frees. */
static int elf_file_read_table(const struct elf_file *file, uint64_t offset, uint64_t n,
			       size_t size, unsigned char **ret_bytes)
{
	_cleanup_free_ unsigned char *bytes = NULL;
	int r;

	if (n > file->source.size / size)
		return -EINVAL;
	bytes = mem_alloc(n ? (size_t)n * size : 1);
	if (!bytes)
		return -ENOMEM;
	r = elf_source_read(&file->source, offset, bytes, (size_t)n * size);
	if (r < 0)
		return r;
	*ret_bytes = TAKE_PTR(bytes);
	return 0;
}

static int read_sections(struct elf_file *file, const unsigned char *head)
{
	uint64_t offset = GET(file, head, Ehdr, e_shoff), n = GET(file, head, Ehdr, e_shnum);
	uint32_t names = (uint32_t)GET(file, head, Ehdr, e_shstrndx);
	size_t size = SIZE(file, Shdr);
	_cleanup_free_ unsigned char *bytes = NULL;
	unsigned char first[sizeof(Elf64_Shdr)];
	int r;

	if (!offset || GET(file, head, Ehdr, e_shentsize) != size)
		return 0;
	/* Numbers too large for the header are in the first section. */
	r = elf_source_read(&file->source, offset, first, size);
	if (r < 0)
		return r;
	if (!n)
		n = GET(file, first, Shdr, sh_size);
	if (names == SHN_XINDEX)
		names = (uint32_t)GET(file, first, Shdr, sh_link);
	if (n > SECTIONS_MAX)
		return -EINVAL;
	r = elf_file_read_table(file, offset, n, size, &bytes);
	if (r < 0)
		return r;
	file->sections = mem_zalloc((size_t)n, sizeof(*file->sections));
	if (n && !file->sections)
		return -ENOMEM;
	file->n_sections = (uint32_t)n;
	for (uint64_t i = 0; i < n; i++)
		parse_section(file, bytes + i * size, &file->sections[i]);
	if (names < n) {
		r = elf_file_bytes(file, &file->sections[names], (unsigned char **)&file->names,
				   &file->names_size);
		return r == -ENOMEM ? r : 0;
	}
	return 0;
}

static int read_segments(struct elf_file *file, const unsigned char *head)
{
	uint64_t offset = GET(file, head, Ehdr, e_phoff), n = GET(file, head, Ehdr, e_phnum);
	size_t size = SIZE(file, Phdr);
	_cleanup_free_ unsigned char *bytes = NULL;
	int r;

	if (!offset || !n || n > SEGMENTS_MAX || GET(file, head, Ehdr, e_phentsize) != size)
		return 0;
	r = elf_file_read_table(file, offset, n, size, &bytes);
	if (r < 0)
		return r;
	file->segments = mem_zalloc((size_t)n, sizeof(*file->segments));
	if (!file->segments)
		return -ENOMEM;
	for (uint64_t i = 0; i < n; i++) {
		const unsigned char *p = bytes + i * size;
		uint64_t type = GET(file, p, Phdr, p_type);

		/* Notes aligned to 8 bytes have other contents. */
		if (type == PT_NOTE && !file->note_size && GET(file, p, Phdr, p_align) != 8) {
			file->note_offset = GET(file, p, Phdr, p_offset);
			file->note_size = GET(file, p, Phdr, p_filesz);
		}
		if (type != PT_LOAD)
			continue;
		file->segments[file->n_segments++] = (struct elf_segment){
			.offset = GET(file, p, Phdr, p_offset),
			.address = GET(file, p, Phdr, p_vaddr),
			.file_size = GET(file, p, Phdr, p_filesz),
			.size = GET(file, p, Phdr, p_memsz),
			.executable = GET(file, p, Phdr, p_flags) & PF_X,
		};
	}
	return 0;
}

int elf_file_init(struct elf_file *file, const struct elf_source *source, struct fathom_err *err)
{
	unsigned char head[sizeof(Elf64_Ehdr)] = { 0 };
	size_t size = source->size < sizeof(head) ? (size_t)source->size : sizeof(head);
	int r;

	*file = (struct elf_file){ .source = *source };
	r = elf_source_read(source, 0, head, size);
	if (r < 0)
		return err_set_errno(err, r, "cannot read the ELF header");
	if (size < sizeof(Elf32_Ehdr) || memcmp(head, ELFMAG, SELFMAG) != 0)
		return err_set_at(err, -ENOEXEC, 0, "not an ELF file");
	file->is_64 = head[EI_CLASS] == ELFCLASS64;
	file->is_big = head[EI_DATA] == ELFDATA2MSB;
	if ((!file->is_64 && head[EI_CLASS] != ELFCLASS32) || size < SIZE(file, Ehdr))
		return err_set_at(err, -ENOEXEC, EI_CLASS,
				  "unknown ELF class: expected 32-bit or 64-bit");
	file->type = (uint16_t)GET(file, head, Ehdr, e_type);
	file->machine = (uint16_t)GET(file, head, Ehdr, e_machine);
	r = read_segments(file, head);
	if (r == 0)
		r = read_sections(file, head);
	if (r < 0) {
		elf_file_done(file);
		return r == -ENOMEM ? err_nomem(err) :
				      err_set(err, r, "ELF program or section headers are damaged");
	}
	return 0;
}

void elf_file_done(struct elf_file *file)
{
	free(file->sections);
	free(file->segments);
	free(file->names);
	*file = (struct elf_file){ 0 };
}

const char *elf_section_name(const struct elf_file *file, const struct elf_section *section)
{
	return section->name < file->names_size ? file->names + section->name : "";
}

const struct elf_section *elf_file_named(const struct elf_file *file, const char *name)
{
	for (uint32_t i = 0; i < file->n_sections; i++)
		if (strcmp(elf_section_name(file, &file->sections[i]), name) == 0)
			return &file->sections[i];
	return NULL;
}

const struct elf_section *elf_file_typed(const struct elf_file *file, uint32_t type)
{
	for (uint32_t i = 0; i < file->n_sections; i++)
		if (file->sections[i].type == type)
			return &file->sections[i];
	return NULL;
}

int elf_file_bytes(const struct elf_file *file, const struct elf_section *section,
		   unsigned char **ret_bytes, size_t *ret_size)
{
	_cleanup_free_ unsigned char *bytes = NULL;
	int r;

	if (section->flags & SHF_COMPRESSED)
		return -ENOTSUP;
	if (section->type == SHT_NOBITS || section->size > SECTION_MAX ||
	    section->size > file->source.size)
		return -EINVAL;
	bytes = mem_alloc((size_t)section->size + 1);
	if (!bytes)
		return -ENOMEM;
	r = elf_source_read(&file->source, section->offset, bytes, (size_t)section->size);
	if (r < 0)
		return r;
	bytes[section->size] = '\0';
	*ret_size = (size_t)section->size;
	*ret_bytes = TAKE_PTR(bytes);
	return 0;
}

int elf_file_symtab(const struct elf_file *file, const struct elf_section *section,
		    struct elf_symtab *ret_table)
{
	_cleanup_free_ unsigned char *symbols = NULL, *names = NULL;
	struct elf_symtab table = { .entry = file->is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym) };
	size_t size;
	int r;

	if (section->link >= file->n_sections)
		return -EINVAL;
	r = elf_file_bytes(file, section, &symbols, &size);
	if (r == 0)
		r = elf_file_bytes(file, &file->sections[section->link], &names, &table.names_size);
	if (r < 0)
		return r;
	table.n = size / table.entry;
	table.symbols = TAKE_PTR(symbols);
	table.names = TAKE_PTR(names);
	*ret_table = table;
	return 0;
}

bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *ret_address)
{
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (offset >= segment->offset && offset - segment->offset < segment->file_size) {
			*ret_address = segment->address + (offset - segment->offset);
			return true;
		}
	}
	return false;
}

bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret_offset)
{
	for (uint32_t i = 0; i < file->n_segments; i++) {
		const struct elf_segment *segment = &file->segments[i];

		if (address >= segment->address &&
		    address - segment->address < segment->file_size) {
			*ret_offset = segment->offset + (address - segment->address);
			return true;
		}
	}
	return false;
}

uint64_t elf_file_base(const struct elf_file *file)
{
	uint64_t lowest = UINT64_MAX;

	for (uint32_t i = 0; i < file->n_segments; i++)
		if (file->segments[i].address < lowest)
			lowest = file->segments[i].address;
	return file->n_segments ? lowest & ~(uint64_t)(PAGE - 1) : 0;
}

size_t elf_notes_build_id(const struct elf_file *file, const unsigned char *notes, size_t size,
			  unsigned char id[ELF_BUILD_ID_MAX])
{
	size_t at = 0;

	/* Names and contents are padded to four bytes. */
	while (size - at >= sizeof(Elf64_Nhdr)) {
		uint64_t name = GET(file, notes + at, Nhdr, n_namesz);
		uint64_t len = GET(file, notes + at, Nhdr, n_descsz);
		uint64_t type = GET(file, notes + at, Nhdr, n_type);
		uint64_t name_room = (name + 3) & ~3ULL, room = (len + 3) & ~3ULL;

		at += sizeof(Elf64_Nhdr);
		if (name_room > size - at || len > size - at - name_room)
			return 0;
		if (type == NT_GNU_BUILD_ID && name == 4 && memcmp(notes + at, "GNU", 4) == 0 &&
		    len && len <= ELF_BUILD_ID_MAX) {
			memcpy(id, notes + at + name_room, (size_t)len);
			return (size_t)len;
		}
		at += (size_t)name_room;
		at += room > size - at ? size - at : (size_t)room;
	}
	return 0;
}

size_t elf_file_build_id(const struct elf_file *file, unsigned char id[ELF_BUILD_ID_MAX])
{
	const struct elf_section *section = elf_file_named(file, ".note.gnu.build-id");
	uint64_t offset = section ? section->offset : file->note_offset;
	uint64_t size = section ? section->size : file->note_size;
	unsigned char notes[NOTES_MAX];

	if (section && section->type == SHT_NOBITS)
		return 0;
	if (size > sizeof(notes))
		size = sizeof(notes);
	if (elf_source_read(&file->source, offset, notes, (size_t)size) < 0)
		return 0;
	return elf_notes_build_id(file, notes, (size_t)size, id);
}

bool elf_file_debuglink(const struct elf_file *file, char name[ELF_DEBUGLINK_MAX],
			uint32_t *ret_crc)
{
	const struct elf_section *section = elf_file_named(file, ".gnu_debuglink");
	unsigned char bytes[ELF_DEBUGLINK_MAX + 8];
	size_t size, len;

	/* A name, padded to four bytes, and the checksum. */
	if (!section || section->size > sizeof(bytes) || section->type == SHT_NOBITS)
		return false;
	size = (size_t)section->size;
	if (elf_source_read(&file->source, section->offset, bytes, size) < 0)
		return false;
	len = strnlen((const char *)bytes, size);
	if (!len || len >= ELF_DEBUGLINK_MAX || ((len + 4) & ~(size_t)3) + 4 > size ||
	    memchr(bytes, '/', len))
		return false;
	memcpy(name, bytes, len + 1);
	*ret_crc = (uint32_t)elf_file_number(file, bytes + ((len + 4) & ~(size_t)3), 4);
	return true;
}
