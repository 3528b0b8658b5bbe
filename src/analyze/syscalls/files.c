/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/order.h"
#include "base/str.h"

#define ERROR_MAX    4095
#define ERRORS_MAX   4096 /* maximum number of different errors */
#define SHARES_FILES 0x400 /* CLONE_FILES */
#define PATH_LEN_MAX 4096
#define ARGS_KEPT    3

/* Bits in arguments. */
#define O_CLOEXEC_BIT	  0x80000
#define MFD_CLOEXEC_BIT	  1
#define PERF_CLOEXEC_BIT  8
#define RANGE_UNSHARE_BIT 2
#define RANGE_CLOEXEC_BIT 4
#define CLOSES_ALWAYS	  UINT32_MAX /* no bit, or one that was not recorded */
#define FCNTL_DUP	  0
#define FCNTL_SET_FLAGS	  2
#define FCNTL_DUP_CLOEXEC 1030

/* The effect of a system call on a descriptor. */
enum call_class {
	CALL_OTHER,
	CALL_OPEN,
	CALL_READ,
	CALL_WRITE,
	CALL_CLOSE,
	CALL_CLOSE_RANGE,
	CALL_DUP,
	CALL_FCNTL,
	CALL_NEW, /* creates one without a path */
	CALL_EXEC,
	CALL_UNSHARE,
};

/*
 * The calls, and the argument with their close-on-exec flag. File numbers counted down from
 * FILE_NONE - 1 are rows: files without a path.
 */
static const struct call_row {
	enum call_class class;
	const char *calls;
	const char *label; /* of the new file */
	unsigned flags_at;
	uint32_t close_bit;
} rows[] = {
	{ CALL_OTHER, "", NULL, 0, 0 },
	{ CALL_OPEN, "creat", NULL, 0, 0 },
	{ CALL_OPEN, "open", NULL, 1, O_CLOEXEC_BIT },
	{ CALL_OPEN, "openat", NULL, 2, O_CLOEXEC_BIT },
	{ CALL_OPEN, "openat2", NULL, 0, CLOSES_ALWAYS },
	{ CALL_READ, "read pread64 readv preadv preadv2 recvfrom recvmsg", NULL, 0, 0 },
	{ CALL_WRITE, "write pwrite64 writev pwritev pwritev2 sendto sendmsg", NULL, 0, 0 },
	{ CALL_CLOSE, "close", NULL, 0, 0 },
	{ CALL_CLOSE_RANGE, "close_range", NULL, 0, 0 },
	{ CALL_DUP, "dup dup2", NULL, 0, 0 },
	{ CALL_DUP, "dup3", NULL, 2, O_CLOEXEC_BIT },
	{ CALL_FCNTL, "fcntl", NULL, 0, 0 },
	{ CALL_NEW, "socket", "socket", 1, O_CLOEXEC_BIT },
	{ CALL_NEW, "accept", "socket", 0, 0 },
	{ CALL_NEW, "accept4", "socket", 3, O_CLOEXEC_BIT },
	{ CALL_NEW, "epoll_create", "eventpoll", 0, 0 },
	{ CALL_NEW, "epoll_create1", "eventpoll", 0, O_CLOEXEC_BIT },
	{ CALL_NEW, "eventfd", "eventfd", 0, 0 },
	{ CALL_NEW, "eventfd2", "eventfd", 1, O_CLOEXEC_BIT },
	{ CALL_NEW, "timerfd_create", "timerfd", 1, O_CLOEXEC_BIT },
	{ CALL_NEW, "signalfd", "signalfd", 0, 0 },
	{ CALL_NEW, "signalfd4", "signalfd", 3, O_CLOEXEC_BIT },
	{ CALL_NEW, "inotify_init", "inotify", 0, 0 },
	{ CALL_NEW, "inotify_init1", "inotify", 0, O_CLOEXEC_BIT },
	{ CALL_NEW, "memfd_create", "memfd", 1, MFD_CLOEXEC_BIT },
	{ CALL_NEW, "pidfd_open", "pidfd", 0, CLOSES_ALWAYS },
	{ CALL_NEW, "perf_event_open", "perf_event", 4, PERF_CLOEXEC_BIT },
	{ CALL_NEW, "userfaultfd", "userfaultfd", 0, O_CLOEXEC_BIT },
	{ CALL_NEW, "io_uring_setup", "io_uring", 0, CLOSES_ALWAYS },
	{ CALL_EXEC, "execve execveat", NULL, 0, 0 },
	{ CALL_UNSHARE, "unshare", NULL, 0, 0 },
};

/* A call that has returned. */
struct failed_call {
	int64_t number;
	const char *name; /* NULL if unknown */
	uint64_t time;
	int32_t pid;
	uint32_t file; /* that it was about */
	bool opens; /* it tried to open the file */
	bool outside; /* of the window */
};

struct files_task {
	struct task_slot slot; /* must be first */
	uint32_t path; /* file named last during the current call */
	uint32_t file; /* file of its first argument */
	const struct call_row *row;
	bool in_call, close_on_exec;
	uint64_t args[ARGS_KEPT];
	/* The path in the entry event, which is used if no path event follows. */
	char *text;
	size_t text_len, cap_text;
	int64_t dir;
	bool has_text;
	struct failed_call interrupted; /* by a signal; its result is not known yet */
	bool was_interrupted;
};

static const struct call_row *files_row_of(struct files *files, const struct decoded_event *decoded)
{
	const char *name;
	unsigned char *row;

	if (!files->classes)
		files->classes = mem_zalloc(EVENT_TABLE_IDS, 1);
	if (!files->classes) {
		files->nomem = true;
		return rows;
	}
	row = &files->classes[decoded->event->id];
	name = *row ? NULL : decoded_syscall_name(decoded);
	for (size_t i = 1; i < ARRAY_SIZE(rows) && name && !*row; i++)
		if (str_has_word(rows[i].calls, " ", name))
			*row = (unsigned char)(i + 1);
	*row = *row ?: 1;
	return &rows[*row - 1];
}

static struct files_task *files_find_task(struct files *files, int32_t pid)
{
	enum task_slot_state state;
	struct files_task *task = task_table_slot(task_tracker_table(&files->tracker), pid,
						  &files->tasks, &files->n_tasks, &files->cap_tasks,
						  sizeof(*task), &state);

	files->nomem |= !task && pid;
	if (!task || state == TASK_SLOT_KNOWN)
		return task;
	/* The files of the previous task with this pid are not open in this one. */
	if (state == TASK_SLOT_RENEWED)
		descriptors_exit(&files->descriptors, pid);
	*task = (struct files_task){ .slot = task->slot,
				     .path = FILE_NONE,
				     .file = FILE_NONE,
				     .row = rows,
				     .text = task->text,
				     .cap_text = task->cap_text };
	return task;
}

/* Returns NULL for a file without a path. */
static struct file_sums *sums_of(const struct files *files, uint32_t file)
{
	return file < files->n ? &files->list[file] : NULL;
}

const char *files_open_name(const struct files *files, int32_t pid, int32_t fd)
{
	uint32_t file = descriptors_get(&files->descriptors, pid, fd);

	if (file == FILE_NONE)
		return NULL;
	return file < files->n ? files->list[file].path : rows[FILE_NONE - 1 - file].label;
}

/* Returns the file with this path, adding it if necessary, or FILE_NONE if there are too many. */
static uint32_t files_find(struct files *files, const char *path, size_t len)
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

/*
 * Records that the current call of the task refers to this path, relative to the directory @dir_fd.
 */
static void name_path(struct files *files, int32_t pid, const char *text, size_t len,
		      int64_t dir_fd)
{
	struct files_task *task = files_find_task(files, pid);
	const struct file_sums *dir;
	struct file_sums *sums;
	char whole[PATH_LEN_MAX];

	if (!task || !len || len >= PATH_LEN_MAX)
		return;
	dir = *text == '/' || dir_fd < 0 ?
		      NULL :
		      sums_of(files, descriptors_get(&files->descriptors, pid, dir_fd));
	if (dir) {
		size_t above_len = strlen(dir->path);

		if (above_len + 1 + len < sizeof(whole)) {
			memcpy(whole, dir->path, above_len);
			whole[above_len] = '/';
			memcpy(whole + above_len + 1, text, len);
			text = whole;
			len += above_len + 1;
		}
	}
	task->path = files_find(files, text, len);
	sums = sums_of(files, task->path);
	if (sums)
		sums->looked_for += !files->outside;
}

static void files_feed_path(struct files *files, const struct decoded_event *decoded)
{
	struct files_task *task = files_find_task(files, decoded->event->pid);

	if (!task)
		return;
	task->has_text = false;
	name_path(files, decoded->event->pid, decoded->path.text, decoded->path.len,
		  decoded->path.dir);
}

static void count_error(struct files *files, const struct failed_call *call, int64_t code,
			uint32_t file)
{
	uint64_t key = (uint64_t)call->number << 44 ^ (uint64_t)code << 32 ^ file;
	uint32_t place = u64_map_get(&files->error_keys, key);

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
		files->errors[files->n_errors++] = (struct file_error){
			.syscall = call->number,
			.code = code,
			.file = file,
			.name = call->name ? arena_strdup(&files->arena, call->name) : NULL,
			.first_time = call->time,
			.first_pid = call->pid,
		};
	}
	files->errors[place].count++;
}

/* Keeps a path from the entry event itself. */
static void files_keep_text(struct files *files, struct files_task *task,
			    const struct decoded_event *decoded)
{
	const struct syscall_start start = syscall_start_of(decoded);
	const char *text;
	int32_t dir;

	task->has_text = false;
	if (!start.record || !syscall_args_path(&files->args, &start, &text, &task->text_len))
		return;
	if (mem_reserve(&task->text, &task->cap_text, task->text_len + 1, 1) < 0) {
		files->nomem = true;
		return;
	}
	memcpy(task->text, text, task->text_len);
	task->has_text = true;
	task->dir = syscall_arg_fd(&files->args, &start, 0, &dir) ? dir : AT_FDCWD_VALUE;
}

static void files_feed_entry(struct files *files, const struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid;
	struct files_task *task = files_find_task(files, pid);
	const struct call_row *row;
	uint64_t flags = 0;

	/*
	 * If raw_syscalls is also recorded, the event of syscalls comes second and has more
	 * information.
	 */
	if (!task || !decoded_syscall_name(decoded))
		return;
	row = task->row = files_row_of(files, decoded);
	task->args[0] = decoded->call_number.first;
	task->path = FILE_NONE;
	task->in_call = true;
	files_keep_text(files, task, decoded);
	if (row->class == CALL_OTHER)
		return;
	for (unsigned i = 1; i < ARGS_KEPT; i++)
		if (!decoded_syscall_argument(decoded, i, &task->args[i]))
			task->args[i] = 0;
	if (row->close_bit && row->close_bit != CLOSES_ALWAYS)
		decoded_syscall_argument(decoded, row->flags_at, &flags);
	task->close_on_exec = row->close_bit == CLOSES_ALWAYS || (flags & row->close_bit);
	task->file = descriptors_get(&files->descriptors, pid, (uint32_t)task->args[0]);
	/* The descriptor may be reused before the call returns. */
	if (row->class == CALL_CLOSE)
		descriptors_close(&files->descriptors, pid, (uint32_t)task->args[0],
				  (uint32_t)task->args[0]);
}

static void end_fcntl(struct files *files, const struct files_task *task, int32_t pid,
		      int64_t result)
{
	uint32_t fd = (uint32_t)task->args[0];

	switch ((uint32_t)task->args[1]) {
	case FCNTL_DUP:
	case FCNTL_DUP_CLOEXEC:
		descriptors_set(&files->descriptors, pid, result, task->file,
				task->args[1] != FCNTL_DUP);
		break;
	case FCNTL_SET_FLAGS:
		descriptors_mark(&files->descriptors, pid, fd, fd, task->args[2] & 1);
		break;
	default:
		break;
	}
}

static void end_close_range(struct files *files, const struct files_task *task, int32_t pid)
{
	uint32_t first = (uint32_t)task->args[0], last = (uint32_t)task->args[1];

	if (task->args[2] & RANGE_UNSHARE_BIT)
		descriptors_unshare(&files->descriptors, pid);
	if (task->args[2] & RANGE_CLOEXEC_BIT)
		descriptors_mark(&files->descriptors, pid, first, last, true);
	else
		descriptors_close(&files->descriptors, pid, first, last);
}

static void end_transfer(struct files *files, const struct files_task *task, uint64_t bytes)
{
	struct file_sums *sums = sums_of(files, task->file);

	if (files->outside)
		return;
	if (task->row->class == CALL_READ) {
		files->read += bytes;
		if (sums)
			sums->read += bytes;
	} else {
		files->written += bytes;
		if (sums)
			sums->written += bytes;
	}
}

static void files_succeed(struct files *files, const struct files_task *task, int32_t pid,
			  int64_t result)
{
	struct descriptors *descriptors = &files->descriptors;

	switch (task->row->class) {
	case CALL_OPEN:
		files->opened += !files->outside;
		if (task->path != FILE_NONE)
			files->list[task->path].opened += !files->outside;
		descriptors_set(descriptors, pid, result, task->path, task->close_on_exec);
		break;
	case CALL_NEW:
		descriptors_set(descriptors, pid, result,
				FILE_NONE - 1 - (uint32_t)(task->row - rows), task->close_on_exec);
		break;
	case CALL_READ:
	case CALL_WRITE:
		end_transfer(files, task, (uint64_t)result);
		break;
	case CALL_CLOSE_RANGE:
		end_close_range(files, task, pid);
		break;
	case CALL_DUP:
		/* dup2() of a descriptor to itself does nothing. */
		if (result != (int64_t)(uint32_t)task->args[0])
			descriptors_set(descriptors, pid, result, task->file, task->close_on_exec);
		break;
	case CALL_FCNTL:
		end_fcntl(files, task, pid, result);
		break;
	case CALL_UNSHARE:
		if (task->args[0] & SHARES_FILES)
			descriptors_unshare(descriptors, pid);
		break;
	default:
		break;
	}
}

static void fail_call(struct files *files, const struct failed_call *call, int64_t code)
{
	struct file_sums *sums = sums_of(files, call->file);

	if (call->outside)
		return;
	files->failed += call->opens;
	if (sums)
		sums->failed++;
	count_error(files, call, code, sums ? call->file : FILE_NONE);
}

/* Handles an interrupted call whose outcome is known. */
static void files_take_restart(void *data, const struct restart *restart)
{
	struct files *files = data;
	struct files_task *task = files_find_task(files, restart->pid);

	if (task && task->was_interrupted && restart->fate == RESTART_EINTR)
		fail_call(files, &task->interrupted, EINTR);
	if (task)
		task->was_interrupted = false;
}

static void end_badly(struct files *files, struct files_task *task,
		      const struct decoded_event *decoded)
{
	enum call_class class = task->row->class;
	bool has_fd = class == CALL_READ || class == CALL_WRITE || class == CALL_CLOSE;
	struct failed_call call = { .number = decoded->call_number.number,
				    .name = decoded_syscall_name(decoded),
				    .time = decoded->event->time,
				    .pid = decoded->event->pid,
				    .file = has_fd ? task->file : task->path,
				    .opens = class == CALL_OPEN,
				    .outside = files->outside };

	if (!restarts_is_interrupted(decoded->call_number.result)) {
		fail_call(files, &call, -decoded->call_number.result);
		return;
	}
	task->interrupted = call;
	task->was_interrupted = true;
}

static void files_feed_exit(struct files *files, const struct decoded_event *decoded)
{
	int32_t pid = decoded->event->pid;
	struct files_task *task = files_find_task(files, pid);
	int64_t result = decoded->call_number.result;

	if (!task || !decoded_syscall_name(decoded))
		return;
	/* execve() returns in the first thread of the process, even if another one called it. */
	if (files_row_of(files, decoded)->class == CALL_EXEC && result == 0)
		descriptors_exec(&files->descriptors, pid);
	if (!task->in_call)
		return;
	task->in_call = false;
	/* The entry of this call was lost. */
	if (files_row_of(files, decoded) != task->row)
		return;
	if (task->has_text)
		name_path(files, pid, task->text, task->text_len, task->dir);
	if (result >= 0)
		files_succeed(files, task, pid, result);
	else if (result >= -ERROR_MAX)
		end_badly(files, task, decoded);
	task->path = FILE_NONE;
}

void files_feed(struct files *files, const struct decoded_event *decoded)
{
	/* Incomplete data would be misread. */
	if (files->nomem || files->args.nomem || files->descriptors.nomem)
		return;
	files->outside = decoded_is_outside(decoded);
	/* Descriptors may have been closed and reused. */
	if (decoded_has_gap(decoded))
		descriptors_forget(&files->descriptors);
	task_tracker_feed(&files->tracker, decoded, files_take_restart, files);
	files->nomem |= task_tracker_table(&files->tracker)->nomem;
	switch (decoded->kind) {
	case DECODED_PATH:
		files_feed_path(files, decoded);
		break;
	case DECODED_SYSCALL_ENTRY:
		files_feed_entry(files, decoded);
		break;
	case DECODED_SYSCALL_EXIT:
		files_feed_exit(files, decoded);
		break;
	case DECODED_NEW_TASK:
		files_find_task(files, decoded->task.pid);
		descriptors_fork(&files->descriptors, decoded->event->pid, decoded->task.pid,
				 decoded->task.flags & SHARES_FILES);
		break;
	case DECODED_TASK_EXIT:
		descriptors_exit(&files->descriptors, decoded->task.pid);
		break;
	default:
		break;
	}
}

static int files_compare_errors(const void *pa, const void *pb)
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

/* Returns whether the file was accessed in the window. */
static bool is_touched(const struct file_sums *sums)
{
	return sums->opened || sums->looked_for || sums->failed || sums->read || sums->written;
}

/* Sorting renumbers the files, also in the errors. */
static int sort_files(struct files *files)
{
	_cleanup_free_ uint32_t *order = mem_zalloc(files->n, sizeof(*order));
	_cleanup_free_ uint32_t *places = mem_zalloc(files->n, sizeof(*places));
	struct file_sums *sorted = mem_zalloc(files->n, sizeof(*sorted));
	size_t n = 0;

	if (!order || !places || !sorted) {
		free(sorted);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < files->n; i++)
		if (is_touched(&files->list[i]))
			order[n++] = i;
	qsort_r(order, n, sizeof(*order), compare_files, files);
	for (uint32_t i = 0; i < n; i++) {
		sorted[i] = files->list[order[i]];
		places[order[i]] = i;
	}
	free(files->list);
	files->list = sorted;
	files->cap = files->n;
	files->n = n;
	for (size_t i = 0; i < files->n_errors; i++)
		if (files->errors[i].file != FILE_NONE)
			files->errors[i].file = places[files->errors[i].file];
	return 0;
}

int files_finish(struct files *files)
{
	if (task_tracker_finish(&files->tracker) < 0 || files->nomem || files->args.nomem ||
	    files->descriptors.nomem)
		return -ENOMEM;
	if (files->n_errors)
		qsort(files->errors, files->n_errors, sizeof(*files->errors), files_compare_errors);
	return files->n ? sort_files(files) : 0;
}

void files_done(struct files *files)
{
	for (size_t i = 0; i < files->n_tasks; i++)
		free(files->tasks[i].text);
	descriptors_done(&files->descriptors);
	syscall_args_done(&files->args);
	u64_map_done(&files->paths);
	u64_map_done(&files->error_keys);
	task_tracker_done(&files->tracker);
	free(files->list);
	free(files->errors);
	free(files->tasks);
	free(files->classes);
	arena_done(&files->arena);
	*files = (struct files){ 0 };
}
