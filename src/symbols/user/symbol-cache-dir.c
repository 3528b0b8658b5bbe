/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The directory of the symbol cache, and its size. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/files/place.h"
#include "symbols/user/symbol-cache.h"

/* An entry, to find the oldest. */
struct entry {
	char name[SYMBOL_CACHE_NAME];
	struct timespec time;
	uint64_t size;
};

int symbol_cache_dir(const char *cache_home, const char *home)
{
	_cleanup_free_ char *path = NULL;

	/* The XDG specification says to ignore relative paths. */
	if (cache_home && cache_home[0] == '/')
		path = mem_printf("%s/fathom/symbols", cache_home);
	else if (home && home[0] == '/')
		path = mem_printf("%s/.cache/fathom/symbols", home);
	else
		return -ENOENT;
	if (!path)
		return -ENOMEM;
	/* With sudo, this may be the home of another user, who may have placed links in it. */
	return place_open_dir(path, 0);
}

static int older_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->time.tv_sec != y->time.tv_sec)
		return x->time.tv_sec < y->time.tv_sec ? -1 : 1;
	return x->time.tv_nsec < y->time.tv_nsec ? -1 : x->time.tv_nsec > y->time.tv_nsec;
}

/* Lists the entries of the directory; if memory is exhausted, only some of them. */
static size_t list_entries(DIR *dir, struct entry **entries, uint64_t *total)
{
	const struct dirent *found;
	size_t n = 0, cap = 0;

	while ((found = readdir(dir))) {
		struct stat st;
		size_t len;

		if (!symbol_cache_is_name(found->d_name) ||
		    fstatat(dirfd(dir), found->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0 ||
		    !S_ISREG(st.st_mode))
			continue;
		if (mem_reserve(entries, &cap, n + 1, sizeof(**entries)) < 0)
			break;
		len = strnlen(found->d_name, SYMBOL_CACHE_NAME - 1);
		(*entries)[n] = (struct entry){ .time = st.st_mtim, .size = (uint64_t)st.st_size };
		memcpy((*entries)[n++].name, found->d_name, len);
		*total += (uint64_t)st.st_size;
	}
	return n;
}

void symbol_cache_trim(int dir, uint64_t max)
{
	_cleanup_free_ struct entry *entries = NULL;
	int fd = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	_cleanup_closedir_ DIR *list = fd < 0 ? NULL : fdopendir(fd);
	uint64_t total = 0;
	size_t n;

	if (!list) {
		if (fd >= 0)
			close(fd);
		return;
	}
	n = list_entries(list, &entries, &total);
	if (n)
		qsort(entries, n, sizeof(*entries), older_first);
	for (size_t i = 0; i < n && total > max; i++)
		if (unlinkat(dir, entries[i].name, 0) == 0)
			total -= entries[i].size;
}
