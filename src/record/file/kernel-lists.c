/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A file starts with a line that contains what its list depends on and the size of the list,
 * followed by the list, compressed with zstd. The beginning of the kernel's list, which is quick to
 * read, is also compared.
 */
#include "record/file/kernel-lists.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/files/file.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/negative-errno.h"
#include "base/str.h"
#include "format/compress/deflate.h"
#include "record/file/stored-file.h"

/* Longer than the list of any kernel; such a list is not stored. */
#define LIST_MAX ((size_t)64 << 20)
/* A shorter list is as quick to read from the kernel. */
#define LIST_MIN  ((size_t)64 << 10)
#define FILE_MAX  ((size_t)16 << 20)
#define KEY_SIZE  256
#define BEGINNING 4096
/* The fastest level: a tenth of the time that the kernel takes to print the list. */
#define LEVEL 1

struct list {
	const char *name; /* of the file */
	int dir; /* descriptor of the directory with the kernel's list */
	const char *path;
	bool of_bpf; /* contains names of BPF programs */
};

int kernel_lists_modules(const char *root, uint64_t *ret_hash)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/modules", root);
	_cleanup_strbuf_ struct strbuf text = { 0 };
	int r = path ? file_read(AT_FDCWD, path, &text) : -ENOMEM;
	uint64_t hash = 0;
	char *rest = text.s;

	for (char *line; r == 0 && rest && (line = str_next_line(&rest));) {
		const char *live = strstr(line, " Live 0x"), *address;
		int len = (int)strcspn(line, " ");
		char place[512];
		struct stat st;

		if (!live)
			return -EBUSY;
		address = live + strlen(" Live 0x");
		if (!address[strspn(address, "0")] || address[strspn(address, "0")] == ' ')
			return -EACCES;
		/* Each load of a module creates a directory with a new inode. */
		if (snprintf(place, sizeof(place), "%s/sys/module/%.*s", root, len, line) >=
		    (int)sizeof(place))
			return -ENAMETOOLONG;
		if (stat(place, &st) < 0)
			return errno == ENOENT ? -EBUSY : negative_errno();
		hash ^= hash_bytes(line, (size_t)len, (uint32_t)hash);
		hash ^= hash_bytes(address, strlen(address), (uint32_t)hash);
		hash ^= hash_bytes(&st.st_ino, sizeof(st.st_ino), (uint32_t)hash);
	}
	if (r == 0)
		*ret_hash = hash;
	return r;
}

/* Adds the IDs of all BPF programs, or of all links, to @hash. Returns 0 or a negative errno. */
static int hash_bpf(unsigned command, uint64_t *hash)
{
	union bpf_attr attr = { 0 };

	while (syscall(SYS_bpf, command, &attr, sizeof(attr)) == 0) {
		attr.start_id = attr.next_id;
		*hash ^= hash_bytes(&attr.next_id, sizeof(attr.next_id), (uint32_t)*hash);
	}
	/* Kernels without BPF, and old ones, have none. */
	return errno == ENOENT || errno == ENOSYS || errno == EINVAL ? 0 : negative_errno();
}

/* Describes what @list depends on, as the beginning of its file. Returns 0 or a negative errno. */
static int kernel_lists_make_key(const struct session_env *env, const struct list *list,
				 char key[static KEY_SIZE])
{
	uint64_t modules, bpf = 0;
	int r = kernel_lists_modules(env->root, &modules);

	/* BPF is global: a test's tree has no programs. */
	if (r == 0 && list->of_bpf && !*env->root)
		r = hash_bpf(BPF_PROG_GET_NEXT_ID, &bpf) ?: hash_bpf(BPF_LINK_GET_NEXT_ID, &bpf);
	if (r == 0 && snprintf(key, KEY_SIZE, "fathom-list 1 %s %" PRIx64 " %" PRIx64 " ",
			       env->boot_id, modules, bpf) >= KEY_SIZE)
		r = -E2BIG;
	return r;
}

/* Returns whether the kernel's list starts as @text does. */
static bool begins_so(const struct list *list, const struct strbuf *text)
{
	_cleanup_close_ int fd = openat(list->dir, list->path, O_RDONLY | O_CLOEXEC);
	char beginning[BEGINNING];
	ssize_t n = fd < 0 ? -1 : read(fd, beginning, sizeof(beginning));

	return n > 0 && (size_t)n <= text->len && memcmp(beginning, text->s, (size_t)n) == 0;
}

/* Appends the list of a file with the right key. Returns 1, 0 if it is damaged, or -ENOMEM. */
static int kernel_lists_unpack(const char *packed, size_t size, struct strbuf *text)
{
	struct inflater inflater = { 0 };
	const char *p = packed, *end = packed + size;
	uint64_t len;
	char *room;
	int r;

	if (!str_take_hex(&p, end, &len) || p == end || *p++ != '\n' || len > LIST_MAX)
		return 0;
	room = strbuf_room(text, len);
	if (!room)
		return -ENOMEM;
	r = inflater_run(&inflater, COMPRESSION_ZSTD, p, (size_t)(end - p), room, len);
	inflater_done(&inflater);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	text->len += len;
	text->s[text->len] = '\0';
	return 1;
}

/* Appends @from, and empties it: moved if possible, because it can be large. */
static void kernel_lists_give(struct strbuf *from, struct strbuf *text)
{
	if (text->s) {
		strbuf_add(text, strbuf_str(from), from->len);
		return;
	}
	*text = *from;
	*from = (struct strbuf){ 0 };
}

/* Returns 1 with the list in @text, 0 if no valid list is stored, or -ENOMEM. */
static int read_kept(const struct session_env *env, const struct list *list, const char *key,
		     struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf file = { 0 }, kept = { 0 };
	const char *packed;
	int r = stored_file_read(env, list->name, FILE_MAX, &file);

	if (r < 0)
		return r;
	packed = str_after(strbuf_str(&file), key);
	r = packed ? kernel_lists_unpack(packed, file.len - strlen(key), &kept) : 0;
	if (r <= 0 || !begins_so(list, &kept))
		return r < 0 ? r : 0;
	kernel_lists_give(&kept, text);
	return text->err ? -ENOMEM : 1;
}

/* Returns 0 or a negative errno; then the list will be read from the kernel again. */
static int store(const struct session_env *env, const struct list *list, const char *key,
		 const struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf file = { 0 };
	_cleanup_close_ int lock = -1;
	struct deflater deflater = { 0 };
	size_t bound = deflate_bound(COMPRESSION_ZSTD, text->len), size;
	char *room;
	int r;

	strbuf_addf(&file, "%s%zx\n", key, text->len);
	room = strbuf_room(&file, bound);
	r = room ? deflater_init(&deflater, COMPRESSION_ZSTD, LEVEL) : -ENOMEM;
	if (r < 0)
		return r;
	r = deflater_run(&deflater, text->s, text->len, room, bound, &size);
	deflater_done(&deflater);
	if (r < 0)
		return r;
	file.len += size;
	lock = stored_file_lock(env);
	return lock < 0 ? lock : stored_file_write(env, list->name, &file);
}

/* Stores the list, unless the machine has changed while it was read. Returns 0 or -ENOMEM. */
static int keep_list(const struct session_env *env, const struct list *list, const char *key,
		     const struct strbuf *text)
{
	char now[KEY_SIZE];
	int r;

	if (text->len < LIST_MIN || text->len > LIST_MAX)
		return 0;
	r = kernel_lists_make_key(env, list, now);
	if (r == 0 && str_eq(key, now))
		r = store(env, list, key, text);
	return r == -ENOMEM ? r : 0;
}

/* Appends the list, from the file or the kernel. Returns 0 or a negative errno. */
static int kernel_lists_read(const struct session_env *env, const struct list *list, bool keep,
			     struct strbuf *text)
{
	_cleanup_strbuf_ struct strbuf all = { 0 };
	char key[KEY_SIZE];
	int r = env->journals < 0 ? -ENOENT : kernel_lists_make_key(env, list, key);
	bool has_key = r == 0;

	if (has_key)
		r = read_kept(env, list, key, text);
	if (r == 1 || r == -ENOMEM)
		return r == 1 ? 0 : r;
	r = file_read(list->dir, list->path, &all);
	if (r == 0 && keep && has_key)
		r = keep_list(env, list, key, &all);
	if (r < 0)
		return r;
	kernel_lists_give(&all, text);
	return text->err;
}

int kernel_lists_functions(const struct session_env *env, bool keep,
			   struct functions *ret_functions, struct fathom_err *err)
{
	const struct list list = { .name = ".kernel-functions",
				   .dir = env->tracefs.fd,
				   .path = "available_filter_functions" };
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	char *text;

	/* functions_read() below reports why it cannot be read. */
	if (kernel_lists_read(env, &list, keep, &buf) < 0)
		return functions_read(env->tracefs.fd, false, ret_functions, err);
	text = strbuf_take(&buf);
	return text ? functions_parse(text, false, ret_functions, err) : err_nomem(err);
}

int kernel_lists_symbols(const struct session_env *env, bool keep, struct strbuf *text)
{
	_cleanup_free_ char *path = mem_printf("%s/proc/kallsyms", env->root);
	const struct list list = {
		.name = ".kernel-symbols", .dir = AT_FDCWD, .path = path, .of_bpf = true
	};

	return path ? kernel_lists_read(env, &list, keep, text) : -ENOMEM;
}
