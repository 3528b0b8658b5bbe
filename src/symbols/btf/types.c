/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Examines types: chains of typedefs, nested structs, and parameters. */
#include "symbols/btf/types.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/btf.h>

#include "base/err.h"
#include "base/mem.h"
#include "symbols/btf/btf-files.h"
#include "symbols/btf/btf-print.h"

/* Limits loops in invalid BTF; real chains of typedefs and nested structs are much shorter. */
#define CHAIN_MAX 32
#define NEST_MAX  16
#define WORD_MAX  128

struct types {
	struct btf_files files;
};

int types_new(int dir, struct types **ret_types, struct fathom_err *err)
{
	_cleanup_free_ struct types *types = mem_zalloc(1, sizeof(*types));
	int r;

	if (!types)
		return err_nomem(err);
	r = btf_files_init(&types->files, dir, err);
	if (r < 0)
		return r;
	*ret_types = TAKE_PTR(types);
	return 0;
}

int types_adopt(struct btf *btf, struct types **ret_types)
{
	_cleanup_free_ struct types *types = mem_zalloc(1, sizeof(*types));
	int r;

	if (!types) {
		btf__free(btf);
		return -ENOMEM;
	}
	r = btf_files_adopt(&types->files, btf);
	if (r == 0)
		*ret_types = TAKE_PTR(types);
	return r;
}

void types_free(struct types *types)
{
	if (types)
		btf_files_done(&types->files);
	free(types);
}

static const struct btf_type *types_type_of(struct type type)
{
	return type.btf ? btf__type_by_id(type.btf, type.id) : NULL;
}

static const char *types_name_of(const struct btf *btf, uint32_t offset)
{
	const char *name = btf__name_by_offset(btf, offset);

	return name ? name : "";
}

/* Removes typedefs and qualifiers. ID 0 is void; a loop yields an unknown type. */
static struct type strip(struct type type, bool *user)
{
	for (int i = 0; i < CHAIN_MAX; i++) {
		const struct btf_type *t = types_type_of(type);

		if (!t)
			return (struct type){ 0 };
		switch (btf_kind(t)) {
		case BTF_KIND_TYPE_TAG:
			if (str_eq(types_name_of(type.btf, t->name_off), "user"))
				*user = true;
			__attribute__((fallthrough));
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
			type.id = t->type;
			break;
		default:
			return type;
		}
	}
	return (struct type){ 0 };
}

/* A struct that is only declared here may be defined elsewhere under the same name. */
static struct type types_whole(struct type type, const struct btf_type *t)
{
	const char *name = types_name_of(type.btf, t->name_off);
	int kind = btf_kflag(t) ? BTF_KIND_UNION : BTF_KIND_STRUCT;
	int id = *name ? btf__find_by_name_kind(type.btf, name, (uint32_t)kind) : -ENOENT;

	return id > 0 ? (struct type){ type.btf, (uint32_t)id } : type;
}

static void look_at_int(const struct btf_type *t, struct type_info *info)
{
	uint8_t encoding = btf_int_encoding(t);

	info->kind = TYPE_INT;
	info->size = t->size;
	info->is_signed = encoding & BTF_INT_SIGNED;
	info->is_char = t->size == 1 && !(encoding & BTF_INT_BOOL);
}

static void look_at_pointer(struct type type, const struct btf_type *t, struct type_info *info)
{
	size_t size = btf__pointer_size(type.btf);

	info->kind = TYPE_POINTER;
	info->size = size ? (uint32_t)size : sizeof(void *);
	info->target = (struct type){ type.btf, t->type };
	/* The tag is between the pointer and its target. */
	strip(info->target, &info->is_user);
}

static void look_at_array(struct type type, const struct btf_type *t, struct type_info *info)
{
	const struct btf_array *array = btf_array(t);
	int64_t size = btf__resolve_size(type.btf, type.id);

	info->kind = TYPE_ARRAY;
	info->n = array->nelems;
	info->size = size > 0 && size <= UINT32_MAX ? (uint32_t)size : 0;
	info->target = (struct type){ type.btf, array->type };
}

struct type_info type_look(struct type type)
{
	struct type_info info = { 0 };
	bool user = false;
	struct type self = strip(type, &user);
	const struct btf_type *t = types_type_of(self);

	if (!t)
		return info;
	if (self.id && btf_is_fwd(t)) {
		self = types_whole(self, t);
		info.is_union = btf_kflag(t);
		t = types_type_of(self);
	}
	info.self = self;
	switch (btf_kind(t)) {
	case BTF_KIND_UNKN:
		info.kind = TYPE_VOID;
		break;
	case BTF_KIND_INT:
		look_at_int(t, &info);
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		info.kind = TYPE_ENUM;
		info.size = t->size;
		info.is_signed = btf_kflag(t);
		break;
	case BTF_KIND_PTR:
		look_at_pointer(self, t, &info);
		break;
	case BTF_KIND_ARRAY:
		look_at_array(self, t, &info);
		break;
	case BTF_KIND_FWD:
		info.kind = TYPE_STRUCT;
		info.is_partial = true;
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		info.kind = TYPE_STRUCT;
		info.is_union = btf_is_union(t);
		info.size = t->size;
		break;
	case BTF_KIND_FUNC_PROTO:
		info.kind = TYPE_FUNCTION;
		break;
	default:
		info.kind = TYPE_OTHER;
	}
	return info;
}

bool type_can_hold_errno(struct type_info info)
{
	if (info.kind == TYPE_INT)
		return info.size == 8 || (info.size == 4 && info.is_signed);
	return info.kind != TYPE_VOID && info.kind != TYPE_ENUM && info.kind != TYPE_STRUCT;
}

static int find_member(struct type type, const char *name, uint64_t bit, int depth,
		       struct type_member *ret)
{
	struct type_info info = type_look(type);
	const struct btf_type *t = types_type_of(info.self);

	if (info.kind != TYPE_STRUCT || info.is_partial || depth > NEST_MAX)
		return -ENOENT;
	for (uint16_t i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *member = types_name_of(info.self.btf, m->name_off);
		uint64_t at = bit + btf_member_bit_offset(t, i);
		struct type inner = { info.self.btf, m->type };

		if (str_eq(member, name)) {
			*ret = (struct type_member){ inner, at, btf_member_bitfield_size(t, i) };
			return 0;
		}
		if (!*member && find_member(inner, name, at, depth + 1, ret) == 0)
			return 0;
	}
	return -ENOENT;
}

int type_find_member(struct type type, const char *name, struct type_member *ret_member)
{
	return *name ? find_member(type, name, 0, 0, ret_member) : -ENOENT;
}

static void offer_members(struct type type, int depth, struct nearest *nearest)
{
	struct type_info info = type_look(type);
	const struct btf_type *t = types_type_of(info.self);

	if (info.kind != TYPE_STRUCT || info.is_partial || depth > NEST_MAX)
		return;
	for (uint16_t i = 0; i < btf_vlen(t); i++) {
		const struct btf_member *m = &btf_members(t)[i];
		const char *name = types_name_of(info.self.btf, m->name_off);

		if (*name)
			nearest_offer(nearest, name);
		else
			offer_members((struct type){ info.self.btf, m->type }, depth + 1, nearest);
	}
}

void type_offer_members(struct type type, struct nearest *nearest)
{
	offer_members(type, 0, nearest);
}

void type_print(struct type type, struct strbuf *text)
{
	if (type.btf)
		btf_print_declaration(type.btf, type.id, "", text);
	else
		strbuf_adds(text, "a type that is not known");
}

static int function_of(struct type proto, struct type_function *ret)
{
	const struct btf_type *t = types_type_of(proto);

	if (!t || !btf_is_func_proto(t))
		return -ENOENT;
	*ret = (struct type_function){ proto, { proto.btf, t->type }, btf_vlen(t) };
	return 0;
}

/* Returns whether all parameters have the same names and types. */
static bool types_is_same(const struct type_function *a, const struct type_function *b)
{
	_cleanup_strbuf_ struct strbuf x = { 0 }, y = { 0 };

	if (a->type.id == b->type.id)
		return true;
	btf_print_declaration(a->type.btf, a->type.id, "f", &x);
	btf_print_declaration(b->type.btf, b->type.id, "f", &y);
	return !x.err && !y.err && str_eq(x.s, y.s);
}

int types_find_function(struct types *types, const char *module, const char *name,
			struct type_function *ret_function)
{
	struct type_function first, other;
	struct btf_part *part;
	size_t found = 0;
	int r = btf_files_part(&types->files, module, &part);

	if (r < 0)
		return r;
	for (size_t i = btf_part_find(part, name);
	     i < part->n && str_eq(part->functions[i].name, name); i++) {
		const struct btf_type *t = btf__type_by_id(part->btf, part->functions[i].id);

		if (!t ||
		    function_of((struct type){ part->btf, t->type }, found ? &other : &first) < 0)
			continue;
		if (!found)
			first.id = part->functions[i].id;
		if (found++ && !types_is_same(&first, &other))
			return -ENOTUNIQ;
	}
	if (!found)
		return -ENOENT;
	if (found > 1)
		first.id = 0;
	*ret_function = first;
	return 0;
}

void types_offer_functions(struct types *types, const char *module, struct nearest *nearest)
{
	struct btf_part *part;

	if (btf_files_part(&types->files, module, &part) < 0)
		return;
	for (size_t i = 0; i < part->n; i++)
		nearest_offer(nearest, part->functions[i].name);
}

/* Returns the BTF kind of the C keyword that precedes a name. */
static uint32_t keyword_kind(const char *keyword)
{
	if (str_eq(keyword, "struct"))
		return BTF_KIND_STRUCT;
	if (str_eq(keyword, "union"))
		return BTF_KIND_UNION;
	return str_eq(keyword, "enum") ? BTF_KIND_ENUM : BTF_KIND_TYPEDEF;
}

bool type_enumerator(struct type type, uint32_t i, const char **ret_name, int64_t *ret_number)
{
	struct type self = type_look(type).self;
	const struct btf_type *t = self.btf ? btf__type_by_id(self.btf, self.id) : NULL;
	uint32_t name;

	if (!t || !btf_is_any_enum(t) || i >= btf_vlen(t))
		return false;
	if (btf_is_enum64(t)) {
		name = btf_enum64(t)[i].name_off;
		*ret_number = (int64_t)btf_enum64_value(&btf_enum64(t)[i]);
	} else {
		name = btf_enum(t)[i].name_off;
		*ret_number = btf_kflag(t) ? btf_enum(t)[i].val :
					     (int64_t)(uint32_t)btf_enum(t)[i].val;
	}
	*ret_name = btf__name_by_offset(self.btf, name);
	return *ret_name;
}

/* Returns the common name of an integer type in compilers' spelling. */
static const char *int_name(const char *name)
{
	static const char *const names[][2] = {
		{ "unsigned", "unsigned int" },
		{ "signed", "int" },
		{ "signed int", "int" },
		{ "bool", "_Bool" },
		{ "short", "short int" },
		{ "unsigned short", "short unsigned int" },
		{ "unsigned short int", "short unsigned int" },
		{ "long", "long int" },
		{ "unsigned long", "long unsigned int" },
		{ "unsigned long int", "long unsigned int" },
		{ "long long", "long long int" },
		{ "unsigned long long", "long long unsigned int" },
		{ "unsigned long long int", "long long unsigned int" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (str_eq(names[i][0], name))
			return names[i][1];
	return name;
}

static int types_find_in(const struct btf *btf, const char *name)
{
	const char *space = strchr(name, ' ');
	char word[WORD_MAX];
	uint32_t kind;
	int id;

	if (strlen(name) >= sizeof(word))
		return -ENOENT;
	snprintf(word, sizeof(word), "%.*s", space ? (int)(space - name) : 0, name);
	kind = keyword_kind(word);
	if (kind == BTF_KIND_TYPEDEF) {
		id = btf__find_by_name_kind(btf, int_name(name), BTF_KIND_INT);
		return id > 0 ? id : btf__find_by_name_kind(btf, name, kind);
	}
	id = btf__find_by_name_kind(btf, space + 1, kind);
	if (id <= 0 && kind == BTF_KIND_ENUM)
		id = btf__find_by_name_kind(btf, space + 1, BTF_KIND_ENUM64);
	return id;
}

int types_find(struct types *types, const char *module, const char *name, struct type *ret_type)
{
	struct btf_part *part;
	const struct btf *btf;
	int r = btf_files_part(&types->files, module, &part);
	int id;

	if (r < 0)
		return r;
	/* The BTF of a module includes that of the kernel. */
	btf = part->btf ? part->btf : types->files.kernel.btf;
	id = str_eq(name, "void") ? 0 : types_find_in(btf, name);
	if (id < 0)
		return -ENOENT;
	*ret_type = (struct type){ btf, (uint32_t)id };
	return 0;
}

int types_find_callback(struct types *types, const char *module, const char *name,
			struct type_function *ret_function)
{
	struct type_info info;
	struct type type;
	int r = types_find(types, module, name, &type);

	if (r < 0)
		return r;
	info = type_look(type);
	return info.kind == TYPE_POINTER ? function_of(info.target, ret_function) : -ENOENT;
}

void types_offer(struct types *types, const char *module, const char *keyword,
		 struct nearest *nearest)
{
	uint32_t kind = keyword_kind(keyword), count;
	struct btf_part *part;
	const struct btf *btf;

	if (btf_files_part(&types->files, module, &part) < 0)
		return;
	btf = part->btf ? part->btf : types->files.kernel.btf;
	count = btf__type_cnt(btf);
	for (uint32_t id = 1; id < count; id++) {
		const struct btf_type *t = btf__type_by_id(btf, id);

		if (t && t->name_off && btf_kind(t) == kind)
			nearest_offer(nearest, types_name_of(btf, t->name_off));
	}
}
