/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/syscalls/syscall-args.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/errno-name.h"
#include "base/mem.h"
#include "base/str.h"

#define IDS	     65536
#define NAME_MAX_LEN 64
#define DATA_SHOWN   32 /* bytes */

/* The C type of an argument, which determines how its register is interpreted. */
enum width {
	WIDTH_S32,
	WIDTH_U32,
	WIDTH_S64,
	WIDTH_U64,
	WIDTH_POINTER,
};

struct argument {
	const struct event_field *field;
	const struct event_field *text; /* target of the pointer; NULL: not recorded */
	const char *name;
	enum argument_kind kind;
	const struct value_set *set;
	enum width width;
};

struct syscall_plan {
	const char *name; /* NULL: raw_syscalls */
	const struct event_field *number; /* of the system call */
	struct argument list[SYSCALL_ARGS_MAX];
	size_t n;
};

static enum width syscall_args_width_of(const struct event_field *field)
{
	static const struct {
		enum width width;
		const char *types;
	} widths[] = {
		{ WIDTH_S32,
		  "int,pid_t,clockid_t,timer_t,key_t,mqd_t,rwf_t,key_serial_t,__s32,s32" },
		{ WIDTH_U32, "unsigned,unsigned int,u32,__u32,uid_t,gid_t,qid_t,umode_t" },
		{ WIDTH_S64, "long,off_t,loff_t,ssize_t" },
	};
	const char *type = str_after(field->type, "const ") ?: field->type;

	if (field->kind == EVENT_FIELD_POINTER || strchr(type, '*') ||
	    str_eq(type, "cap_user_header_t") || str_eq(type, "cap_user_data_t"))
		return WIDTH_POINTER;
	for (size_t i = 0; i < ARRAY_SIZE(widths); i++)
		if (str_has_word(widths[i].types, ",", type))
			return widths[i].width;
	return str_after(type, "enum ") ? WIDTH_U32 : WIDTH_U64;
}

/* Returns the field "__filename_val" for "filename", or NULL. */
static const struct event_field *find_text(const struct event_format *format,
					   const struct event_field *field)
{
	char name[NAME_MAX_LEN + 8];
	size_t len = strlen(field->name);

	if (len > NAME_MAX_LEN)
		return NULL;
	memcpy(name, "__", 2);
	memcpy(name + 2, field->name, len);
	memcpy(name + 2 + len, "_val", sizeof("_val"));
	field = event_field_find(format, name);
	return field && field->place != EVENT_PLACE_FIXED ? field : NULL;
}

const char *syscall_format_name(const struct event_format *format)
{
	const char *name = str_after(format->name, "sys_enter_");

	return name && *name ? name : NULL;
}

static void add_argument(struct syscall_plan *plan, const struct event_format *format,
			 const struct event_field *field)
{
	const struct argument_rule *rule = argument_rule_find(plan->name, field->name);
	struct argument *argument = &plan->list[plan->n++];

	*argument = (struct argument){ .field = field,
				       .name = field->name,
				       .width = syscall_args_width_of(field) };
	if (argument->width == WIDTH_POINTER)
		argument->text = find_text(format, field);
	if (!rule)
		return;
	/* A rule is either for numbers or for strings. */
	if ((rule->kind == ARGUMENT_PATH) == (argument->width == WIDTH_POINTER)) {
		argument->kind = rule->kind;
		argument->set = rule->set;
	}
}

static void read_format(struct syscall_plan *plan, const struct event_format *format)
{
	const struct event_field *raw = event_field_find(format, "args");
	const struct event_field *field = event_field_find(format, "__syscall_nr");

	plan->name = field ? syscall_format_name(format) : NULL;
	plan->number = field ?: event_field_find(format, "id");
	if (plan->name) {
		const struct event_field *end = format->fields + format->n_fields;

		for (field++; field < end && plan->n < SYSCALL_ARGS_MAX; field++)
			if (!str_after(field->name, "__"))
				add_argument(plan, format, field);
		return;
	}
	for (; raw && raw->elem_size && plan->n < SYSCALL_ARGS_MAX && plan->n < raw->count;
	     plan->n++)
		plan->list[plan->n] = (struct argument){ .field = raw, .width = WIDTH_POINTER };
}

static const struct syscall_plan *syscall_args_plan_of(struct syscall_args *args,
						       const struct syscall_start *start)
{
	static const struct syscall_plan none;
	struct syscall_plan *plan;

	if (args->plans && args->plans[start->id])
		return args->plans[start->id];
	if (!args->plans)
		args->plans = mem_zalloc(IDS, sizeof(struct syscall_plan *));
	plan = args->plans ? arena_zalloc(&args->arena, 1, sizeof(*plan)) : NULL;
	if (!plan) {
		args->nomem = true;
		return &none;
	}
	read_format(plan, start->format);
	args->plans[start->id] = plan;
	return plan;
}

static bool read_value(const struct syscall_plan *plan, const struct syscall_start *start, size_t i,
		       uint64_t *ret_value)
{
	const struct argument *argument = &plan->list[i];
	uint64_t value;

	if (!event_field_element(start->format, argument->field, start->record, start->size,
				 plan->name ? 0 : i, &value))
		return false;
	if (argument->field->elem_size == 4 && argument->width != WIDTH_S64)
		value = (uint32_t)value;
	switch (argument->width) {
	case WIDTH_S32:
		*ret_value = (uint64_t)(int32_t)(uint32_t)value;
		break;
	case WIDTH_U32:
		*ret_value = (uint32_t)value;
		break;
	default:
		*ret_value = value;
		break;
	}
	return true;
}

/* Most of a list consists of numbers, and printf() would dominate the run time. */
static void syscall_args_put_digits(struct strbuf *buf, uint64_t value, unsigned base)
{
	char digits[24];
	size_t at = sizeof(digits);

	do {
		digits[--at] = "0123456789abcdef"[value % base];
		value /= base;
	} while (value);
	strbuf_add(buf, digits + at, sizeof(digits) - at);
}

static void syscall_args_put_hex(struct strbuf *buf, uint64_t value)
{
	strbuf_adds(buf, "0x");
	syscall_args_put_digits(buf, value, 16);
}

static void put_signed(struct strbuf *buf, int64_t value)
{
	if (value < 0)
		strbuf_addc(buf, '-');
	syscall_args_put_digits(buf, value < 0 ? -(uint64_t)value : (uint64_t)value, 10);
}

static bool syscall_args_is_plain(unsigned char c, bool ascii)
{
	return c >= ' ' && c != '"' && c != '\\' && c != 0x7f && (c < 0x80 || !ascii);
}

/* Appends text with escapes as in C. */
static void syscall_args_put_escaped(struct strbuf *buf, const char *text, size_t len, bool ascii)
{
	for (size_t i = 0; i < len; i++) {
		size_t run = 0;
		unsigned char c;

		while (i + run < len && syscall_args_is_plain((unsigned char)text[i + run], ascii))
			run++;
		strbuf_add(buf, text + i, run);
		i += run;
		if (i == len)
			break;
		c = (unsigned char)text[i];
		if (c == '"' || c == '\\')
			strbuf_addf(buf, "\\%c", c);
		else if (c == '\n')
			strbuf_adds(buf, "\\n");
		else if (c == '\t')
			strbuf_adds(buf, "\\t");
		else
			strbuf_addf(buf, "\\x%02x", c);
	}
}

static void syscall_args_put_text(struct strbuf *buf, const char *text, size_t len, bool ascii)
{
	strbuf_addc(buf, '"');
	syscall_args_put_escaped(buf, text, len, ascii);
	strbuf_addc(buf, '"');
}

/* Appends "</etc/passwd>" after a descriptor. */
static void syscall_args_put_file(struct strbuf *buf, const char *file)
{
	strbuf_addc(buf, '<');
	syscall_args_put_escaped(buf, file, strlen(file), false);
	strbuf_addc(buf, '>');
}

/* Appends the bytes written by write(). The next argument is the number of bytes. */
static void put_data(struct strbuf *buf, const struct syscall_plan *plan,
		     const struct syscall_start *start, size_t i, const char *bytes, size_t len)
{
	uint64_t all = len;
	size_t shown;

	if (i + 1 < plan->n)
		read_value(plan, start, i + 1, &all);
	/* The kernel rounds up. */
	len = all < len ? (size_t)all : len;
	shown = len < DATA_SHOWN ? len : DATA_SHOWN;
	syscall_args_put_text(buf, bytes, shown, true);
	if (shown < all)
		strbuf_adds(buf, "...");
}

/* Returns whether the kernel recorded only the beginning of the path that the caller knows. */
static bool syscall_args_is_cut(const struct syscall_start *start, const char *text, size_t len)
{
	static const char mark[] = "...";
	size_t head = len - strlen(mark);

	return start->path && len > strlen(mark) && start->path_len >= len &&
	       memcmp(text + head, mark, strlen(mark)) == 0 && memcmp(text, start->path, head) == 0;
}

/* Appends the target of a pointer. Returns false if unknown. */
static bool put_pointed(struct strbuf *buf, const struct syscall_plan *plan,
			const struct syscall_start *start, size_t i)
{
	const struct argument *argument = &plan->list[i];
	bool has_path = argument->kind == ARGUMENT_PATH && start->path;
	const unsigned char *bytes;
	const char *text;
	size_t len;

	if (!argument->text || !event_field_bytes(start->format, argument->text, start->record,
						  start->size, &bytes, &len)) {
		if (has_path)
			syscall_args_put_text(buf, start->path, start->path_len, false);
		return has_path;
	}
	text = (const char *)bytes;
	if (str_eq(argument->name, "buf")) {
		put_data(buf, plan, start, i, text, len);
		return true;
	}
	len = strnlen(text, len);
	if (has_path && syscall_args_is_cut(start, text, len))
		syscall_args_put_text(buf, start->path, start->path_len, false);
	else
		syscall_args_put_text(buf, text, len, false);
	return true;
}

static void put_fd(struct strbuf *buf, const struct argument *argument,
		   const struct syscall_start *start, size_t i, uint64_t value)
{
	int32_t fd = (int32_t)(uint32_t)value;

	if (argument->kind == ARGUMENT_DIR_FD && fd == AT_FDCWD_VALUE) {
		strbuf_adds(buf, "AT_FDCWD");
		return;
	}
	put_signed(buf, fd);
	if (start->files[i])
		syscall_args_put_file(buf, start->files[i]);
}

static void syscall_args_put_number(struct strbuf *buf, const struct argument *argument,
				    uint64_t value)
{
	if (argument->width == WIDTH_POINTER || argument->kind == ARGUMENT_ADDRESS)
		value ? syscall_args_put_hex(buf, value) : strbuf_adds(buf, "NULL");
	else if (argument->width == WIDTH_S32 || argument->width == WIDTH_S64)
		put_signed(buf, (int64_t)value);
	else
		syscall_args_put_digits(buf, value, 10);
}

/* Returns false if the command does not use the argument. */
static bool put_fcntl(struct strbuf *buf, const struct syscall_args *args,
		      const struct syscall_plan *plan, const struct syscall_start *start, size_t i,
		      uint64_t value)
{
	const struct value_set *set;
	uint64_t command = 0;
	bool has = true;

	set = i > 0 && read_value(plan, start, i - 1, &command) ? fcntl_argument(command, &has) :
								  NULL;
	if (!has)
		return false;
	if (set)
		value_set_put(buf, set, args->machine, (uint32_t)value);
	else if (value <= INT32_MAX)
		syscall_args_put_digits(buf, value, 10);
	else
		syscall_args_put_hex(buf, value);
	return true;
}

static bool put_argument(struct strbuf *buf, const struct syscall_args *args,
			 const struct syscall_plan *plan, const struct syscall_start *start,
			 size_t i)
{
	const struct argument *argument = &plan->list[i];
	uint64_t value;

	if (!read_value(plan, start, i, &value)) {
		strbuf_addc(buf, '?');
		return true;
	}
	if (!plan->name) {
		value ? syscall_args_put_hex(buf, value) : strbuf_addc(buf, '0');
		return true;
	}
	if (value && put_pointed(buf, plan, start, i))
		return true;
	switch (argument->kind) {
	case ARGUMENT_FD:
	case ARGUMENT_DIR_FD:
		put_fd(buf, argument, start, i, value);
		return true;
	case ARGUMENT_OCTAL:
		file_mode_put(buf, value & UINT16_MAX);
		return true;
	case ARGUMENT_SET:
		/* An int is sign-extended: ignore the upper half. */
		value_set_put(buf, argument->set, args->machine,
			      argument->width == WIDTH_S32 ? (uint32_t)value : value);
		return true;
	case ARGUMENT_FCNTL:
		return put_fcntl(buf, args, plan, start, i, value);
	default:
		syscall_args_put_number(buf, argument, value);
		return true;
	}
}

void syscall_args_put(struct strbuf *buf, struct syscall_args *args,
		      const struct syscall_start *start)
{
	const struct syscall_plan *plan = syscall_args_plan_of(args, start);
	const char *name = plan->name ?: start->name;
	int64_t number = -1;
	size_t begin;

	if (name) {
		syscall_args_put_escaped(buf, name, strlen(name), true);
	} else {
		if (plan->number)
			event_field_s64(start->format, plan->number, start->record, start->size,
					&number);
		strbuf_adds(buf, "syscall_");
		put_signed(buf, number);
	}
	strbuf_addc(buf, '(');
	begin = buf->len;
	for (size_t i = 0; i < plan->n; i++) {
		size_t before = buf->len;

		if (before > begin)
			strbuf_adds(buf, ", ");
		if (!put_argument(buf, args, plan, start, i) && buf->len > before)
			buf->s[buf->len = before] = '\0';
	}
	strbuf_addc(buf, ')');
}

size_t syscall_args_count(struct syscall_args *args, const struct syscall_start *start)
{
	return syscall_args_plan_of(args, start)->n;
}

const char *syscall_arg_name(struct syscall_args *args, const struct syscall_start *start, size_t i)
{
	return syscall_args_plan_of(args, start)->list[i].name;
}

bool syscall_arg_value(struct syscall_args *args, const struct syscall_start *start, size_t i,
		       uint64_t *ret_value)
{
	return read_value(syscall_args_plan_of(args, start), start, i, ret_value);
}

bool syscall_arg_put(struct strbuf *buf, struct syscall_args *args,
		     const struct syscall_start *start, size_t i)
{
	return put_argument(buf, args, syscall_args_plan_of(args, start), start, i);
}

bool syscall_arg_fd(struct syscall_args *args, const struct syscall_start *start, size_t i,
		    int32_t *ret_fd)
{
	const struct syscall_plan *plan = syscall_args_plan_of(args, start);
	uint64_t value;

	if (i >= plan->n ||
	    (plan->list[i].kind != ARGUMENT_FD && plan->list[i].kind != ARGUMENT_DIR_FD) ||
	    !read_value(plan, start, i, &value))
		return false;
	*ret_fd = (int32_t)(uint32_t)value;
	return true;
}

bool syscall_args_path(struct syscall_args *args, const struct syscall_start *start,
		       const char **ret_text, size_t *ret_len)
{
	const struct syscall_plan *plan = syscall_args_plan_of(args, start);

	for (size_t i = 0; i < plan->n; i++) {
		const unsigned char *bytes;

		if (plan->list[i].kind != ARGUMENT_PATH || !plan->list[i].text ||
		    !event_field_bytes(start->format, plan->list[i].text, start->record,
				       start->size, &bytes, ret_len))
			continue;
		*ret_text = (const char *)bytes;
		*ret_len = strnlen(*ret_text, *ret_len);
		return true;
	}
	return false;
}

void syscall_result_put(struct strbuf *buf, const char *name, int64_t result, const char *file)
{
	const char *error, *text;

	if (result >= 0 || result < -ERROR_LIMIT) {
		if (name && syscall_returns_address(name))
			syscall_args_put_hex(buf, (uint64_t)result);
		else
			put_signed(buf, result);
		if (file)
			syscall_args_put_file(buf, file);
		return;
	}
	error = errno_name((int)-result);
	text = errno_is_restart((int)-result) ? "interrupted by a signal" :
						strerrordesc_np((int)-result);
	if (error && text)
		strbuf_addf(buf, "-%s (%s)", error, text);
	else
		put_signed(buf, result);
}

void syscall_args_done(struct syscall_args *args)
{
	arena_done(&args->arena);
	free(args->plans);
	*args = (struct syscall_args){ 0 };
}
