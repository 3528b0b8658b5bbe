/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists tracing BPF programs and their attach targets, as far as the kernel reports them. */
#include "kernel/state/state-parts.h"

#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

#include "base/cleanup.h"
#include "kernel/perf/bpf-call.h"
#include "kernel/state/state-lists.h"

/* Stops here on machines with more. */
#define PROGRAMS_MAX 4096
#define NAME_SIZE    128

/* Returns NULL for programs that do not trace (network, security, ...). */
static const char *type_name(unsigned int type)
{
	switch (type) {
	case BPF_PROG_TYPE_KPROBE:
		return "probe";
	case BPF_PROG_TYPE_TRACEPOINT:
		return "event";
	case BPF_PROG_TYPE_PERF_EVENT:
		return "perf event";
	case BPF_PROG_TYPE_RAW_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT_WRITABLE:
		return "raw tracepoint";
	case BPF_PROG_TYPE_TRACING:
		return "function";
	default:
		return NULL;
	}
}

/* Returns the ID that follows @id, or a negative errno; -ENOENT at the end. */
static int next_id(int command, unsigned int id)
{
	union bpf_attr attr;
	int r;

	memset(&attr, 0, sizeof(attr));
	attr.start_id = id;
	r = bpf_call(command, &attr, sizeof(attr));
	return r < 0 ? r : (int)attr.next_id;
}

static int fd_of(int command, unsigned int id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_id = id; /* a union with link_id */
	return bpf_call(command, &attr, sizeof(attr));
}

static int info_of(int fd, void *info, unsigned int size)
{
	union bpf_attr attr;

	memset(info, 0, size);
	memset(&attr, 0, sizeof(attr));
	attr.info.bpf_fd = (uint32_t)fd;
	attr.info.info_len = size;
	attr.info.info = bpf_ptr(info);
	return bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr));
}

/* Returns the name of a kernel function by its BTF ID, or "". */
static const char *state_bpf_function_name(struct trace_state *state, unsigned int id)
{
	libbpf_print_fn_t before = libbpf_set_print(NULL);
	struct btf *btf = id ? btf__load_vmlinux_btf() : NULL;
	const struct btf_type *type = btf ? btf__type_by_id(btf, id) : NULL;
	const char *name =
		type ? state_text(state, "%s", btf__name_by_offset(btf, type->name_off)) : "";

	btf__free(btf);
	libbpf_set_print(before);
	return name;
}

static struct state_bpf *state_bpf_find_program(struct trace_state *state, unsigned int id)
{
	for (size_t i = 0; i < state->bpf.count; i++)
		if (state->bpf.items[i].id == id)
			return &state->bpf.items[i];
	return NULL;
}

static void state_bpf_read_program(struct trace_state *state, unsigned int id)
{
	_cleanup_close_ int fd = fd_of(BPF_PROG_GET_FD_BY_ID, id);
	struct bpf_prog_info info;
	struct state_bpf *item;

	/* It may have been unloaded since. */
	if (fd < 0 || info_of(fd, &info, sizeof(info)) < 0 || !type_name(info.type))
		return;
	item = STATE_ADD(state, &state->bpf);
	if (!item)
		return;
	item->id = id;
	item->type = type_name(info.type);
	item->name =
		state_text(state, "%.*s", (int)strnlen(info.name, sizeof(info.name)), info.name);
	item->target = "";
}

/* Reads the attach target of a program from a link. */
static void read_link(struct trace_state *state, unsigned int id)
{
	_cleanup_close_ int fd = fd_of(BPF_LINK_GET_FD_BY_ID, id);
	char name[NAME_SIZE] = "";
	struct bpf_link_info info;
	struct state_bpf *item;
	union bpf_attr attr;

	if (fd < 0 || info_of(fd, &info, sizeof(info)) < 0)
		return;
	item = state_bpf_find_program(state, info.prog_id);
	if (!item || *item->target)
		return;
	if (info.type == BPF_LINK_TYPE_TRACING) {
		item->target = state_bpf_function_name(state, info.tracing.target_btf_id);
	} else if (info.type == BPF_LINK_TYPE_RAW_TRACEPOINT) {
		/* The kernel writes the name to a buffer of the caller, so ask again with one. */
		memset(&info, 0, sizeof(info));
		info.raw_tracepoint.tp_name = bpf_ptr(name);
		info.raw_tracepoint.tp_name_len = sizeof(name);
		memset(&attr, 0, sizeof(attr));
		attr.info.bpf_fd = (uint32_t)fd;
		attr.info.info_len = sizeof(info);
		attr.info.info = bpf_ptr(&info);
		if (bpf_call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr)) == 0)
			item->target = state_text(state, "%.*s", (int)sizeof(name) - 1, name);
	} else if (info.type == BPF_LINK_TYPE_KPROBE_MULTI) {
		item->target = "many functions";
	}
}

void state_read_bpf(struct trace_state *state)
{
	int id = 0;

	for (int n = 0; n < PROGRAMS_MAX; n++) {
		id = next_id(BPF_PROG_GET_NEXT_ID, (unsigned int)id);
		if (id < 0)
			break;
		state_bpf_read_program(state, (unsigned int)id);
	}
	if (id != -ENOENT && id < 0) {
		state_unseen(state, "BPF programs", id);
		return;
	}
	id = 0;
	for (int n = 0; n < PROGRAMS_MAX && state->bpf.count; n++) {
		id = next_id(BPF_LINK_GET_NEXT_ID, (unsigned int)id);
		if (id < 0)
			break;
		read_link(state, (unsigned int)id);
	}
}

const char *state_perf_target(struct trace_state *state, long pid, int fd)
{
	char name[NAME_SIZE] = "";
	struct state_bpf *item;
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.task_fd_query.pid = (uint32_t)pid;
	attr.task_fd_query.fd = (uint32_t)fd;
	attr.task_fd_query.buf = bpf_ptr(name);
	attr.task_fd_query.buf_len = sizeof(name);
	if (bpf_call(BPF_TASK_FD_QUERY, &attr, sizeof(attr)) < 0)
		return "";
	name[sizeof(name) - 1] = '\0';
	item = state_bpf_find_program(state, attr.task_fd_query.prog_id);
	if (item && !*item->target)
		item->target = state_text(state, "%s", name);
	return item ? item->target : "";
}
