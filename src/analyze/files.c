/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

#define ERROR_MAX	4095
#define ERRORS_MAX	4096 /* kinds of failures that are told apart */
#define DESCRIPTORS_MAX ((size_t)1 << 20) /* open files that are remembered */
#define SHARES_FILES	0x400 /* CLONE_FILES */
#define TABLE_DEPTH_MAX 16 /* tables of parents that are looked at */
#define PATH_LEN_MAX	4096

/* What a system call does with a descriptor. */
enum call_class {
	CALL_UNKNOWN,
	CALL_OTHER,
	CALL_OPEN,
	CALL_READ,
	CALL_WRITE,
	CALL_CLOSE,
	CALL_DUP,
};

struct files_task {
	int32_t pid;
	uint32_t table; /* of descriptors: the place of the task whose it is */
	uint32_t parent; /* whose table it was a copy of; FILE_NONE */
	uint32_t path; /* the file named last in the call that it is in */
	enum call_class class;
	bool in_call;
	uint64_t first; /* argument */
};

static const struct {
	enum call_class class;
	const char *names;
} classes[] = {
	{ CALL_OPEN, "open openat openat2 creat" },
	{ CALL_READ, "read pread64 readv preadv preadv2 recvfrom recvmsg" },
	{ CALL_WRITE, "write pwrite64 writev pwritev pwritev2 sendto sendmsg" },
	{ CALL_CLOSE, "close" },
	{ CALL_DUP, "dup dup2 dup3" },
};

static enum call_class class_of(struct files *files, const struct happening *happening)
{
	const char *name;
	unsigned char *class;

	if (!files->classes)
		files->classes = mem_zalloc(EVENT_TABLE_IDS, 1);
	if (!files->classes) {
		files->nomem = true;
		return CALL_OTHER;
	}
	class = &files->classes[happening->event->id];
	if (*class)
		return *class;
	*class = CALL_OTHER;
	name = happening_syscall_name(happening);
	for (size_t i = 0; i < ARRAY_SIZE(classes) && name; i++)
		if (str_has_word(classes[i].names, " ", name))
			*class = (unsigned char)classes[i].class;
	return *class;
}

static struct files_task *find_task(struct files *files, int32_t pid)
{
	uint32_t place = u64_map_put(&files->pids, (uint32_t)pid);

	if (place == U64_MAP_NONE || mem_reserve(&files->tasks, &files->cap_tasks,
						 place + (size_t)1, sizeof(*files->tasks)) < 0) {
		files->nomem = true;
		return NULL;
	}
	if (files->n_tasks == place)
		files->tasks[files->n_tasks++] = (struct files_task){
			.pid = pid, .table = place, .parent = FILE_NONE, .path = FILE_NONE
		};
	return &files->tasks[place];
}

/* The file of this path, new when it was never seen; FILE_NONE when there are too many. */
static uint32_t find_file(struct files *files, const char *path, size_t len)
{
	uint64_t hash = hash_bytes(path, len, hash_seed());
	uint32_t place = u64_map_get(&files->paths, hash);

	if (place != U64_MAP_NONE)
		return place;
	if (files->n >= FILES_MAX)
		return FILE_NONE;
	if (mem_reserve(&files->list, &files->cap, files->n + 1, sizeof(*files->list)) < 0 ||
	    !(files->list[files->n] =
		      (struct file_sums){ .path = arena_strndup(&files->arena, path, len) })
		     .path ||
	    u64_map_put(&files->paths, hash) == U64_MAP_NONE) {
		files->nomem = true;
		return FILE_NONE;
	}
	return (uint32_t)files->n++;
}

/* What a descriptor of the task stands for: where @set, changed to that. */
static uint32_t open_file(struct files *files, const struct files_task *task, uint64_t fd,
			  const uint32_t *set)
{
	uint32_t table = task->table, place;

	if (fd > INT32_MAX)
		return FILE_NONE;
	if (set) {
		if (files->n_open >= DESCRIPTORS_MAX &&
		    u64_map_get(&files->open_keys, (uint64_t)table << 32 | fd) == U64_MAP_NONE)
			return FILE_NONE;
		place = u64_map_put(&files->open_keys, (uint64_t)table << 32 | fd);
		if (place == U64_MAP_NONE || mem_reserve(&files->open, &files->cap_open,
							 place + (size_t)1, sizeof(uint32_t)) < 0) {
			files->nomem = true;
			return FILE_NONE;
		}
		files->n_open = place >= files->n_open ? place + (size_t)1 : files->n_open;
		files->open[place] = *set;
		return *set;
	}
	for (unsigned i = 0; i < TABLE_DEPTH_MAX && table != FILE_NONE; i++) {
		place = u64_map_get(&files->open_keys, (uint64_t)table << 32 | fd);
		if (place != U64_MAP_NONE)
			return files->open[place];
		table = files->tasks[table].parent;
	}
	return FILE_NONE;
}

static void feed_path(struct files *files, const struct happening *happening)
{
	struct files_task *task = find_task(files, happening->event->pid);
	const char *text = happening->path.text;
	size_t len = happening->path.len;
	char whole[PATH_LEN_MAX];
	uint32_t dir;

	if (!task || !len || len >= PATH_LEN_MAX)
		return;
	dir = *text == '/' || happening->path.dir < 0 ?
		      FILE_NONE :
		      open_file(files, task, (uint64_t)happening->path.dir, NULL);
	if (dir != FILE_NONE) {
		const char *above = files->list[dir].path;
		size_t above_len = strlen(above);

		if (above_len + 1 + len < sizeof(whole)) {
			memcpy(whole, above, above_len);
			whole[above_len] = '/';
			memcpy(whole + above_len + 1, text, len);
			text = whole;
			len += above_len + 1;
		}
	}
	task->path = find_file(files, text, len);
	if (task->path != FILE_NONE)
		files->list[task->path].looked_for++;
}

static void count_error(struct files *files, const struct happening *happening, int64_t code,
			uint32_t file)
{
	int64_t number = happening->call_number.number;
	uint64_t key = (uint64_t)number << 44 ^ (uint64_t)code << 32 ^ file;
	uint32_t place = u64_map_get(&files->error_keys, key);
	const char *name;

	if (place == U64_MAP_NONE) {
		if (files->n_errors >= ERRORS_MAX)
			return;
		place = u64_map_put(&files->error_keys, key);
		if (place == U64_MAP_NONE ||
		    mem_reserve(&files->errors, &files->cap_errors, place + (size_t)1,
				sizeof(*files->errors)) < 0) {
			files->nomem = true;
			return;
		}
		name = happening_syscall_name(happening);
		files->errors[files->n_errors++] = (struct file_error){
			.syscall = number,
			.code = code,
			.file = file,
			.name = name ? arena_strdup(&files->arena, name) : NULL,
			.first_time = happening->event->time,
		};
	}
	files->errors[place].count++;
}

static void feed_entry(struct files *files, const struct happening *happening)
{
	struct files_task *task = find_task(files, happening->event->pid);

	/* Where raw_syscalls are recorded as well, the other event comes second and knows more. */
	if (!task || !happening_syscall_name(happening))
		return;
	task->class = class_of(files, happening);
	task->first = happening->call_number.first;
	task->path = FILE_NONE;
	task->in_call = true;
}

static void succeed(struct files *files, struct files_task *task, int64_t result)
{
	uint32_t none = FILE_NONE, file;

	switch (task->class) {
	case CALL_OPEN:
		files->opened++;
		if (task->path != FILE_NONE)
			files->list[task->path].opened++;
		open_file(files, task, (uint64_t)result, &task->path);
		break;
	case CALL_READ:
	case CALL_WRITE:
		file = open_file(files, task, task->first, NULL);
		if (task->class == CALL_READ)
			files->read += (uint64_t)result;
		else
			files->written += (uint64_t)result;
		if (file != FILE_NONE && task->class == CALL_READ)
			files->list[file].read += (uint64_t)result;
		else if (file != FILE_NONE)
			files->list[file].written += (uint64_t)result;
		break;
	case CALL_CLOSE:
		open_file(files, task, task->first, &none);
		break;
	case CALL_DUP:
		file = open_file(files, task, task->first, NULL);
		open_file(files, task, (uint64_t)result, &file);
		break;
	default:
		break;
	}
}

static void feed_exit(struct files *files, const struct happening *happening)
{
	struct files_task *task = find_task(files, happening->event->pid);
	int64_t result = happening->call_number.result;

	if (!task || !happening_syscall_name(happening) || !task->in_call)
		return;
	task->in_call = false;
	if (result >= 0) {
		succeed(files, task, result);
	} else if (result >= -ERROR_MAX) {
		bool has_fd = task->class == CALL_READ || task->class == CALL_WRITE ||
			      task->class == CALL_CLOSE;
		uint32_t file = has_fd ? open_file(files, task, task->first, NULL) : task->path;

		files->failed += task->class == CALL_OPEN;
		if (file != FILE_NONE)
			files->list[file].failed++;
		count_error(files, happening, -result, file);
	}
	task->path = FILE_NONE;
}

static void feed_new_task(struct files *files, const struct happening *happening)
{
	struct files_task *task = find_task(files, happening->task.pid);
	struct files_task *parent = find_task(files, happening->event->pid);
	uint32_t table;

	if (!task || !parent)
		return;
	/* The list may have been moved by the second look. */
	task = find_task(files, happening->task.pid);
	table = parent->table;
	if (happening->task.flags & SHARES_FILES)
		task->table = table;
	else if (task != parent)
		task->parent = table;
}

void files_feed(struct files *files, const struct happening *happening)
{
	/* What is missing then would be taken for something else. */
	if (files->nomem)
		return;
	switch (happening->kind) {
	case HAPPENING_PATH:
		feed_path(files, happening);
		break;
	case HAPPENING_SYSCALL_ENTRY:
		feed_entry(files, happening);
		break;
	case HAPPENING_SYSCALL_EXIT:
		feed_exit(files, happening);
		break;
	case HAPPENING_NEW_TASK:
		feed_new_task(files, happening);
		break;
	default:
		break;
	}
}

static int compare_errors(const void *pa, const void *pb)
{
	const struct file_error *a = pa, *b = pb;

	return order_falling(a->count, b->count) ?: order_falling(b->first_time, a->first_time);
}

static int compare_files(const void *pa, const void *pb, void *arg)
{
	const struct files *files = arg;
	const struct file_sums *a = &files->list[*(const uint32_t *)pa];
	const struct file_sums *b = &files->list[*(const uint32_t *)pb];

	return order_falling(a->read + a->written, b->read + b->written) ?:
		       order_falling(a->opened, b->opened)		 ?:
		       order_falling(a->looked_for, b->looked_for)	 ?:
									   strcmp(a->path, b->path);
}

/* The numbers of files change with their order; those of the errors follow. */
static int sort_files(struct files *files)
{
	_cleanup_free_ uint32_t *order = mem_zalloc(files->n, sizeof(*order));
	_cleanup_free_ uint32_t *places = mem_zalloc(files->n, sizeof(*places));
	struct file_sums *sorted = mem_zalloc(files->n, sizeof(*sorted));

	if (!order || !places || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < files->n; i++)
		order[i] = i;
	qsort_r(order, files->n, sizeof(*order), compare_files, files);
	for (uint32_t i = 0; i < files->n; i++) {
		sorted[i] = files->list[order[i]];
		places[order[i]] = i;
	}
	free(files->list);
	files->list = sorted;
	files->cap = files->n;
	for (size_t i = 0; i < files->n_errors; i++)
		if (files->errors[i].file != FILE_NONE)
			files->errors[i].file = places[files->errors[i].file];
	return 0;
}

int files_finish(struct files *files)
{
	if (files->nomem)
		return -ENOMEM;
	if (files->n_errors)
		qsort(files->errors, files->n_errors, sizeof(*files->errors), compare_errors);
	return files->n ? sort_files(files) : 0;
}

void files_done(struct files *files)
{
	u64_map_done(&files->paths);
	u64_map_done(&files->error_keys);
	u64_map_done(&files->pids);
	u64_map_done(&files->open_keys);
	free(files->list);
	free(files->errors);
	free(files->tasks);
	free(files->open);
	free(files->classes);
	arena_done(&files->arena);
	*files = (struct files){ 0 };
}
