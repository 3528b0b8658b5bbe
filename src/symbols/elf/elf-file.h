/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads ELF files: sections, segments, the build ID and the name of the debug file; 32 and 64 bits,
 * both byte orders. Files are untrusted. All results lie within the file, and no allocation exceeds
 * its size. A struct elf_file borrows its source, which must outlive it. Functions that return int
 * return 0 or a negative errno.
 *
 * libelf is not used, because unprivileged processes read the files, from descriptors that other
 * processes open for them, and must not map them: truncating a file that libelf has mapped raises
 * SIGBUS. Besides, libdw, which comes with libelf, is optional.
 */
#ifndef FATHOM_SYMBOLS_ELF_ELF_FILE_H
#define FATHOM_SYMBOLS_ELF_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <fathom/err.h>

#define ELF_BUILD_ID_MAX  64
#define ELF_DEBUGLINK_MAX 256

/* The bytes of a file: a part of an open file, or memory if @bytes is not NULL. Owns nothing. */
struct elf_source {
	int fd;
	uint64_t base; /* offset in the open file */
	const unsigned char *bytes;
	uint64_t size;
};

struct elf_section {
	uint32_t name; /* offset in the names of sections */
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
	uint64_t size; /* in memory, in bytes */
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
	char *names; /* of the sections; NUL-terminated */
	size_t names_size;
	/* All notes according to the program headers, for files without section headers. */
	uint64_t note_offset, note_size;
};

/* Initializes the source for an open file. Fails if it is not a regular file. */
int elf_source_fd(int fd, struct elf_source *ret_source);
/* Reads exactly @len bytes, or fails. */
int elf_source_read(const struct elf_source *source, uint64_t offset, void *buf, size_t len);

/* @source must outlive @file. After a failure, there is nothing to release. */
int elf_file_init(struct elf_file *file, const struct elf_source *source, struct fathom_err *err);
void elf_file_done(struct elf_file *file);

/* Returns a number of @size bytes (1, 2, 4 or 8) in the file's byte order. */
uint64_t elf_file_number(const struct elf_file *file, const void *p, size_t size);
const char *elf_section_name(const struct elf_file *file, const struct elf_section *section);
/* Returns the first section of that name, or of that type, or NULL. */
const struct elf_section *elf_file_named(const struct elf_file *file, const char *name);
const struct elf_section *elf_file_typed(const struct elf_file *file, uint32_t type);
/*
 * Reads a section into memory that the caller frees; a NUL is appended. Returns -ENOTSUP if the
 * section is compressed.
 */
int elf_file_bytes(const struct elf_file *file, const struct elf_section *section,
		   unsigned char **ret_bytes, size_t *ret_size);

/* Reads a member of the struct Elf64_TYPE or Elf32_TYPE at @p; requires <elf.h>. */
#define ELF_FIELD(file, p, type, member)                                        \
	elf_file_number((file),                                                 \
			(p) + ((file)->is_64 ? offsetof(Elf64_##type, member) : \
					       offsetof(Elf32_##type, member)), \
			(file)->is_64 ? sizeof(((Elf64_##type *)0)->member) :   \
					sizeof(((Elf32_##type *)0)->member))

/* A symbol table with its names; the caller frees both. */
struct elf_symtab {
	unsigned char *symbols;
	size_t n, entry; /* number of symbols, bytes of each */
	unsigned char *names; /* NUL-terminated */
	size_t names_size;
};
/* After a failure, there is nothing to free. */
int elf_file_symtab(const struct elf_file *file, const struct elf_section *section,
		    struct elf_symtab *ret_table);

/* Converts a file offset to an address as in the file. Returns false if it is not loaded. */
bool elf_file_address(const struct elf_file *file, uint64_t offset, uint64_t *ret_address);
/* The inverse. */
bool elf_file_offset(const struct elf_file *file, uint64_t address, uint64_t *ret_offset);
/*
 * Returns the page of the lowest address that is loaded, where the first mapping of the file
 * begins.
 */
uint64_t elf_file_base(const struct elf_file *file);
/* Returns the length of the build ID; 0 if the file has none. */
size_t elf_file_build_id(const struct elf_file *file, unsigned char id[ELF_BUILD_ID_MAX]);
/* The same for notes from another source, in the byte order of @file. */
size_t elf_notes_build_id(const struct elf_file *file, const unsigned char *notes, size_t size,
			  unsigned char id[ELF_BUILD_ID_MAX]);
/*
 * Returns the name (without directory) and the checksum of the debug file. Returns false if there
 * is none.
 */
bool elf_file_debuglink(const struct elf_file *file, char name[ELF_DEBUGLINK_MAX],
			uint32_t *ret_crc);

#endif
