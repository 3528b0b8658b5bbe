/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char top[64];
static int top_fd = -1;
static pid_t maker;

/* If a setup function fails, cmocka does not call the teardown. */
static void remove_at_exit(void)
{
	if (getpid() == maker)
		tree_remove();
}

const char *tree_make(void)
{
	tree_remove();
	snprintf(top, sizeof(top), "/tmp/fathom-tree-XXXXXX");
	if (!mkdtemp(top))
		fail_msg("no directory in /tmp: %s", strerror(errno));
	if (maker != getpid())
		atexit(remove_at_exit);
	maker = getpid();
	return top;
}

/* Returns the path in the tree, after creating the directories above it. */
static const char *below(const char *path)
{
	static char full[1024];

	snprintf(full, sizeof(full), "%s%s", top, path);
	for (char *slash = full + strlen(top) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0755);
		*slash = '/';
	}
	return full;
}

void tree_file(const char *path, const char *text)
{
	FILE *f = fopen(below(path), "w");

	if (!f || fputs(text, f) < 0 || fclose(f) != 0)
		fail_msg("cannot write %s: %s", path, strerror(errno));
}

void tree_dir(const char *path)
{
	if (mkdir(below(path), 0755) < 0)
		fail_msg("cannot make %s: %s", path, strerror(errno));
}

void tree_link(const char *path, const char *target)
{
	if (symlink(target, below(path)) < 0)
		fail_msg("cannot link %s: %s", path, strerror(errno));
}

void tree_unlink(const char *path)
{
	if (unlink(below(path)) < 0)
		fail_msg("cannot remove %s: %s", path, strerror(errno));
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	return remove(path);
}

void tree_remove(void)
{
	if (top[0])
		nftw(top, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	top[0] = '\0';
}

int tree_setup(void **state)
{
	top_fd = open(tree_make(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*state = &top_fd;
	return top_fd < 0 ? -1 : 0;
}

const char *tree_root(void)
{
	return top;
}

int tree_fd(void)
{
	return top_fd;
}

int tree_teardown(void **state)
{
	close(top_fd);
	tree_remove();
	return 0;
}
