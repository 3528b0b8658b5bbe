/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types, for both x86-64 and arm64:
 *
 *	struct qstr { union { struct { u32 hash; u32 len; }; u64 hash_len; };
 *		      const unsigned char *name; };
 *	struct dentry { unsigned d_flags; struct dentry *d_parent; struct qstr d_name;
 *			char d_iname[32]; };
 *	struct path { void *mnt; struct dentry *dentry; };
 *	enum mood { GOOD, BAD };
 *	struct file { struct path f_path; unsigned f_flags; s64 f_pos; enum mood mood; u16 small;
 *		      s16 neg; void *private_data; u32 ids[4]; struct hidden *secret;
 *		      struct qstr names[2]; int (*open)(void); u64 wide[100]; char *argv[3];
 *		      unsigned long cookie; bool yes; double real; char __user *buf; };
 *	struct bits { u32 a : 3; u32 b : 5; u32 c : 24; u64 d : 40; int e : 4;
 *		      (packed, from byte 16 on) u8 : 3; u32 f : 6; u8 : 1; u64 g : 63; };
 *	struct open_how { u64 flags; u64 mode; u64 resolve; };
 *	struct task { int pid; char comm[16]; };
 *
 *	int vfs_open(const struct path *path, struct file *file);
 *	s64 vfs_read(struct file *file, char *buf, size_t count, s64 *pos);
 *	long do_sys_openat2(int dfd, const char *filename, struct open_how *how);
 *	void many(int a, int b, int c, int d, int e, int f, int g, int h, int i);
 *	void by_value(struct qstr name, u8 x, struct bits *bits, ...);
 *	void set_bits(struct bits *bits);
 *	void differs(int a); void differs(struct file *file);
 *	bool is_good(struct file *file);
 *	void __probestub_switched(void *__data, bool preempt, struct task *prev, struct task *next);
 *	typedef void (*btf_trace_old)(void *, struct task *, int);
 *	mod: struct priv { int x; struct file *file; }; struct priv *mod_fn(struct priv *priv);
 */
#include "types-sample.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

#include <bpf/btf.h>

struct ids {
	int i8, i16, i32, i64, u8, u16, u32, u64, ch, uch, bo, ulong, void_ptr, real;
	int qstr, dentry, path, mood, file, bits, how, task;
};

static int pointer(struct btf *btf, int target)
{
	return btf__add_ptr(btf, target);
}

static void add_numbers(struct btf *btf, struct ids *t)
{
	t->i32 = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	t->u32 = btf__add_typedef(btf, "u32", btf__add_int(btf, "unsigned int", 4, 0));
	t->ch = btf__add_int(btf, "char", 1, BTF_INT_SIGNED);
	t->uch = btf__add_int(btf, "unsigned char", 1, 0);
	t->u8 = btf__add_typedef(btf, "u8", t->uch);
	t->bo = btf__add_typedef(btf, "bool", btf__add_int(btf, "_Bool", 1, BTF_INT_BOOL));
	t->i16 = btf__add_int(btf, "short int", 2, BTF_INT_SIGNED);
	t->u16 = btf__add_int(btf, "short unsigned int", 2, 0);
	t->i64 = btf__add_int(btf, "long int", 8, BTF_INT_SIGNED);
	t->ulong = btf__add_int(btf, "long unsigned int", 8, 0);
	t->u64 = btf__add_typedef(btf, "u64", t->ulong);
	t->void_ptr = pointer(btf, 0);
	t->real = btf__add_float(btf, "double", 8);
}

static void add_dentry(struct btf *btf, struct ids *t)
{
	int inner, both, name = pointer(btf, btf__add_const(btf, t->uch));
	int iname = btf__add_array(btf, t->i32, t->ch, 32);
	int parent;

	inner = btf__add_struct(btf, NULL, 8);
	btf__add_field(btf, "hash", t->u32, 0, 0);
	btf__add_field(btf, "len", t->u32, 32, 0);
	both = btf__add_union(btf, NULL, 8);
	btf__add_field(btf, NULL, inner, 0, 0);
	btf__add_field(btf, "hash_len", t->u64, 0, 0);
	t->qstr = btf__add_struct(btf, "qstr", 16);
	btf__add_field(btf, NULL, both, 0, 0);
	btf__add_field(btf, "name", name, 64, 0);
	/* Types may be used before they exist: the struct is the type after the next one. */
	parent = pointer(btf, name + 6);
	t->dentry = btf__add_struct(btf, "dentry", 64);
	btf__add_field(btf, "d_flags", t->u32, 0, 0);
	btf__add_field(btf, "d_parent", parent, 64, 0);
	btf__add_field(btf, "d_name", t->qstr, 128, 0);
	btf__add_field(btf, "d_iname", iname, 256, 0);
	t->path = -1;
	if (t->dentry != name + 6)
		return;
	parent = pointer(btf, t->dentry);
	t->path = btf__add_struct(btf, "path", 16);
	btf__add_field(btf, "mnt", t->void_ptr, 0, 0);
	btf__add_field(btf, "dentry", parent, 64, 0);
}

static void add_file(struct btf *btf, struct ids *t)
{
	int ids = btf__add_array(btf, t->i32, t->u32, 4);
	int secret = pointer(btf, btf__add_fwd(btf, "hidden", BTF_FWD_STRUCT));
	int names = btf__add_array(btf, t->i32, t->qstr, 2);
	int open = pointer(btf, btf__add_func_proto(btf, t->i32));
	int wide = btf__add_array(btf, t->i32, t->u64, 100);
	int argv = btf__add_array(btf, t->i32, pointer(btf, t->ch), 3);
	int user = pointer(btf, btf__add_type_tag(btf, "user", t->ch));

	t->mood = btf__add_enum(btf, "mood", 4);
	btf__add_enum_value(btf, "GOOD", 0);
	btf__add_enum_value(btf, "BAD", 1);
	t->file = btf__add_struct(btf, "file", 992);
	btf__add_field(btf, "f_path", t->path, 0, 0);
	btf__add_field(btf, "f_flags", t->u32, 128, 0);
	btf__add_field(btf, "f_pos", t->i64, 192, 0);
	btf__add_field(btf, "mood", t->mood, 256, 0);
	btf__add_field(btf, "small", t->u16, 288, 0);
	btf__add_field(btf, "neg", t->i16, 304, 0);
	btf__add_field(btf, "private_data", t->void_ptr, 320, 0);
	btf__add_field(btf, "ids", ids, 384, 0);
	btf__add_field(btf, "secret", secret, 512, 0);
	btf__add_field(btf, "names", names, 576, 0);
	btf__add_field(btf, "open", open, 832, 0);
	btf__add_field(btf, "wide", wide, 896, 0);
	btf__add_field(btf, "argv", argv, 7296, 0);
	btf__add_field(btf, "cookie", t->ulong, 7488, 0);
	btf__add_field(btf, "yes", t->bo, 7552, 0);
	btf__add_field(btf, "real", t->real, 7616, 0);
	btf__add_field(btf, "buf", user, 7680, 0);
}

static void add_others(struct btf *btf, struct ids *t)
{
	int comm = btf__add_array(btf, t->i32, t->ch, 16);

	t->bits = btf__add_struct(btf, "bits", 26);
	btf__add_field(btf, "a", t->u32, 0, 3);
	btf__add_field(btf, "b", t->u32, 3, 5);
	btf__add_field(btf, "c", t->u32, 8, 24);
	btf__add_field(btf, "d", t->u64, 64, 40);
	btf__add_field(btf, "e", t->i32, 104, 4);
	btf__add_field(btf, "f", t->u32, 131, 6);
	btf__add_field(btf, "g", t->u64, 138, 63);
	t->how = btf__add_struct(btf, "open_how", 24);
	btf__add_field(btf, "flags", t->u64, 0, 0);
	btf__add_field(btf, "mode", t->u64, 64, 0);
	btf__add_field(btf, "resolve", t->u64, 128, 0);
	t->task = btf__add_struct(btf, "task", 20);
	btf__add_field(btf, "pid", t->i32, 0, 0);
	btf__add_field(btf, "comm", comm, 32, 0);
}

struct parameter_def {
	const char *name;
	int type;
};

/* Adds a function with @n parameters; without a @name only its type. */
static int add_function(struct btf *btf, const char *name, int result,
			const struct parameter_def *parameters, size_t n)
{
	int proto = btf__add_func_proto(btf, result);

	for (size_t i = 0; i < n; i++)
		btf__add_func_param(btf, parameters[i].name, parameters[i].type);
	return name ? btf__add_func(btf, name, BTF_FUNC_STATIC, proto) : proto;
}

#define FUNCTION(btf, name, result, ...)                                         \
	add_function(btf, name, result, (struct parameter_def[]){ __VA_ARGS__ }, \
		     sizeof((struct parameter_def[]){ __VA_ARGS__ }) /           \
			     sizeof(struct parameter_def))

static void add_functions(struct btf *btf, const struct ids *t)
{
	int path = pointer(btf, btf__add_const(btf, t->path)), file = pointer(btf, t->file);
	int text = pointer(btf, t->ch), how = pointer(btf, t->how), bits = pointer(btf, t->bits);
	int task = pointer(btf, t->task), pos = pointer(btf, t->i64);
	int n = t->i32;

	FUNCTION(btf, "vfs_open", n, { "path", path }, { "file", file });
	FUNCTION(btf, "vfs_read", t->i64, { "file", file }, { "buf", text }, { "count", t->ulong },
		 { "pos", pos });
	FUNCTION(btf, "do_sys_openat2", t->i64, { "dfd", n }, { "filename", text }, { "how", how });
	FUNCTION(btf, "many", 0, { "a", n }, { "b", n }, { "c", n }, { "d", n }, { "e", n },
		 { "f", n }, { "g", n }, { "h", n }, { "i", n });
	FUNCTION(btf, "by_value", 0, { "name", t->qstr }, { "x", t->u8 }, { "bits", bits },
		 { NULL, 0 });
	FUNCTION(btf, "set_bits", 0, { "bits", bits });
	FUNCTION(btf, "differs", 0, { "a", n });
	FUNCTION(btf, "differs", 0, { "file", file });
	FUNCTION(btf, "__probestub_switched", 0, { "__data", t->void_ptr }, { "preempt", t->bo },
		 { "prev", task }, { "next", task });
	btf__add_typedef(btf, "btf_trace_old",
			 pointer(btf, FUNCTION(btf, NULL, 0, { NULL, t->void_ptr }, { NULL, task },
					       { NULL, n })));
	add_function(btf, "nothing", 0, NULL, 0);
	FUNCTION(btf, "is_good", t->bo, { "file", file });
	FUNCTION(btf, "long_path", 0, { "argv", pointer(btf, pointer(btf, pointer(btf, file))) });
}

static int write_file(int dir, const char *name, const struct btf *btf)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	uint32_t size;
	const void *bytes = btf__raw_data(btf, &size);
	int r = bytes && fd >= 0 && write(fd, bytes, size) == (ssize_t)size ? 0 : -1;

	if (fd >= 0)
		close(fd);
	return r;
}

static int write_module(int dir, struct btf *base, const struct ids *t)
{
	struct btf *btf = btf__new_empty_split(base);
	int file, priv, r;

	if (!btf)
		return -1;
	file = pointer(btf, t->file);
	priv = btf__add_struct(btf, "priv", 16);
	btf__add_field(btf, "x", t->i32, 0, 0);
	btf__add_field(btf, "file", file, 64, 0);
	priv = pointer(btf, priv);
	FUNCTION(btf, "mod_fn", priv, { "priv", priv });
	r = write_file(dir, "mod", btf);
	btf__free(btf);
	return r;
}

int types_sample_write(int dir)
{
	struct btf *btf = btf__new_empty();
	struct ids t;
	int r;

	if (!btf)
		return -1;
	add_numbers(btf, &t);
	add_dentry(btf, &t);
	add_file(btf, &t);
	add_others(btf, &t);
	add_functions(btf, &t);
	r = t.path > 0 ? write_file(dir, "vmlinux", btf) : -1;
	if (r == 0)
		r = write_module(dir, btf, &t);
	btf__free(btf);
	return r;
}
