/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli/kit/option.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "base/strbuf.h"

struct found {
	const struct option_def *def;
	void *args;
};

static bool find_long(const struct option_set *sets, size_t nsets, const char *name, size_t len,
		      struct found *ret)
{
	for (size_t i = 0; i < nsets; i++)
		for (const struct option_def *d = sets[i].defs; d->kind != OPTION_END; d++)
			if (d->name && strlen(d->name) == len && memcmp(d->name, name, len) == 0) {
				*ret = (struct found){ d, sets[i].args };
				return true;
			}
	return false;
}

static bool option_find_letter(const struct option_set *sets, size_t nsets, char letter,
			       struct found *ret)
{
	for (size_t i = 0; i < nsets; i++)
		for (const struct option_def *d = sets[i].defs; d->kind != OPTION_END; d++)
			if (d->letter == letter) {
				*ret = (struct found){ d, sets[i].args };
				return true;
			}
	return false;
}

static int unknown_long(const struct option_set *sets, size_t nsets, const char *name,
			struct fathom_err *err)
{
	struct nearest nearest = { .wanted = name };
	const char *meant;

	for (size_t i = 0; i < nsets; i++)
		for (const struct option_def *d = sets[i].defs; d->kind != OPTION_END; d++)
			if (d->name)
				nearest_offer(&nearest, d->name);
	meant = nearest_pick(&nearest);
	if (meant)
		return err_set(err, -EINVAL, "unknown option '--%s'; did you mean '--%s'?", name,
			       meant);
	return err_set(err, -EINVAL, "unknown option '--%s'", name);
}

/* "expected a, b or c" */
static int option_refuse_choice(const struct option_def *def, const char *value,
				struct fathom_err *err)
{
	_cleanup_strbuf_ struct strbuf words = { 0 };

	for (const char *word = def->choices; *word;) {
		size_t len = strcspn(word, " ");
		const char *next = word + len + strspn(word + len, " ");

		if (word != def->choices)
			strbuf_addf(&words, *next ? ", " : " or ");
		strbuf_add(&words, word, len);
		word = next;
	}
	return err_set(err, -EINVAL, "invalid value '%s' for '--%s': expected %s", value, def->name,
		       strbuf_str(&words));
}

static int set_choice(const struct option_def *def, unsigned *field, const char *value,
		      struct fathom_err *err)
{
	size_t want = strlen(value);
	unsigned place = 0;

	for (const char *word = def->choices; *word; place++) {
		size_t len = strcspn(word, " ");

		if (len == want && memcmp(word, value, len) == 0) {
			*field = place;
			return 0;
		}
		word += len;
		word += strspn(word, " ");
	}
	return option_refuse_choice(def, value, err);
}

static int set_number(const struct option_def *def, unsigned long *field, const char *value,
		      struct fathom_err *err)
{
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(value, &end, 0);
	if (errno || end == value || *end || !isdigit((unsigned char)value[0]))
		return err_set(err, -EINVAL, "invalid value '%s' for '--%s': expected a number",
			       value, def->name);
	*field = n;
	return 0;
}

/* The owner must be able to read it. */
static int set_mode(const struct option_def *def, mode_t *field, const char *value,
		    struct fathom_err *err)
{
	size_t len = strlen(value);
	unsigned long mode = strtoul(value, NULL, 8);

	if (!len || len > 8 || strspn(value, "01234567") != len || mode > 0777 || !(mode & 0400))
		return err_set(err, -EINVAL,
			       "invalid mode '%s': '--%s' takes an octal number from 0400 to 0777 "
			       "that lets the owner read",
			       value, def->name);
	*field = (mode_t)mode;
	return 0;
}

static int option_apply(const struct found *found, const char *value, struct fathom_err *err)
{
	void *field = (char *)found->args + found->def->offset;

	/* Only a table with an argument's kind but no name for it gets here without one. */
	if (!value && found->def->kind != OPTION_FLAG && found->def->kind != OPTION_CALL)
		return err_set(err, -EINVAL, "option '--%s' requires a value", found->def->name);
	switch (found->def->kind) {
	case OPTION_FLAG:
		*(bool *)field = true;
		return 0;
	case OPTION_STRING:
		*(const char **)field = value;
		return 0;
	case OPTION_NUMBER:
		return set_number(found->def, field, value, err);
	case OPTION_CHOICE:
		return set_choice(found->def, field, value, err);
	case OPTION_MODE:
		return set_mode(found->def, field, value, err);
	case OPTION_CALL:
		return found->def->call(found->args, value, err);
	case OPTION_GROUP:
	case OPTION_END:
		break;
	}
	return err_set(err, -EINVAL, "internal error: damaged option table");
}

/* The words still to be parsed. */
struct input {
	int argc;
	char **argv;
	int at;
};

static int take_long(const struct option_set *sets, size_t nsets, struct input *in,
		     struct fathom_err *err)
{
	char *name = in->argv[in->at++] + 2;
	char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const char *value = equals ? equals + 1 : NULL;
	struct found found;

	if (!find_long(sets, nsets, name, len, &found)) {
		name[len] = '\0';
		return unknown_long(sets, nsets, name, err);
	}
	if (!found.def->arg) {
		if (value)
			return err_set(err, -EINVAL, "option '--%s' takes no value",
				       found.def->name);
		return option_apply(&found, NULL, err);
	}
	if (!value && in->at < in->argc)
		value = in->argv[in->at++];
	if (!value)
		return err_set(err, -EINVAL, "option '--%s' requires a value: '--%s=%s'",
			       found.def->name, found.def->name, found.def->arg);
	return option_apply(&found, value, err);
}

/* Parses a word of short options: flags can be combined, and a value can follow its letter. */
static int take_letters(const struct option_set *sets, size_t nsets, struct input *in,
			struct fathom_err *err)
{
	const char *word = in->argv[in->at++];
	int r;

	for (const char *c = word + 1; *c; c++) {
		struct found found;
		const char *value = NULL;

		if (!option_find_letter(sets, nsets, *c, &found))
			return err_set(err, -EINVAL, "unknown option '-%c'", *c);
		if (found.def->arg) {
			if (c[1])
				value = c + 1;
			else if (in->at < in->argc)
				value = in->argv[in->at++];
			else
				return err_set(err, -EINVAL,
					       "option '-%c' requires a value: '-%c %s'", *c, *c,
					       found.def->arg);
		}
		r = option_apply(&found, value, err);
		if (r < 0)
			return r;
		if (value)
			break;
	}
	return 0;
}

int options_parse(const struct option_set *sets, size_t nsets, int argc, char **argv,
		  bool stop_at_operand, int *ret_operands, struct fathom_err *err)
{
	struct input in = { .argc = argc, .argv = argv };
	int operands = 0, r = 0;

	while (in.at < argc && r >= 0) {
		const char *word = argv[in.at];

		if (str_eq(word, "--")) {
			in.at++;
			break;
		}
		if (word[0] != '-' || !word[1]) {
			if (stop_at_operand)
				break;
			argv[operands++] = argv[in.at++];
		} else if (word[1] == '-') {
			r = take_long(sets, nsets, &in, err);
		} else {
			r = take_letters(sets, nsets, &in, err);
		}
	}
	if (r < 0)
		return r;
	while (in.at < argc)
		argv[operands++] = argv[in.at++];
	*ret_operands = operands;
	return 0;
}
