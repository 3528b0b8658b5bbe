/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Caches symbol tables between runs: one file per build ID, which is mapped when it is used again.
 * Entries are validated completely, and ignored if invalid. An entry contains the size and
 * modification time of its file, and is ignored for any other file.
 *
 * Files are opened through callbacks: processes that must not open any use a broker.
 */
#ifndef FATHOM_SYMBOLS_USER_SYMBOL_CACHE_H
#define FATHOM_SYMBOLS_USER_SYMBOL_CACHE_H

#include <sys/stat.h>

#include "symbols/elf/elf-file.h"
#include "symbols/elf/symbol-table.h"

/* The name of an entry: a build ID in hexadecimal. */
#define SYMBOL_CACHE_NAME (2 * ELF_BUILD_ID_MAX + 1)
/* Total size of the entries in bytes; the oldest ones are removed first. */
#define SYMBOL_CACHE_MAX ((uint64_t)512 << 20)

struct symbol_cache {
	/*
	 * Opens an entry for reading. Returns a descriptor or a negative errno. NULL: there is no
	 * cache.
	 */
	int (*open)(void *data, const char *name);
	/*
	 * Creates an entry for writing, and completes it. Return a descriptor or 0, or a negative
	 * errno.
	 */
	int (*create)(void *data, const char *name);
	int (*commit)(void *data, const char *name);
	void *data;
	uid_t user; /* owner of the cache */
};

/*
 * Returns whether tables of this file may be stored in and loaded from the cache. Any user can
 * create a file with the build ID of another one, so only files that belong to root or the user,
 * and are not writable by others, are trusted. Thus root's cache has no entries of files of other
 * users.
 */
bool symbol_cache_may(const struct symbol_cache *cache, const struct stat *elf);
/*
 * Loads the table of the file with that build ID. Returns 0, or a negative errno if there is none.
 * The caller releases the table, which maps the entry.
 */
int symbol_cache_load(const struct symbol_cache *cache, const unsigned char *id, size_t id_len,
		      const struct stat *elf, struct symbol_table *ret_table);
/* Stores a table. Returns 0 or a negative errno. */
int symbol_cache_store(const struct symbol_cache *cache, const unsigned char *id, size_t id_len,
		       const struct stat *elf, const struct symbol_table *table);

/* The same as symbol_cache_load() and symbol_cache_store() for an open entry. */
int symbol_cache_read(int fd, const struct stat *elf, struct symbol_table *ret_table);
int symbol_cache_write(int fd, const struct stat *elf, const struct symbol_table *table);

/*
 * Opens the directory fathom/symbols in @cache_home or, if that is not set, in .cache of @home.
 * Returns a descriptor, -ENOENT if there is none, in which case nothing is cached, or -EPERM if it
 * belongs to another user or is writable by others.
 */
int symbol_cache_dir(const char *cache_home, const char *home);
/* Removes the oldest entries until the remaining ones take at most @max bytes. */
void symbol_cache_trim(int dir, uint64_t max);
/* Returns whether this is the name of an entry. */
bool symbol_cache_is_name(const char *name);

#endif
