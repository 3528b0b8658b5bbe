/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "test.h"
#include "types-sample.h"

#include "symbols/probe/probe.h"

#define _cleanup_types_ _cleanup_(types_free_p)
#define _cleanup_arena_ _cleanup_(arena_done)

static int setup(void **state)
{
	return tree_setup(state) < 0 || types_sample_write(tree_fd()) < 0 ? -1 : 0;
}

static struct types *open_types(void)
{
	struct types *types = NULL;

	return types_new(tree_fd(), &types, NULL) == 0 ? types : NULL;
}

static int lower(const struct probe_machine *machine, const char *text, struct strbuf *line,
		 struct fathom_err *err)
{
	_cleanup_arena_ struct arena arena = { 0 };
	const struct probe *probe;
	char event[PROBE_NAME_SIZE];
	int r = probe_parse(text, &arena, &probe, err);

	if (r < 0)
		return r;
	probe_event_name(probe, event);
	return probe_lower(probe, machine, "g", event, line, NULL, err);
}

struct lowered {
	const char *text, *line;
};

static void check(const struct probe_machine *machine, const struct lowered *table, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf line = { 0 };
		struct fathom_err err = { 0 };
		int r = lower(machine, table[i].text, &line, &err);

		if (r == -ENOMEM)
			continue;
		if (r < 0)
			print_message("%s\n%s\n", table[i].text, err.message);
		assert_int_equal(r, 0);
		assert_string_equal(strbuf_str(&line), table[i].line);
	}
}

static const struct lowered on_x86_64[] = {
	/* Places. */
	{ "k:vfs_open", "p:g/vfs_open vfs_open" },
	{ "k:vfs_open()", "p:g/vfs_open vfs_open" },
	{ "k:nobody_knows", "p:g/nobody_knows nobody_knows" },
	{ "k:f.isra.0", "p:g/f_isra_0 f.isra.0" },
	{ "k:mod:mod_fn(priv->file->f_flags)", "p:g/mod_fn mod:mod_fn f_flags=+16(+8(%di)):u32" },
	{ "here=k:vfs_open+0x12(%di, $stack0, $stack)",
	  "p:g/here vfs_open+0x12 di=%di:x64 stack0=$stack0:x64 stack=$stack:x64" },
	{ "k:vfs_open+18", "p:g/vfs_open_0x12 vfs_open+0x12" },
	{ "kr:vfs_read => ret", "r:g/vfs_read_ret vfs_read ret=$retval:s64" },
	{ "kr:vfs_read => r=$retval:x, %ax", "r:g/vfs_read_ret vfs_read r=$retval:x64 ax=%ax:x64" },
	{ "k:9p:v9fs_open", "p:g/v9fs_open 9p:v9fs_open" },
	{ "kr:mod:mod_fn => ret->x", "r:g/mod_fn_ret mod:mod_fn x=+0($retval):s32" },
	{ "kr:vfs_open=>ret", "r:g/vfs_open_ret vfs_open ret=$retval:s32" },
	{ "kr:nobody_knows => ret", "r:g/nobody_knows_ret nobody_knows ret=$retval:x64" },
	{ "kr:vfs_open", "r:g/vfs_open_ret vfs_open" },
	{ "kr:vfs_open(file->f_flags) => ret",
	  "r:g/vfs_open_ret vfs_open f_flags=+16($arg2):u32 ret=$retval:s32" },
	{ "kr:vfs_open(path) => ret, $arg2",
	  "r:g/vfs_open_ret vfs_open path=$arg1:x64 ret=$retval:s32 arg2=$arg2:x64" },
	{ "fr:vfs_open(file)", "f:g/vfs_open_ret vfs_open%return file=$arg2:x64" },
	{ "kr:vfs_open()=>ret", "r:g/vfs_open_ret vfs_open ret=$retval:s32" },
	{ "f:vfs_read(count, file->f_pos)",
	  "f:g/vfs_read vfs_read count=$arg3:u64 f_pos=+24($arg1):s64" },
	{ "fr:vfs_read => ret", "f:g/vfs_read_ret vfs_read%return ret=$retval:s64" },
	{ "t:switched(prev->pid, next->comm, preempt)",
	  "t:g/switched switched pid=+0($arg2):s32 comm=+4($arg3):string preempt=$arg1:u8" },
	{ "t:old($arg1->pid, arg2)", "t:g/old old pid=+0($arg1):s32 arg2=$arg2:s32" },
	{ "t:nobody($arg1)", "t:g/nobody nobody arg1=$arg1:x64" },

	/* Ways to a value. */
	{ "k:vfs_open(path->dentry->d_name.name:string, file->f_flags)",
	  "p:g/vfs_open vfs_open name=+0(+24(+8(%di))):string f_flags=+16(%si):u32" },
	{ "k:vfs_open( path , $arg2 , arg1 )",
	  "p:g/vfs_open vfs_open path=%di:x64 arg2=%si:x64 arg1=%di:x64" },
	{ "k:vfs_open($arg1->mnt)", "p:g/vfs_open vfs_open mnt=+0(%di):x64" },
	{ "k:vfs_open(file->f_path.dentry->d_parent->d_parent->d_flags)",
	  "p:g/vfs_open vfs_open d_flags=+0(+8(+8(+8(%si)))):u32" },
	{ "k:vfs_open((*path).mnt, (*(*path).dentry).d_flags)",
	  "p:g/vfs_open vfs_open mnt=+0(%di):x64 d_flags=+0(+8(%di)):u32" },
	{ "k:vfs_open(path->dentry->d_name.len, path->dentry->d_name.hash_len)",
	  "p:g/vfs_open vfs_open len=+20(+8(%di)):u32 hash_len=+16(+8(%di)):u64" },
	{ "k:vfs_open(file->ids[2], file->names[1].name:string, file->argv[0]:string)",
	  "p:g/vfs_open vfs_open ids_2=+56(%si):u32 name=+0(+96(%si)):string "
	  "argv_0=+0(+912(%si)):string" },
	{ "k:vfs_open(*file->ids, file[1].f_flags, file[-1].f_flags)",
	  "p:g/vfs_open vfs_open ids=+48(%si):u32 f_flags=+1008(%si):u32 "
	  "f_flags_2=-976(%si):u32" },
	{ "k:vfs_read(*pos, pos[2])", "p:g/vfs_read vfs_read pos=+0(%cx):s64 pos_2=+16(%cx):s64" },
	{ "k:vfs_open(((struct path *)file->private_data)->dentry)",
	  "p:g/vfs_open vfs_open dentry=+8(+40(%si)):x64" },
	{ "k:vfs_open(((const struct dentry *)&file->names[0])->d_flags)",
	  "p:g/vfs_open vfs_open d_flags=+72(%si):u32" },
	{ "k:vfs_open((&file->f_path)->dentry, &file->f_path)",
	  "p:g/vfs_open vfs_open dentry=+8(%si):x64 f_path=%si:x64" },
	{ "k:vfs_open(((struct file *)%bx)->neg, **(int **)%r12)",
	  "p:g/vfs_open vfs_open neg=+38(%bx):s16 r12=+0(+0(%r12)):s32" },
	{ "k:vfs_open((u8)file->f_flags, (int)file->f_flags, (u64)file->f_flags)",
	  "p:g/vfs_open vfs_open f_flags=+16(%si):u8 f_flags_2=+16(%si):s32 "
	  "f_flags_3=+16(%si):u32" },
	{ "k:vfs_open(((struct file *)file->cookie)->small, (unsigned long)file)",
	  "p:g/vfs_open vfs_open small=+36(+936(%si)):u16 file=%si:u64" },
	{ "k:vfs_open(((struct file *)0xffff888000000000)->small)",
	  "p:g/vfs_open vfs_open small=+36(\\0xffff888000000000):u16" },
	{ "k:vfs_open(n=5, x=0x10, m=-3, 7)",
	  "p:g/vfs_open vfs_open n=\\5:s64 x=\\0x10:x64 m=\\-3:s64 number=\\7:s64" },
	{ "k:vfs_open($comm)", "p:g/vfs_open vfs_open comm=$comm:string" },
	{ "k:by_value(x, bits->c)", "p:g/by_value by_value x=%dx:u8 c=+1(%cx):b24@0/32" },
	{ "k:differs($arg1)", "p:g/differs differs arg1=%di:x64" },
	{ "k:nobody_knows($arg1, $arg6:s32)",
	  "p:g/nobody_knows nobody_knows arg1=%di:x64 arg6=%r9:s32" },

	/* Formats. */
	{ "k:do_sys_openat2(dfd, filename:ustring, how->flags)",
	  "p:g/do_sys_openat2 do_sys_openat2 dfd=%di:s32 filename=+0(%si):ustring "
	  "flags=+0(%dx):u64" },
	{ "k:do_sys_openat2(((struct open_how __user *)how)->flags:x)",
	  "p:g/do_sys_openat2 do_sys_openat2 flags=+u0(%dx):x64" },
	{ "k:vfs_open(file->buf, file->buf:string, *file->buf, file->buf[3])",
	  "p:g/vfs_open vfs_open buf=+960(%si):x64 buf_2=+0(+960(%si)):ustring "
	  "buf_3=+u0(+960(%si)):s8 buf_3_2=+u3(+960(%si)):s8" },
	{ "k:vfs_open(path->dentry->d_iname, &path->dentry->d_iname:string)",
	  "p:g/vfs_open vfs_open d_iname=+32(+8(%di)):string d_iname_2=+32(+8(%di)):string" },
	{ "k:vfs_open(file->ids, file->ids:x, file->argv)",
	  "p:g/vfs_open vfs_open ids=+48(%si):u32[4] ids_2=+48(%si):x32[4] "
	  "argv=+912(%si):x64[3]" },
	{ "k:vfs_open(file->mood, file->small:x, file->neg:u, file->yes, file->f_flags:d)",
	  "p:g/vfs_open vfs_open mood=+32(%si):u32 small=+36(%si):x16 neg=+38(%si):u16 "
	  "yes=+944(%si):u8 f_flags=+16(%si):s32" },
	{ "k:vfs_open(file->f_flags:u8, file->open:symbol, file:s64)",
	  "p:g/vfs_open vfs_open f_flags=+16(%si):u8 open=+104(%si):symbol file=%si:s64" },
	{ "k:set_bits(bits->a, bits->b, bits->d, bits->e:d, bits->f)",
	  "p:g/set_bits set_bits a=+0(%di):b3@0/8 b=+0(%di):b5@3/8 d=+8(%di):b40@0/64 "
	  "e=+13(%di):b4@0/8 f=+16(%di):b6@3/16" },
	{ "k:vfs_open($arg1:string, %si:x32)",
	  "p:g/vfs_open vfs_open arg1=+0(%di):string si=%si:x32" },

	/* Names. */
	{ "k:vfs_open(a=file->f_flags, file->f_flags, f_flags_2=file->small)",
	  "p:g/vfs_open vfs_open a=+16(%si):u32 f_flags=+16(%si):u32 f_flags_2=+36(%si):u16" },
	{ "k:vfs_open(file->small, file->small, small=file->neg)",
	  "p:g/vfs_open vfs_open small_2=+36(%si):u16 small_3=+36(%si):u16 small=+38(%si):s16" },
};

static void lowers_for_x86_64(void **state)
{
	_cleanup_types_ struct types *types = open_types();

	if (types)
		check(&(struct probe_machine){ TYPE_ABI_X86_64, types }, on_x86_64,
		      sizeof(on_x86_64) / sizeof(on_x86_64[0]));
}

static void lowers_for_other_machines(void **state)
{
	static const struct lowered on_arm64[] = {
		{ "k:vfs_open(path->dentry->d_name.name:string, file->f_flags)",
		  "p:g/vfs_open vfs_open name=+0(+24(+8(%x0))):string f_flags=+16(%x1):u32" },
		{ "k:many(h)", "p:g/many many h=%x7:s32" },
		{ "kr:vfs_read => ret", "r:g/vfs_read_ret vfs_read ret=$retval:s64" },
	};
	static const struct lowered elsewhere[] = {
		{ "k:vfs_open(file->f_flags, $arg1)",
		  "p:g/vfs_open vfs_open f_flags=+16($arg2):u32 arg1=$arg1:x64" },
	};
	static const struct lowered untyped[] = {
		{ "k:vfs_open($arg1, arg2:string, %di)",
		  "p:g/vfs_open vfs_open arg1=%di:x64 arg2=+0(%si):string di=%di:x64" },
		{ "kr:vfs_open => ret", "r:g/vfs_open_ret vfs_open ret=$retval:x64" },
		{ "t:switched($arg1)", "t:g/switched switched arg1=$arg1:x64" },
	};
	_cleanup_types_ struct types *types = open_types();

	check(&(struct probe_machine){ TYPE_ABI_X86_64, NULL }, untyped, 3);
	require(types);
	check(&(struct probe_machine){ TYPE_ABI_ARM64, types }, on_arm64, 3);
	check(&(struct probe_machine){ TYPE_ABI_OTHER, types }, elsewhere, 1);
}

struct mistake {
	const char *text;
	const char *caret; /* the line below the text */
	const char *message; /* the beginning of the message */
};

static void check_mistakes(const struct probe_machine *machine, const struct mistake *table,
			   size_t n)
{
	for (size_t i = 0; i < n; i++) {
		_cleanup_strbuf_ struct strbuf line = { 0 };
		char want[FATHOM_ERR_MESSAGE_SIZE];
		struct fathom_err err = { 0 };
		int r = lower(machine, table[i].text, &line, &err);
		const char *rest;

		if (r == -ENOMEM)
			continue;
		if (r != -EINVAL ||
		    strncmp(err.message, table[i].message, strlen(table[i].message)) != 0)
			print_message("%s\n%s\n%s\n", table[i].text, strbuf_str(&line),
				      err.message);
		assert_int_equal(r, -EINVAL);
		assert_memory_equal(err.message, table[i].message, strlen(table[i].message));
		rest = strchr(err.message, '\n');
		snprintf(want, sizeof(want), "\n    %s\n    %s", table[i].text, table[i].caret);
		assert_non_null(rest);
		assert_string_equal(rest, want);
	}
}

#define N(table) (sizeof(table) / sizeof((table)[0]))

static const struct mistake in_grammar[] = {
	{ "x:vfs_open", "^", "unknown kind of probe: expected 'k:'" },
	{ "", "^", "unknown kind of probe" },
	{ "a=x:f", "  ^", "unknown kind of probe" },
	{ "k:", "  ^", "expected a function name" },
	{ "t:9", "  ^", "expected a tracepoint name" },
	{ "k:mod:", "      ^", "expected a function name" },
	{ "t:sched_*", "  ^", "'t:' does not support globs" },
	{ "x=k:vfs_*", "^", "a name cannot be combined with a glob" },
	{ "k:vfs_*+4", "  ^", "an offset cannot be combined with a glob" },
	{ "k:f(", "    ^", "expected a parameter, a member or a number" },
	{ "k:f(a", "     ^", "expected ',' or ')'" },
	{ "k:f(a,)", "      ^", "expected a parameter, a member or a number" },
	{ "k:f(a) \xc3\xa9", "       ^", "unexpected text after the probe" },
	{ "k:f(a b)", "      ^", "expected ',' or ')'" },
	{ "k:f(a) b", "       ^", "unexpected text after the probe" },
	{ "k:f(a->)", "       ^", "expected a member name" },
	{ "k:f(a.3)", "      ^", "expected a member name" },
	{ "k:f(a[i])", "      ^", "an index must be a number" },
	{ "k:f(a[1)", "       ^", "expected ']'" },
	{ "k:f((a)", "       ^", "expected ',' or ')'" },
	{ "k:f((a", "      ^", "expected ')'" },
	{ "k:f(a + b)", "      ^", "probes cannot compute" },
	{ "k:f(a == 1)", "      ^", "probes cannot compute" },
	{ "k:f(%)", "     ^", "expected a register name" },
	{ "k:f($foo)", "    ^", "unknown variable '$foo'" },
	{ "k:f($arg0)", "    ^", "unknown variable '$arg0'" },
	{ "k:f($)", "     ^", "expected 'arg1'" },
	{ "k:f(99999999999999999999)", "    ^", "invalid number: expected at most 64 bits" },
	{ "k:f(1x)", "    ^", "invalid number" },
	{ "k:f(a:)", "      ^", "expected a format" },
	{ "k:f((struct)%di)", "     ^", "unknown type 'struct'" },
	{ "k:f((struct a x)%b)", "     ^", "unknown type 'struct a x'" },
	{ "k:f((u8 * x)b)", "           ^", "invalid type name" },
	{ "k:f((const *)b)", "     ^", "expected a type name" },
	{ "k:f((u8 * 3)b)", "          ^", "expected ')' after the type name" },
	{ "k:f => ret", "    ^", "'=>' requires a return probe" },
	{ "kr:f(a", "      ^", "expected ',' or ')'" },
	{ "kr:f(a) => ret)", "              ^", "unexpected text after the probe" },
	{ "kr:f =>", "       ^", "expected a parameter" },
	{ "kr:f+1", "    ^", "an offset is supported only in 'k:'" },
	{ "k:f+x", "    ^", "expected a number" },
	{ "k:f+-1", "    ^", "expected a number" },
	{ "k:f+0x100000000", "   ^", "offset too large" },
};

static const struct mistake in_names[] = {
	{ "k:vfs_open(flie->f_flags)", "           ^",
	  "'vfs_open' has no parameter 'flie'; did you mean 'file'?" },
	{ "k:vfs_open(xyzzy)", "           ^",
	  "'vfs_open' has no parameter 'xyzzy': use $arg1, $arg2, ..." },
	{ "k:nothing(x)", "          ^", "'nothing' has no parameter 'x': it takes none" },
	{ "k:nobody_knows(x)", "               ^",
	  "no type information for this function (in a module, use 'k:MODULE:FUNCTION'); use "
	  "$arg1, $arg2, ..." },
	{ "k:vfs_opne(path)", "           ^",
	  "no type information for 'vfs_opne' (did you mean 'vfs_open'?); use $arg1" },
	{ "k:mod:vfs_open(x)", "               ^",
	  "no type information for this function in the module" },
	{ "k:differs(a)", "          ^", "no parameter names: several functions have this name" },
	{ "k:vfs_open(file->f_falgs)", "                 ^",
	  "'struct file' has no member 'f_falgs'; did you mean 'f_flags'?" },
	{ "k:vfs_open(file->xyzzy)", "                 ^",
	  "'struct file' has no member 'xyzzy'\n" },
	{ "k:vfs_open(file->secret->x)", "                         ^",
	  "no type information for the members of 'struct hidden'" },
	{ "k:vfs_open(((struct filf *)path)->mnt)", "             ^",
	  "unknown type 'struct filf'; did you mean 'file'?" },
	{ "k:vfs_open((xyzzyq)path)", "            ^", "unknown type 'xyzzyq'" },
	{ "k:vfs_open($arg3)", "           ^", "'vfs_open' has 2 parameters" },
	{ "k:set_bits(arg2)", "           ^", "'set_bits' has 1 parameter\n" },
	{ "k:nobody_knows($arg7)", "               ^", "parameter 7 is not in a register" },
	{ "k:vfs_open(file->small:strinq)", "                       ^",
	  "unknown format 'strinq'; did you mean 'string'?" },
	{ "k:vfs_open(file->small:qqqqqqq)", "                       ^",
	  "unknown format 'qqqqqqq': expected string" },
	{ "k:vfs_open(common_pid=file->small)", "           ^",
	  "reserved field name 'common_pid'" },
	{ "k:vfs_open(a=file->small, a=file->neg)", "                          ^",
	  "duplicate field name 'a'" },
	{ "k:vfs_open(a23456789012345678901234567890123=file)", "           ^",
	  "field name too long: the kernel accepts 31 characters" },
};

static const struct mistake in_types[] = {
	{ "k:vfs_open(path.mnt)", "                ^",
	  "'const struct path *' is a pointer: use '->' before 'mnt'" },
	{ "k:vfs_open(file->f_path->mnt)", "                 ^",
	  "not a pointer: the type is 'struct path'" },
	{ "k:vfs_open(file->f_flags.x)", "                 ^", "no members: the type is 'u32'" },
	{ "k:vfs_open(file->f_flags->x)", "                 ^", "not a pointer" },
	{ "k:vfs_open(*file->f_flags)", "                  ^", "not a pointer" },
	{ "k:vfs_open(file->f_path)", "                 ^",
	  "'struct path' cannot be recorded: select one of its members" },
	{ "k:vfs_open(*file)", "           ^", "'struct file' cannot be recorded: select one" },
	{ "k:vfs_open(file->real)", "                 ^",
	  "'double' cannot be recorded: select a number or a pointer" },
	{ "k:vfs_open(*file->private_data)", "           ^",
	  "'void' cannot be recorded: select a number or a pointer" },
	{ "k:vfs_open(file->private_data[1])", "                             ^",
	  "unknown size of 'void'" },
	{ "k:vfs_open(file->private_data->x)", "                 ^", "no members" },
	{ "k:vfs_open(file->ids[4])", "                    ^", "no element 4: the type is" },
	{ "k:vfs_open(file->ids[-1])", "                    ^", "no element -1" },
	{ "k:vfs_open(file[99999999])", "               ^", "offset too large" },
	{ "k:vfs_open(file->names)", "                 ^",
	  "'struct qstr[2]' cannot be recorded as a whole: select" },
	{ "k:vfs_open(file->wide)", "                 ^", "'u64[100]' has more than 64 elements" },
	{ "k:vfs_open(file->ids:u8)", "                     ^",
	  "format too wide: the elements have 4 bytes each" },
	{ "k:vfs_open(&file->f_flags)", "           ^",
	  "address arithmetic is not supported: record" },
	{ "k:vfs_open(&file)", "           ^", "a value that is not in memory has no address" },
	{ "k:set_bits(&bits->a)", "           ^", "a bitfield has no address" },
	{ "k:set_bits(bits->g)", "                 ^", "unsupported bitfield" },
	{ "k:set_bits(bits->a:x)", "                   ^", "a bitfield cannot have a format" },
	{ "k:set_bits(bits->a:string)", "                 ^", "not text" },
	{ "k:vfs_open(file->f_flags:string)", "                 ^",
	  "not text: expected an address, not u32" },
	{ "k:vfs_open(5:string)", "           ^", "not text: expected an address, not a number" },
	{ "k:vfs_open(file->f_flags:u64)", "                         ^",
	  "format too wide: the value has 4 bytes" },
	{ "k:vfs_open(file->f_flags:symbol)", "                 ^", "not an address" },
	{ "k:vfs_open(((struct file *)file->f_flags)->small)", "                                 ^",
	  "too small for an address" },
	{ "k:vfs_open((struct file)path)", "            ^",
	  "invalid cast: expected a number or a pointer" },
	{ "k:vfs_open((int)file->f_path)", "            ^",
	  "'struct path' cannot be cast to a number" },
	{ "k:vfs_open((u64)file->neg)", "            ^", "the kernel cannot widen a signed" },
	{ "k:vfs_open((u64)&file->neg)", "            ^", "address arithmetic is not supported" },
	{ "k:do_sys_openat2(((struct file *)dfd)->small)", "                                 ^",
	  "not an address: the type is 'int'" },
	{ "k:vfs_open(%di->x)", "           ^", "unknown type: cast it first" },
	{ "k:many(g)", "       ^", "parameter not available: it is passed on the" },
	{ "k:by_value(name)", "           ^", "parameter not available: it is passed as a whole" },
	{ "k:by_value($arg4)", "           ^", "parameter not available: it is not a parameter" },
	{ "k:vfs_open+4(file)", "             ^",
	  "parameters are available only at function entry: use registers, "
	  "such as %di" },
	{ "k:vfs_open+4($arg1)", "             ^",
	  "parameters are available only at function entry" },
	{ "k:vfs_open(ret)", "           ^", "the return value is available only in 'kr:'" },
	{ "kr:vfs_open.isra.0(file) => ret", "                   ^",
	  "parameters may differ: the compiler derived" },
	{ "kr:set_bits => ret", "               ^", "'set_bits' returns no value" },
	{ "f:vfs_open(%di)", "           ^", "registers are available only in 'k:' and 'kr:'" },
	{ "k:long_path(argv[200000000][100000000][100000000]->f_path.de"
	  "ntry->d_parent->d_parent->d_parent->d_flags)",
	  "                                                                                                ^",
	  "expression too long: the kernel accepts 63 characters" },
};

static void points_at_mistakes(void **state)
{
	_cleanup_types_ struct types *types = open_types();
	struct probe_machine machine = { TYPE_ABI_X86_64, types };

	require(types);
	check_mistakes(&machine, in_grammar, N(in_grammar));
	check_mistakes(&machine, in_names, N(in_names));
	check_mistakes(&machine, in_types, N(in_types));
}

static void gives_advice_without_types(void **state)
{
	static const struct mistake table[] = {
		{ "k:vfs_open(file->f_flags)", "           ^",
		  "no parameter names: the kernel has no type information "
		  "(CONFIG_DEBUG_INFO_BTF); use $arg1, $arg2, ..." },
		{ "k:vfs_open($arg1->x)", "           ^", "unknown type" },
		{ "k:vfs_open((struct file *)$arg1)", "            ^",
		  "casts need type information: the kernel has none (CONFIG_DEBUG_INFO_BTF)" },
	};

	check_mistakes(&(struct probe_machine){ TYPE_ABI_X86_64, NULL }, table, N(table));
}

/*
 * Mistakes far to the right, or after bytes that are replaced in the output. These take one column,
 * so that the caret stays in place.
 */
static void error_positions_are_right_in_invalid_text(void **state)
{
	struct arena arena = { 0 };
	struct fathom_err err = { 0 };
	const struct probe *probe;
	char text[96];

	memset(text, 0xa1, sizeof(text));
	memcpy(text, "k:f(", 4);
	text[sizeof(text) - 1] = '\0';
	if (succeeds(probe_parse(text, &arena, &probe, &err) == -EINVAL))
		assert_non_null(strstr(err.message, "\n    k:f(???"));
	if (succeeds(err.code == -EINVAL))
		assert_string_equal(strrchr(err.message, '\n'), "\n        ^");
	arena_done(&arena);
}

static void truncates_long_texts(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 }, line = { 0 };
	struct probe_machine machine = { TYPE_ABI_X86_64, NULL };
	struct fathom_err err = { 0 };
	const char *shown;

	strbuf_adds(&text, "k:f(");
	strbuf_pad(&text, ' ', 300);
	strbuf_adds(&text, "!");
	strbuf_pad(&text, ' ', 300);
	require(!text.err && lower(&machine, text.s, &line, &err) != -ENOMEM);
	shown = strchr(err.message, '\n') + 1;
	assert_int_equal(strcspn(shown, "\n"), 124);
	assert_int_equal(shown[74], '!');
	assert_string_equal(strchr(shown, '\n') + 1 + 74, "^");
	assert_int_equal(lower(&machine, "k:f(\xc3\xa4)", &line, &err), -EINVAL);
	assert_int_equal(lower(&machine, "k:f($arg1\x01)", &line, &err), -EINVAL);
	assert_null(strchr(err.message, '\x01'));
}

static void distinguishes_probes_from_events(void **state)
{
	assert_true(probe_is_one("k:vfs_open"));
	assert_true(probe_is_one("open=kr:vfs_open"));
	assert_true(probe_is_one("t:x"));
	assert_false(probe_is_one("sched:sched_switch"));
	assert_false(probe_is_one("kmem"));
	assert_false(probe_is_one("x=sched:sched_switch"));
}

static void limits_depth(void **state)
{
	_cleanup_strbuf_ struct strbuf text = { 0 }, line = { 0 };
	struct probe_machine machine = { TYPE_ABI_X86_64, NULL };
	int r;

	strbuf_adds(&text, "k:f(");
	strbuf_pad(&text, '*', 100000);
	strbuf_adds(&text, "$arg1)");
	require(!text.err);
	r = lower(&machine, text.s, &line, NULL);
	assert_true(r == -EINVAL || r == -ENOMEM);
	strbuf_clear(&text);
	strbuf_adds(&text, "k:f($arg1");
	for (int i = 0; i < 1000; i++)
		strbuf_adds(&text, ".x");
	require(!text.err);
	r = lower(&machine, text.s, &line, NULL);
	assert_true(r == -EINVAL || r == -ENOMEM);
}

static void names_events(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	const struct probe *probe;
	char name[PROBE_NAME_SIZE];

	require(probe_parse("kr:a2345678901234567890123456789012345678901234567890123456789012345",
			    &arena, &probe, NULL) >= 0);
	probe_event_name(probe, name);
	assert_string_equal(name, "a2345678901234567890123456789012345678901234_ret");
	probe_event_name_nth(probe, 4294967295u, name);
	assert_string_equal(name, "a2345678901234567890123456789012345678901234_ret_4294967295");
	require(probe_parse("b=k:f", &arena, &probe, NULL) >= 0);
	probe_event_name_nth(probe, 2, name);
	assert_string_equal(name, "b_2");
	assert_string_equal(probe_function(probe), "f");
	assert_true(probe_is_named(probe));
	assert_null(probe_module(probe));
	assert_int_equal(probe_kind(probe), PROBE_ENTRY);
	assert_string_equal(probe_text(probe), "b=k:f");
}

static int whole(void *arg)
{
	_cleanup_types_ struct types *types = NULL;
	_cleanup_strbuf_ struct strbuf line = { 0 };
	int r = types_new(tree_fd(), &types, NULL);

	if (r < 0)
		return r;
	return lower(&(struct probe_machine){ TYPE_ABI_X86_64, types },
		     "k:vfs_open(((const struct path *)path)->dentry->d_name.name:string, "
		     "a=file->ids[1], file->f_flags:x, file->ids, &*file, 3)",
		     &line, NULL);
}

static void survives_failing_allocations(void **state)
{
	oom_check(whole, NULL);
}

/* Values shown in another format have no names. */
static void names_numbers_of_enums(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	_cleanup_strbuf_ struct strbuf line = { 0 };
	_cleanup_strbuf_ struct strbuf enums = { 0 };
	_cleanup_types_ struct types *types = open_types();
	const struct probe_machine machine = { TYPE_ABI_X86_64, types };
	const struct probe *probe;

	require(types &&
		probe_parse("k:vfs_open(file->mood, n=file->mood:d, file->f_flags)", &arena, &probe,
			    NULL) >= 0 &&
		probe_lower(probe, &machine, "g", "e", &line, &enums, NULL) >= 0);
	assert_string_equal(strbuf_str(&enums), "g:e mood 0 GOOD\ng:e mood 1 BAD\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lowers_for_x86_64),
		cmocka_unit_test(lowers_for_other_machines),
		cmocka_unit_test(points_at_mistakes),
		cmocka_unit_test(gives_advice_without_types),
		cmocka_unit_test(error_positions_are_right_in_invalid_text),
		cmocka_unit_test(truncates_long_texts),
		cmocka_unit_test(distinguishes_probes_from_events),
		cmocka_unit_test(limits_depth),
		cmocka_unit_test(names_events),
		cmocka_unit_test(names_numbers_of_enums),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests_name("probe", tests, setup, tree_teardown);
}
