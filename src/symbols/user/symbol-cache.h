/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of symbols kept between runs, one file for each build-id, which is mapped when it is
 * used again. What is read is checked to the last number: a file that is not as it should be is not
 * used. An entry says of which file it was made, by size and time; it is not used for another one.
 *
 * Files are opened by others: those who may not open any ask a broker.
 */
#ifndef FATHOM_SYMBOLS_USER_SYMBOL_CACHE_H
#define FATHOM_SYMBOLS_USER_SYMBOL_CACHE_H

#include <sys/stat.h>

#include "symbols/elf/elf-file.h"
#include "symbols/elf/symbol-table.h"

/* The name of an entry: a build-id in hexadecimal. */
#define SYMBOL_CACHE_NAME (2 * ELF_BUILD_ID_MAX + 1)
/* All entries together; the oldest go first. */
#define SYMBOL_CACHE_MAX ((uint64_t)512 << 20)

struct symbol_cache {
	/* The entry of that name, open for reading; a negative errno without one. NULL: no cache. */
	int (*open)(void *data, const char *name);
	/* A new one, open for writing, and its end; 0 or a negative errno. */
	int (*create)(void *data, const char *name);
	int (*commit)(void *data, const char *name);
	void *data;
	uid_t user; /* whose cache it is */
};

/*
 * May tables of this file be kept, and be taken from the cache? Anybody can write a file that has the
 * build-id of another one: only files of root and of the user are believed, which nobody else can write. So
 * root's cache takes nothing from the homes of others.
 */
bool symbol_cache_may(const struct symbol_cache *cache, const struct stat *elf);
/* The table of the file with that build-id. 0, or a negative errno: there is none. */
int symbol_cache_load(const struct symbol_cache *cache, const unsigned char *id, size_t id_len,
		      const struct stat *elf, struct symbol_table *ret_table);
/* Keeps a table. 0 or a negative errno. */
int symbol_cache_store(const struct symbol_cache *cache, const unsigned char *id, size_t id_len,
		       const struct stat *elf, const struct symbol_table *table);

/* The same for an open file. */
int symbol_cache_read(int fd, const struct stat *elf, struct symbol_table *ret_table);
int symbol_cache_write(int fd, const struct stat *elf, const struct symbol_table *table);

/*
 * The directory fathom/symbols in @cache_home, or, without it, in .cache of @home: an open directory.
 * -ENOENT: there is none, and nothing is kept. -EPERM: it is another user's, or others can write to it.
 */
int symbol_cache_dir(const char *cache_home, const char *home);
/* Removes the oldest entries until the rest is not larger than @max. */
void symbol_cache_trim(int dir, uint64_t max);
/* Is this the name of an entry? */
bool symbol_cache_is_name(const char *name);

#endif
