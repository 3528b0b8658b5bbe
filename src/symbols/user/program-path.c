/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "symbols/user/program-path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/files/plain-file.h"
#include "base/negative-errno.h"
#include "base/str.h"

#define CACHE_MAGIC	"glibc-ld.so.cache1.1"
#define CACHE_OLD_MAGIC "ld.so-1.7.0"
#define CACHE_HEAD	48
#define CACHE_ENTRY	24
/* The flags of libraries for this architecture in the loader's cache. */
#if defined(__x86_64__) && defined(__LP64__)
#define CACHE_FLAGS 0x0303
#define TRIPLET	    "x86_64-linux-gnu"
#elif defined(__aarch64__) && defined(__LP64__)
#define CACHE_FLAGS 0x0a03
#define TRIPLET	    "aarch64-linux-gnu"
#else
#define CACHE_FLAGS 0
#define TRIPLET	    "none"
#endif

struct search {
	const char *root;
	const char *name;
	struct arena *arena;
	const char *found; /* with the root; NULL: none yet */
	const char *other; /* a different file with that name */
	bool nomem;
};

static bool is_plain_file(const char *path, struct stat *ret_st)
{
	_cleanup_close_ int place = plain_file_find(path, 0, ret_st);

	return place >= 0;
}

static bool is_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return is_plain_file(a, &x) && is_plain_file(b, &y) && x.st_dev == y.st_dev &&
	       x.st_ino == y.st_ino;
}

/* "libc.so.6" and "libc-2.31.so" match "libc" as well as their full names. */
static bool program_path_is_called(const char *file, const char *name)
{
	const char *rest = str_after(file, name);

	if (!rest)
		return false;
	if (!*rest || strncmp(rest, ".so", 3) == 0)
		return true;
	return *rest == '-' && rest[1] >= '0' && rest[1] <= '9' && strstr(rest, ".so");
}

/* Adds a file with the name. */
static void offer(struct search *search, const char *path)
{
	if (!search->found)
		search->found = path;
	else if (!search->other && !is_same_file(search->found, path))
		search->other = path;
}

static void offer_printf(struct search *search, const char *root, const char *dir, const char *file)
{
	const char *path =
		arena_printf(search->arena, "%s%s%s%s", root, dir, *dir ? "/" : "", file);
	struct stat st;

	if (!path)
		search->nomem = true;
	else if (is_plain_file(path, &st))
		offer(search, path);
}

static uint32_t program_path_number_at(const char *p)
{
	uint32_t n;

	memcpy(&n, p, sizeof(n));
	return n;
}

/*
 * Returns the offset of the cache in the current format, which may follow one in an older format.
 */
static size_t cache_start(const struct strbuf *cache)
{
	size_t n;

	if (cache->len < 16 || memcmp(cache->s, CACHE_OLD_MAGIC, sizeof(CACHE_OLD_MAGIC) - 1) != 0)
		return 0;
	n = program_path_number_at(cache->s + 12);
	return n > cache->len / 12 ? cache->len : (16 + n * 12 + 7) & ~(size_t)7;
}

/* Searches the cache of ldconfig(8), as the loader does first. */
static void search_cache(struct search *search)
{
	_cleanup_strbuf_ struct strbuf cache = { 0 };
	char path[PATH_MAX];
	const char *start;
	size_t at, size, n;

	if ((size_t)snprintf(path, sizeof(path), "%s/etc/ld.so.cache", search->root) >=
		    sizeof(path) ||
	    file_read(AT_FDCWD, path, &cache) < 0)
		return;
	at = cache_start(&cache);
	if (at >= cache.len || cache.len - at < CACHE_HEAD ||
	    memcmp(cache.s + at, CACHE_MAGIC, sizeof(CACHE_MAGIC) - 1) != 0)
		return;
	start = cache.s + at;
	size = cache.len - at;
	n = program_path_number_at(start + 20);
	for (size_t i = 0; i < n && i < (size - CACHE_HEAD) / CACHE_ENTRY; i++) {
		const char *entry = start + CACHE_HEAD + i * CACHE_ENTRY;
		uint32_t key = program_path_number_at(entry + 4),
			 value = program_path_number_at(entry + 8);
		uint64_t hwcap;

		/*
		 * Libraries for certain processors have a non-zero hwcap. The buffer is
		 * NUL-terminated.
		 */
		memcpy(&hwcap, entry + 16, sizeof(hwcap));
		if ((CACHE_FLAGS && program_path_number_at(entry) != CACHE_FLAGS) || key >= size ||
		    value >= size || hwcap || !program_path_is_called(start + key, search->name))
			continue;
		offer_printf(search, search->root, "", start + value);
	}
}

static void search_dir(struct search *search, const char *name)
{
	char path[PATH_MAX];
	_cleanup_closedir_ DIR *dir = NULL;
	const struct dirent *entry;

	if ((size_t)snprintf(path, sizeof(path), "%s%s", search->root, name) >= sizeof(path))
		return;
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (str_after(entry->d_name, search->name) && strstr(entry->d_name, ".so") &&
		    program_path_is_called(entry->d_name, search->name))
			offer_printf(search, search->root, name, entry->d_name);
}

static void search_libraries(struct search *search)
{
	static const char *const dirs[] = { "/lib/" TRIPLET, "/usr/lib/" TRIPLET,
					    "/lib64",	     "/usr/lib64",
					    "/lib",	     "/usr/lib" };

	search_cache(search);
	for (size_t i = 0; i < ARRAY_SIZE(dirs) && !search->found; i++)
		search_dir(search, dirs[i]);
}

/* Searches $PATH, like a shell. */
static void search_programs(struct search *search)
{
	const char *p = getenv("PATH");

	for (size_t len; p && *p && !search->found; p += len + (p[len] == ':')) {
		char dir[PATH_MAX];

		len = strcspn(p, ":");
		if (len && *p == '/' && len < sizeof(dir)) {
			snprintf(dir, sizeof(dir), "%.*s", (int)len, p);
			offer_printf(search, search->root, dir, search->name);
		}
	}
}

static int result_of(const struct search *search, const char **ret_path, struct fathom_err *err)
{
	size_t root = strlen(search->root);

	if (search->nomem)
		return err_nomem(err);
	if (search->other)
		return err_set(err, -ENOTUNIQ,
			       "ambiguous program: '%.80s' or '%.80s'; give its path",
			       str_base_name(search->found), str_base_name(search->other));
	if (search->found)
		*ret_path = search->found + root;
	return search->found ? 0 : -ENOENT;
}

static int find_here(struct search *search, const char **ret_path, struct fathom_err *err)
{
	const char *name = search->name;
	char cwd[PATH_MAX];
	int r;

	if (name[0] == '/') {
		*ret_path = arena_strdup(search->arena, name);
		return *ret_path ? 0 : err_nomem(err);
	}
	if (strchr(name, '/')) {
		if (!getcwd(cwd, sizeof(cwd)))
			return err_set_errno(err, negative_errno(), "cannot resolve '%.100s'",
					     name);
		while (name[0] == '.' && name[1] == '/')
			name += 2;
		*ret_path = arena_printf(search->arena, "%s/%s", str_eq(cwd, "/") ? "" : cwd, name);
		return *ret_path ? 0 : err_nomem(err);
	}
	search_libraries(search);
	if (!search->found)
		search_programs(search);
	r = result_of(search, ret_path, err);
	if (r == -ENOENT)
		return err_set(
			err, r,
			"no library or program '%.100s'; give its path, beginning with '/' or './'",
			name);
	return r;
}

/* Searches the files that the process has mapped, which may be listed several times. */
static int search_maps(struct search *search, const char *proc, struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf maps = { 0 };
	char path[PATH_MAX], root[PATH_MAX], *text;
	int r;

	snprintf(path, sizeof(path), "%.4000s/maps", proc);
	snprintf(root, sizeof(root), "%.4000s/root", proc);
	r = file_read(AT_FDCWD, path, &maps);
	if (r < 0)
		return err_set_errno(err, r, "cannot read '%s'", path);
	text = maps.s;
	for (char *line; (line = str_next_line(&text));) {
		const char *file = strchr(line, '/');

		if (file && program_path_is_called(str_base_name(file), search->name))
			offer_printf(search, root, "", file);
	}
	return 0;
}

/* Removes the prefix that leads into the process, if the path refers to the same file here. */
static int program_path_shorten(const char *path, const char *prefix, struct arena *arena,
				const char **ret_path, struct fathom_err *err)
{
	const char *rest = str_after(path, prefix);
	const char *best = rest && *rest == '/' && is_same_file(path, rest) ? rest : path;

	*ret_path = arena_strdup(arena, best);
	return *ret_path ? 0 : err_nomem(err);
}

static int find_program_of(const char *proc, struct arena *arena, const char **ret_path,
			   struct fathom_err *err)
{
	char link[PATH_MAX], target[PATH_MAX];
	ssize_t n;

	snprintf(link, sizeof(link), "%.4000s/exe", proc);
	n = readlink(link, target, sizeof(target) - 1);
	if (n < 0)
		return err_set_errno(err, negative_errno(), "cannot read the program of '%s'",
				     proc);
	target[n] = '\0';
	/* A file that was deleted or moved is still accessible through the link. */
	*ret_path = arena_strdup(arena, is_same_file(link, target) ? target : link);
	return *ret_path ? 0 : err_nomem(err);
}

static int program_path_find_in_process(struct search *search, int pid, const char **ret_path,
					struct fathom_err *err)
{
	char proc[PATH_MAX], prefix[PATH_MAX];
	const char *path = NULL;
	int r = 0;

	if ((size_t)snprintf(proc, sizeof(proc), "%.2000s/proc/%d", search->root, pid) >=
		    sizeof(proc) ||
	    access(proc, F_OK) < 0)
		return err_set(err, -ESRCH, "no process %d", pid);
	snprintf(prefix, sizeof(prefix), "%.4000s/root", proc);
	if (!search->name)
		return find_program_of(proc, search->arena, ret_path, err);
	if (search->name[0] == '/') {
		path = arena_printf(search->arena, "%s%s", prefix, search->name);
		return path ? program_path_shorten(path, prefix, search->arena, ret_path, err) :
			      err_nomem(err);
	}
	r = search_maps(search, proc, err);
	if (r < 0)
		return r;
	if (search->nomem)
		return err_nomem(err);
	if (!search->found)
		return err_set(err, -ENOENT, "process %d has no mapped file '%.100s'", pid,
			       search->name);
	if (search->other)
		return err_set(err, -ENOTUNIQ,
			       "ambiguous file: process %d has two mapped files '%.100s'", pid,
			       search->name);
	return program_path_shorten(search->found, prefix, search->arena, ret_path, err);
}

int program_path_find(const char *root, int pid, const char *name, struct arena *arena,
		      const char **ret_path, struct fathom_err *err)
{
	struct search search = { .root = root, .name = name, .arena = arena };

	return pid ? program_path_find_in_process(&search, pid, ret_path, err) :
		     find_here(&search, ret_path, err);
}
