/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Checks of bpf(2). They load a program of two instructions, attach it if there is no other way to
 * find out and trying is permitted, and close it. A killed process leaves nothing behind, because
 * programs and links are descriptors.
 */
#include "kernel/features/probe.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernel/perf/bpf-call.h"

/* Missing from older headers. */
#define ATTACH_UPROBE_MULTI 48

static const struct bpf_insn return_zero[] = {
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
	{ .code = BPF_JMP | BPF_EXIT },
};

/* The head of union bpf_attr for BPF_LINK_CREATE, with the fields of uprobe.multi links. */
struct uprobe_multi_attr {
	uint32_t prog_fd, target_fd, attach_type, flags;
	uint64_t path, offsets, ref_ctr_offsets, cookies;
	uint32_t count, uprobe_flags, pid, pad;
};

static int probe_bpf_load(enum bpf_prog_type type, enum bpf_attach_type attach, uint32_t btf_id)
{
	union bpf_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.prog_type = type;
	attr.insns = bpf_ptr(return_zero);
	attr.insn_cnt = ARRAY_SIZE(return_zero);
	attr.license = bpf_ptr("GPL");
	memcpy(attr.prog_name, "fathom_probe", sizeof("fathom_probe"));
	attr.expected_attach_type = attach;
	attr.attach_btf_id = btf_id;
	return bpf_call(BPF_PROG_LOAD, &attr, sizeof(attr));
}

static void answer_bpf(struct asker *asker, int r, const char *how, struct fathom_feature *answer)
{
	answer_from_errno(asker, answer, r < 0 ? r : 0, how);
	if (r >= 0 && asker->host.lockdown == LOCKDOWN_CONFIDENTIALITY) {
		answer_set(asker, answer, FATHOM_FEATURE_LIMITED, how,
			   "programs cannot read kernel memory: the kernel is locked down");
		answer->fix = "lockdown mode none or integrity";
	}
	if (r == -EPERM && !asker->host.is_root)
		answer->fix = "root, or CAP_BPF with CAP_PERFMON";
	else if (r == -EINVAL || r == -EOPNOTSUPP)
		answer->why = "the kernel is too old, or was built without it";
}

void ask_bpf_load(struct asker *asker, const struct question *question,
		  struct fathom_feature *answer)
{
	enum bpf_prog_type type = str_eq(question->arg, "kprobe") ? BPF_PROG_TYPE_KPROBE :
				  str_eq(question->arg, "tracepoint") ?
								    BPF_PROG_TYPE_TRACEPOINT :
								    BPF_PROG_TYPE_RAW_TRACEPOINT;
	_cleanup_close_ int fd = -1;

	if (!asker_may_open(asker, answer))
		return;
	fd = probe_bpf_load(type, 0, 0);
	answer_bpf(asker, fd, "loading a program that does nothing", answer);
}

/* Loads a program for QUIET_FUNCTION. Returns its descriptor, or a negative errno with the answer set. */
static int load_trampoline(struct asker *asker, enum bpf_attach_type type,
			   struct fathom_feature *answer)
{
	int id = kernel_quiet_function_id(asker), fd;

	if (id < 0) {
		answer_set(asker, answer, FATHOM_FEATURE_UNKNOWN,
			   "looking for " QUIET_FUNCTION " in the kernel's BTF",
			   "no harmless function to attach to");
		return id;
	}
	fd = probe_bpf_load(BPF_PROG_TYPE_TRACING, type, (uint32_t)id);
	if (fd < 0)
		answer_bpf(asker, fd, "loading a program for " QUIET_FUNCTION, answer);
	return fd;
}

void ask_bpf_trampoline(struct asker *asker, const struct question *question,
			struct fathom_feature *answer)
{
	bool at_entry = str_eq(question->arg, "fentry");
	_cleanup_close_ int fd = -1, link = -1;
	union bpf_attr attr;

	fd = load_trampoline(asker, at_entry ? BPF_TRACE_FENTRY : BPF_TRACE_FEXIT, answer);
	if (fd < 0)
		return;
	memset(&attr, 0, sizeof(attr));
	attr.raw_tracepoint.prog_fd = (uint32_t)fd;
	link = bpf_call(BPF_RAW_TRACEPOINT_OPEN, &attr, sizeof(attr));
	answer_bpf(asker, link, "attaching a program to " QUIET_FUNCTION, answer);
}

/* Attaching needs register_ftrace_direct(), which exists only with DYNAMIC_FTRACE_WITH_DIRECT_CALLS. */
void look_bpf_trampoline(struct asker *asker, const struct question *question,
			 struct fathom_feature *answer)
{
	_cleanup_close_ int fd = -1;

	if (!asker_may_open(asker, answer))
		return;
	fd = load_trampoline(asker, BPF_TRACE_FENTRY, answer);
	if (fd >= 0)
		ask_name(asker, question, answer);
}

/* Checks for permission to load programs first: without it, kernel support is of no use. */
void look_bpf_multi(struct asker *asker, const struct question *question,
		    struct fathom_feature *answer)
{
	_cleanup_close_ int fd = -1;

	if (!asker_may_open(asker, answer))
		return;
	fd = probe_bpf_load(BPF_PROG_TYPE_KPROBE, 0, 0);
	if (fd < 0)
		answer_bpf(asker, fd, "loading a program that does nothing", answer);
	else
		ask_name(asker, question, answer);
}

void ask_bpf_kprobe_multi(struct asker *asker, const struct question *question,
			  struct fathom_feature *answer)
{
	const char *names[] = { QUIET_FUNCTION };
	_cleanup_close_ int fd = -1, link = -1;
	union bpf_attr attr;

	fd = probe_bpf_load(BPF_PROG_TYPE_KPROBE, BPF_TRACE_KPROBE_MULTI, 0);
	if (fd < 0) {
		answer_bpf(asker, fd, "loading a program", answer);
		return;
	}
	memset(&attr, 0, sizeof(attr));
	attr.link_create.prog_fd = (uint32_t)fd;
	attr.link_create.attach_type = BPF_TRACE_KPROBE_MULTI;
	attr.link_create.kprobe_multi.cnt = 1;
	attr.link_create.kprobe_multi.syms = bpf_ptr(names);
	link = bpf_call(BPF_LINK_CREATE, &attr, sizeof(attr));
	answer_bpf(asker, link, "attaching a program to " QUIET_FUNCTION, answer);
}

/* The first bytes of an ELF file are not code, so a probe there is never hit. */
void ask_bpf_uprobe_multi(struct asker *asker, const struct question *question,
			  struct fathom_feature *answer)
{
	uint64_t offsets[] = { 0 };
	_cleanup_close_ int fd = -1, link = -1;
	struct uprobe_multi_attr attr = { .attach_type = ATTACH_UPROBE_MULTI,
					  .path = bpf_ptr("/proc/self/exe"),
					  .offsets = bpf_ptr(offsets),
					  .count = ARRAY_SIZE(offsets),
					  .pid = (uint32_t)getpid() };

	fd = probe_bpf_load(BPF_PROG_TYPE_KPROBE, (enum bpf_attach_type)ATTACH_UPROBE_MULTI, 0);
	if (fd >= 0) {
		attr.prog_fd = (uint32_t)fd;
		link = bpf_call(BPF_LINK_CREATE, &attr, sizeof(attr));
	}
	answer_bpf(asker, fd < 0 ? fd : link, "attaching a program to this program's file", answer);
	/* A kernel with a smaller structure rejects unknown fields. */
	if (fd >= 0 && link == -E2BIG)
		answer->why = "the kernel is too old";
}

void ask_bpf_ringbuf(struct asker *asker, const struct question *question,
		     struct fathom_feature *answer)
{
	_cleanup_close_ int fd = -1;
	union bpf_attr attr;

	if (!asker_may_open(asker, answer))
		return;
	memset(&attr, 0, sizeof(attr));
	attr.map_type = BPF_MAP_TYPE_RINGBUF;
	attr.max_entries = (uint32_t)sysconf(_SC_PAGESIZE);
	fd = bpf_call(BPF_MAP_CREATE, &attr, sizeof(attr));
	answer_bpf(asker, fd, "making a ring buffer of one page", answer);
}

void ask_bpf_btf(struct asker *asker, const struct question *question,
		 struct fathom_feature *answer)
{
	_cleanup_free_ char *path = mem_printf("%s%s", asker->root, question->arg);

	if (!path)
		asker->no_memory = true;
	else if (access(path, R_OK) == 0)
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   asker_text(asker, "%s exists", question->arg), "");
	else
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   asker_text(asker, "cannot read %s", question->arg),
			   "the kernel has no type information");
}

/* Counts modules with BTF; loaded modules without it are not a reason for "no". */
void ask_bpf_module_btf(struct asker *asker, const struct question *question,
			struct fathom_feature *answer)
{
	_cleanup_free_ char *path = mem_printf("%s%s", asker->root, question->arg);
	_cleanup_closedir_ DIR *dir = path ? opendir(path) : NULL;
	unsigned int n = 0;

	if (!path) {
		asker->no_memory = true;
		return;
	}
	while (dir) {
		struct dirent *entry = readdir(dir);

		if (!entry)
			break;
		if (entry->d_name[0] != '.' && !str_eq(entry->d_name, "vmlinux"))
			n++;
	}
	if (n) {
		answer->value = asker_text(asker, "%u modules", n);
		answer_set(asker, answer, FATHOM_FEATURE_YES,
			   asker_text(asker, "%s lists modules", question->arg), "");
	} else {
		answer_set(asker, answer, FATHOM_FEATURE_NO,
			   asker_text(asker, "%s lists no modules", question->arg),
			   "no loaded module has type information");
	}
}
