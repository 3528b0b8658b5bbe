/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "actions/names/symbol-broker.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "actions/input/reading.h"
#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/plain-file.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "process/caller-enter.h"
#include "process/helper-process.h"
#include "process/sandbox.h"
#include "symbols/elf/elf-debug-file.h"

/* A mangled name of a few hundred bytes can expand without limit. */
#define MEMORY_MAX ((uint64_t)4 << 30)

static bool is_jit_map(const char *name)
{
	const char *map = str_after(name, "/tmp/perf-"), *dump = str_after(name, "/tmp/jit-");
	const char *number = map ? map : dump;
	size_t digits = number ? strspn(number, "0123456789") : 0;

	return digits && str_eq(number + digits, map ? ".map" : ".dump");
}

/* Anyone can create a file of that name: as in perf, files of other users are ignored. */
static int open_jit_map(const char *name)
{
	struct stat st;
	_cleanup_close_ int place = plain_file_find(name, O_NOFOLLOW, &st);

	if (place < 0)
		return place;
	if (st.st_uid != 0 && st.st_uid != geteuid())
		return -EACCES;
	return plain_file_open_at(place);
}

/* Prefixes of names of cache entries. */
#define CACHE_OPEN   "cache-open:"
#define CACHE_CREATE "cache-create:"
#define CACHE_COMMIT "cache-commit:"

/* In the broker's process: the cache directory, and the entry being written. */
static struct {
	bool asked;
	int dir; /* negative: no cache */
	int fd; /* an unnamed file; -1: none */
	char name[SYMBOL_CACHE_NAME];
} kept = { .dir = -1, .fd = -1 };

static int create_entry(const char *name)
{
	int fd;

	if (kept.fd >= 0)
		close(kept.fd);
	snprintf(kept.name, sizeof(kept.name), "%s", name);
	kept.fd = openat(kept.dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (kept.fd < 0)
		return negative_errno();
	fd = fcntl(kept.fd, F_DUPFD_CLOEXEC, 3);
	return fd < 0 ? negative_errno() : fd;
}

/* Names the new entry, replacing an old one. Replies with the entry. */
static int commit_entry(const char *name)
{
	_cleanup_close_ int fd = TAKE_FD(kept.fd);
	char link[64], temp[64];

	if (fd < 0 || !str_eq(name, kept.name))
		return -ENOENT;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	snprintf(temp, sizeof(temp), "new.%d", (int)getpid());
	/* linkat() cannot replace a file: link to a temporary name first, then rename. */
	unlinkat(kept.dir, temp, 0);
	if (linkat(AT_FDCWD, link, kept.dir, temp, AT_SYMLINK_FOLLOW) < 0 ||
	    renameat(kept.dir, temp, kept.dir, name) < 0)
		return negative_errno();
	symbol_cache_trim(kept.dir, SYMBOL_CACHE_MAX);
	return TAKE_FD(fd);
}

/* Returns true if the request is about the cache; *@ret_fd is the reply. */
static bool is_about_cache(const char *request, int *ret_fd)
{
	const char *name = str_after(request, "cache-");

	if (!name)
		return false;
	if (!kept.asked)
		kept.dir = symbol_cache_dir(getenv("XDG_CACHE_HOME"), getenv("HOME"));
	kept.asked = true;
	name = strchr(name, ':');
	*ret_fd = -ENOENT;
	if (kept.dir < 0 || !name || !symbol_cache_is_name(++name))
		return true;
	if (str_after(request, CACHE_OPEN))
		*ret_fd = openat(kept.dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	else if (str_after(request, CACHE_CREATE))
		*ret_fd = create_entry(name);
	else if (str_after(request, CACHE_COMMIT))
		*ret_fd = commit_entry(name);
	return true;
}

/* Set before the broker's process is forked, constant afterwards. */
static bool ask_servers;

#define FINDER "debuginfod-find"

/* Runs debuginfod-find and reads the file name that it prints. Returns its length, 0: none. */
static size_t run_finder(const char *kind, const char *id, char *path, size_t size)
{
	int out[2], status = -1;
	size_t len = 0;
	ssize_t n;
	pid_t pid;

	if (pipe2(out, O_CLOEXEC) < 0)
		return 0;
	pid = helper_process_fork();
	if (pid == 0) {
		int none = open("/dev/null", O_RDWR | O_CLOEXEC);

		if (none >= 0 && dup2(none, 0) == 0 && dup2(out[1], 1) == 1 && dup2(none, 2) == 2 &&
		    caller_enter() == 0)
			execlp(FINDER, FINDER, kind, id, (char *)NULL);
		_exit(127);
	}
	close(out[1]);
	while (len < size - 1 && (n = read(out[0], path + len, size - 1 - len)) > 0)
		len += (size_t)n;
	close(out[0]);
	if (pid < 0 || helper_process_reap(pid, -1, &status) < 0 || status != 0)
		return 0;
	path[len] = '\0';
	path[strcspn(path, "\n")] = '\0';
	return strlen(path);
}

/* Parses "KIND:BUILD-ID". Returns the name of the file, or NULL. */
static const char *ask_server(const char *what)
{
	static char path[4096];
	const char *id = strchr(what, ':');
	bool program = str_after(what, "executable:") != NULL;

	if (!ask_servers || !id || (!program && !str_after(what, "debuginfo:")))
		return NULL;
	id++;
	if (strlen(id) < 4 || id[strspn(id, "0123456789abcdef")] || strlen(id) > 128)
		return NULL;
	return run_finder(program ? "executable" : "debuginfo", id, path, sizeof(path)) ? path :
											  NULL;
}

static int symbol_broker_policy(const char *name)
{
	_cleanup_close_ int fd = -1;
	char magic[SELFMAG];
	int cached;

	if (is_about_cache(name, &cached))
		return cached == -1 ? negative_errno() : cached;
	if (is_jit_map(name))
		return open_jit_map(name);
	if (str_after(name, ELF_DEBUGINFOD))
		name = ask_server(str_after(name, ELF_DEBUGINFOD)) ?: "";
	if (name[0] != '/')
		return -EACCES;
	fd = broker_open_plain(name);
	if (fd < 0)
		return fd;
	if (pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, ELFMAG, SELFMAG) != 0)
		return -ENOEXEC;
	return TAKE_FD(fd);
}

/* Returns whether the program is installed. */
static bool is_program(const char *name)
{
	const char *path = getenv("PATH");

	for (size_t len; path && *path; path += len + (path[len] == ':')) {
		char place[4096];

		len = strcspn(path, ":");
		snprintf(place, sizeof(place), "%.*s/%s", (int)len, path, name);
		if (access(place, X_OK) == 0)
			return true;
	}
	return false;
}

static int check_debuginfod(struct fathom_err *err)
{
	const char *servers = getenv("DEBUGINFOD_URLS");

	if (!is_program(FINDER))
		return err_set(err, -ENOENT,
			       "--debuginfod requires the program '" FINDER
			       "': install the package debuginfod");
	if (!servers || !*servers)
		return err_set(err, -EINVAL,
			       "--debuginfod requires servers in DEBUGINFOD_URLS: use 'export "
			       "DEBUGINFOD_URLS=https://debuginfod.elfutils.org'");
	return 0;
}

int symbol_broker_start(struct broker *broker, bool debuginfod, struct fathom_err *err)
{
	int r = debuginfod ? check_debuginfod(err) : 0;

	ask_servers = debuginfod;
	if (r == 0)
		r = broker_start(broker, symbol_broker_policy, err);
	if (r == 0)
		sandbox_limit_memory(MEMORY_MAX);
	return r;
}

static int symbol_broker_ask(void *data, const char *path)
{
	reading_loads(path);
	return broker_open(data, path);
}

static int ask_about(void *data, const char *what, const char *name)
{
	char request[SYMBOL_CACHE_NAME + 32];

	snprintf(request, sizeof(request), "%s%s", what, name);
	return broker_open(data, request);
}

static int ask_entry(void *data, const char *name)
{
	return ask_about(data, CACHE_OPEN, name);
}

static int ask_new_entry(void *data, const char *name)
{
	return ask_about(data, CACHE_CREATE, name);
}

static int ask_commit(void *data, const char *name)
{
	_cleanup_close_ int fd = ask_about(data, CACHE_COMMIT, name);

	return fd < 0 ? fd : 0;
}

void symbol_broker_use(struct broker *broker, struct user_symbols *symbols)
{
	symbols->cache = (struct symbol_cache){ .open = ask_entry,
						.create = ask_new_entry,
						.commit = ask_commit,
						.data = broker,
						.user = geteuid() };
	symbols->opener = symbols->jit_opener =
		(struct elf_opener){ symbol_broker_ask, broker, ask_servers };
	demangler_load(&symbols->demangler);
}
