/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/user/symbol-cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/cleanup.h"
#include "base/files/file.h"
#include "base/negative-errno.h"

/* The last digit is the version of the format; numbers are in the machine's byte order. */
static const char magic[8] = "fathsym1";

struct head {
	char magic[8];
	uint64_t n; /* of ranges */
	uint64_t strings_size;
	uint64_t elf_size;
	int64_t elf_seconds;
	uint64_t elf_nanoseconds;
};

bool symbol_cache_may(const struct symbol_cache *cache, const struct stat *elf)
{
	return cache->open && (elf->st_uid == 0 || elf->st_uid == cache->user) &&
	       !(elf->st_mode & (S_IWGRP | S_IWOTH));
}

static struct head symbol_cache_head_of(const struct stat *elf, const struct symbol_table *table)
{
	struct head head = { .n = table->n,
			     .strings_size = table->strings_size,
			     .elf_size = (uint64_t)elf->st_size,
			     .elf_seconds = elf->st_mtim.tv_sec,
			     .elf_nanoseconds = (uint64_t)elf->st_mtim.tv_nsec };

	memcpy(head.magic, magic, sizeof(magic));
	return head;
}

int symbol_cache_write(int fd, const struct stat *elf, const struct symbol_table *table)
{
	struct head head = symbol_cache_head_of(elf, table);
	int r = file_write_bytes(fd, &head, sizeof(head));

	if (r == 0)
		r = file_write_bytes(fd, table->starts, table->n * sizeof(table->starts[0]));
	if (r == 0)
		r = file_write_bytes(fd, table->ranges, table->n * sizeof(table->ranges[0]));
	return r < 0 ? r : file_write_bytes(fd, table->strings, table->strings_size);
}

/* Returns whether symbol_builder_finish() could have made this table. */
static bool symbol_cache_is_sound(const struct symbol_table *table)
{
	uint64_t end = 0;

	if (!table->n)
		return true;
	if (!table->strings_size || table->strings[table->strings_size - 1])
		return false;
	for (uint32_t i = 0; i < table->n; i++) {
		const struct symbol_range *range = &table->ranges[i];
		uint64_t start = table->starts[i];

		if (start < end || range->back > start || !range->size ||
		    range->name >= table->strings_size || !table->strings[range->name] ||
		    __builtin_add_overflow(start, range->size, &end))
			return false;
	}
	return true;
}

/* Sets the parts of the table at @bytes. Returns false if the sizes don't match. */
static bool find_parts(const char *bytes, size_t size, const struct stat *elf,
		       struct symbol_table *table)
{
	struct head head, wanted;
	uint64_t entry = sizeof(table->starts[0]) + sizeof(table->ranges[0]);

	if (size < sizeof(head))
		return false;
	memcpy(&head, bytes, sizeof(head));
	size -= sizeof(head);
	if (head.n > UINT32_MAX || head.n > size / entry || head.strings_size > UINT32_MAX ||
	    head.strings_size != size - head.n * entry)
		return false;
	table->n = (uint32_t)head.n;
	table->strings_size = (size_t)head.strings_size;
	wanted = symbol_cache_head_of(elf, table);
	if (memcmp(&head, &wanted, sizeof(head)) != 0)
		return false;
	table->starts = (uint64_t *)(uintptr_t)(bytes + sizeof(head));
	table->ranges = (struct symbol_range *)(table->starts + table->n);
	table->strings = (const char *)(table->ranges + table->n);
	return symbol_cache_is_sound(table);
}

int symbol_cache_read(int fd, const struct stat *elf, struct symbol_table *ret_table)
{
	struct symbol_table table = { 0 };
	struct stat st;
	void *bytes;

	if (fstat(fd, &st) < 0)
		return negative_errno();
	if (!S_ISREG(st.st_mode) || st.st_size <= 0 || (uint64_t)st.st_size > SYMBOL_CACHE_MAX)
		return -EINVAL;
	/* Entries are never modified, only replaced by new files. */
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return negative_errno();
	if (!find_parts(bytes, (size_t)st.st_size, elf, &table)) {
		munmap(bytes, (size_t)st.st_size);
		return -EINVAL;
	}
	table.memory = bytes;
	table.mapped_size = (size_t)st.st_size;
	*ret_table = table;
	return 0;
}

static void make_name(const unsigned char *id, size_t len, char name[SYMBOL_CACHE_NAME])
{
	name[0] = '\0';
	for (size_t i = 0; i < len && i < ELF_BUILD_ID_MAX; i++)
		snprintf(name + i * 2, 3, "%02x", id[i]);
}

bool symbol_cache_is_name(const char *name)
{
	size_t len = strspn(name, "0123456789abcdef");

	return len >= 8 && len < SYMBOL_CACHE_NAME && !name[len];
}

int symbol_cache_load(const struct symbol_cache *cache, const unsigned char *id, size_t id_len,
		      const struct stat *elf, struct symbol_table *ret_table)
{
	char name[SYMBOL_CACHE_NAME];
	_cleanup_close_ int fd = -1;

	make_name(id, id_len, name);
	if (!symbol_cache_is_name(name) || !symbol_cache_may(cache, elf))
		return -ENOENT;
	fd = cache->open(cache->data, name);
	return fd < 0 ? fd : symbol_cache_read(fd, elf, ret_table);
}

int symbol_cache_store(const struct symbol_cache *cache, const unsigned char *id, size_t id_len,
		       const struct stat *elf, const struct symbol_table *table)
{
	char name[SYMBOL_CACHE_NAME];
	_cleanup_close_ int fd = -1;
	int r;

	make_name(id, id_len, name);
	if (!symbol_cache_is_name(name) || !symbol_cache_may(cache, elf))
		return -ENOENT;
	fd = cache->create(cache->data, name);
	if (fd < 0)
		return fd;
	r = symbol_cache_write(fd, elf, table);
	return r < 0 ? r : cache->commit(cache->data, name);
}
