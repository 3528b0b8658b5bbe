/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads ELF files: sections, segments, the build ID and the name of the debug file; 32 and 64 bits,
 * both byte orders. Files are untrusted. All results lie within the file, and no allocation exceeds
 * its size. A struct elf_file borrows its source, which must outlive it. Errors are a negative
 * errno.
 *
 * The code is our own because files are read by processes without privileges, from descriptors that
 * others open for them, and are not mapped: with libelf, truncating a file that it has mapped
 * raises SIGBUS. libdw, which brings libelf, is optional.
 */
#ifndef FATHOM_SYMBOLS_ELF_ELF_FILE_H
#define FATHOM_SYMBOLS_ELF_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#define ELF_BUILD_ID_MAX  64
#define ELF_DEBUGLINK_MAX 256

/* Where the bytes come from: a part of an open file, or memory when @bytes is not NULL. Nothing is owned. */
struct elf_source {
	int fd;
	uint64_t base; /* where in the open file it begins */
	const unsigned char *bytes;
	uint64_t size;
};

struct elf_section {
	uint32_t name; /* in the names of sections */
	uint32_t type;
	uint64_t flags;
	uint64_t address;
	uint64_t offset;
	uint64_t size;
	uint32_t link;
	uint64_t entry_size;
};

/* A part of the file that is loaded. */
struct elf_segment {
	uint64_t offset;
	uint64_t address;
	uint64_t file_size;
	uint64_t size; /* in memory */
	bool executable;
};

struct elf_file {
	struct elf_source source;
	bool is_64;
	bool is_big;
	uint16_t type;
	uint16_t machine;
	struct elf_section *sections;
	uint32_t n_sections;
	struct elf_segment *segments;
	uint32_t n_segments;
	char *names; /* of the sections; ends with NUL */
	size_t names_size;
	/* All notes that program headers tell of, for files without section headers. */
	uint64_t note_offset, note_size;
};

/* The source of an open file. 0, or a negative errno when it is no plain file. */
int elf_source_fd(int fd, struct elf_source *ret_source);
/* 0, or a negative errno when not all of it is there. */
int elf_source_read(const struct elf_source *source, uint64_t offset, void *buf, size_t len);

/* The source must outlive the file. After a failure nothing is left to release. */
int elf_file_init(struct elf_file *file, const struct elf_source *source, struct fathom_err *err);
void elf_file_done(struct elf_file *file);

/* A number of @size bytes (1, 2, 4 or 8) in the file's byte order. */
uint64_t elf_file_number(const struct elf_file *file, const void *p, size_t size);
const char *elf_section_name(const struct elf_file *file, const struct elf_section *section);
/* The first section with that name, or of that type; NULL when there is none. */
const struct elf_section *elf_file_named(const struct elf_file *file, const char *name);
const struct elf_section *elf_file_typed(const struct elf_file *file, uint32_t type);
/* The bytes of a section, to be freed; a NUL stands behind them. A compressed one is -ENOTSUP. */
int elf_file_bytes(const struct elf_file *file, const struct elf_section *section,
		   unsigned char **ret_bytes, size_t *ret_size);

/* A member of the struct Elf64_TYPE or Elf32_TYPE at @p; <elf.h> has to be there. */
#define ELF_FIELD(file, p, type, member)                                        \
	elf_file_number((file),                                                 \
			(p) + ((file)->is_64 ? offsetof(Elf64_##type, member) : \
					       offsetof(Elf32_##type, member)), \
			(file)->is_64 ? sizeof(((Elf64_##type *)0)->member) :   \
					sizeof(((Elf32_##type *)0)->member))

/* A table of symbols with its names, both to be freed. */
struct elf_symtab {
	unsigned char *symbols;
	size_t n, entry; /* bytes of each */
	unsigned char *names; /* a NUL stands behind them */
	size_t names_size;
};
/* 0 or a negative errno, then there is nothing to free. */
int elf_file_symtab(const struct elf_file *file, const struct elf_section *section,
		    struct elf_symtab *ret_table);

/* The address in the file's own terms of a byte of the file; false when it is not loaded. */
bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *ret_address);
/* And back. */
bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret_offset);
/* The page of the lowest address that is loaded: where the first mapping of the file begins. */
uint64_t elf_file_base(const struct elf_file *file);
/* Its length; 0 when the file has none. */
size_t elf_file_build_id(const struct elf_file *file, unsigned char id[ELF_BUILD_ID_MAX]);
/* The same of notes that are somewhere else, in the byte order of @file. */
size_t elf_notes_build_id(const struct elf_file *file, const unsigned char *notes, size_t size,
			  unsigned char id[ELF_BUILD_ID_MAX]);
/* The name (without a directory) and checksum of its debug file. False: it names none. */
bool elf_file_debuglink(const struct elf_file *file, char name[ELF_DEBUGLINK_MAX],
			uint32_t *ret_crc);

#endif
