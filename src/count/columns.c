/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "count/columns.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/err.h"
#include "base/str.h"
#include "format/event/c-type.h"

/* A name of the plan, while it is resolved at all sites. */
struct naming {
	struct count_site *sites;
	size_t n;
	const char *name;
	size_t place; /* index in @keys of each site; COUNT_KEYS_MAX: the value */
	struct count_columns *columns; /* owns elements of arrays */
	struct fathom_err *err;
};

static const struct fact {
	const char *name;
	enum count_fact fact;
	enum count_column_kind kind;
	bool is_signed;
} facts[] = {
	{ "comm", COUNT_FACT_COMM, COUNT_COLUMN_TEXT, false },
	{ "pid", COUNT_FACT_PID, COUNT_COLUMN_NUMBER, true },
	{ "tgid", COUNT_FACT_TGID, COUNT_COLUMN_NUMBER, true },
	{ "cpu", COUNT_FACT_CPU, COUNT_COLUMN_NUMBER, false },
	{ "event", COUNT_FACT_EVENT, COUNT_COLUMN_EVENT, false },
	{ "func", COUNT_FACT_FUNC, COUNT_COLUMN_ADDRESS, false },
	{ "kstack", COUNT_FACT_KSTACK, COUNT_COLUMN_STACK, true },
	{ "ustack", COUNT_FACT_USTACK, COUNT_COLUMN_STACK, true },
};

static const struct fact *fact_find(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (str_eq(facts[i].name, name))
			return &facts[i];
	return NULL;
}

bool count_field_is_pointer_to_text(const struct event_field *field)
{
	struct c_type type;

	/* Other bytes are rarely text. */
	if (field->kind != EVENT_FIELD_POINTER || !strstr(field->type, "char") ||
	    strstr(field->type, "unsigned"))
		return false;
	type = c_type_read(field->type, strlen(field->type), sizeof(long));
	return type.is_char && type.pointers == 1;
}

bool count_field_is_text(const struct event_field *field)
{
	return field->kind == EVENT_FIELD_STRING || count_field_is_pointer_to_text(field);
}

static bool columns_is_number(const struct event_field *field)
{
	return (field->kind == EVENT_FIELD_INT || field->kind == EVENT_FIELD_BOOL ||
		field->kind == EVENT_FIELD_POINTER) &&
	       field->place == EVENT_PLACE_FIXED && field->elem_size &&
	       field->size == field->elem_size;
}

static bool is_address(const struct event_field *field)
{
	return field->kind == EVENT_FIELD_POINTER || field->is_address;
}

/* Returns whether the text is at most as long as the name of a task. */
static bool is_short_text(const struct event_field *field)
{
	return field->kind == EVENT_FIELD_STRING && field->place == EVENT_PLACE_FIXED &&
	       field->size && field->size <= COUNT_COMM_SIZE;
}

static struct count_from *naming_from(const struct naming *naming, struct count_site *site)
{
	return naming->place == COUNT_KEYS_MAX ? &site->value : &site->keys[naming->place];
}

/* Returns element @i of an array of numbers, as a field of its own, or NULL. */
static const struct event_field *columns_element(struct count_columns *columns,
						 const struct event_field *array, unsigned long i)
{
	struct event_field *element;

	if (array->kind != EVENT_FIELD_ARRAY || array->place != EVENT_PLACE_FIXED ||
	    !array->elem_size || i >= array->size / array->elem_size)
		return NULL;
	for (size_t k = 0; k < columns->n_elements; k++) {
		element = &columns->elements[k];
		if (str_eq(element->name, array->name) && element->type == array->type &&
		    element->offset == array->offset + i * array->elem_size)
			return element;
	}
	if (columns->n_elements == COUNT_ELEMENTS_MAX)
		return NULL;
	element = &columns->elements[columns->n_elements++];
	*element = *array;
	element->kind = EVENT_FIELD_INT;
	element->offset += (uint32_t)i * array->elem_size;
	element->size = array->elem_size;
	element->count = 0;
	return element;
}

/* Finds NAME, or NAME[3], which may be preceded by EVENT., at one site. */
static const struct event_field *site_field(const struct count_site *site, const char *name,
					    struct count_columns *columns)
{
	const char *dot = strchr(name, '.'), *open = strchr(name, '[');
	size_t len = dot ? (size_t)(dot - name) : 0;
	const struct event_field *field;
	unsigned long i;
	char *end;

	if (!site->format ||
	    (dot && (strncmp(site->format->name, name, len) != 0 || site->format->name[len])))
		return NULL;
	name = dot ? dot + 1 : name;
	field = event_field_find_len(site->format, name,
				     open ? (size_t)(open - name) : strlen(name));
	if (!open || !field)
		return field;
	i = strtoul(open + 1, &end, 10);
	return end > open + 1 && str_eq(end, "]") ? columns_element(columns, field, i) : NULL;
}

/* Stores the field of all begins, or of all others. Returns false if there is none. */
static bool naming_take_field(const struct naming *naming, bool is_begin)
{
	size_t found = 0;

	for (size_t i = 0; i < naming->n; i++) {
		const struct event_field *field;

		if (naming->sites[i].is_begin != is_begin)
			continue;
		field = site_field(&naming->sites[i], naming->name, naming->columns);
		if (!field)
			return false;
		found++;
	}
	for (size_t i = 0; i < naming->n && found; i++)
		if (naming->sites[i].is_begin == is_begin)
			*naming_from(naming, &naming->sites[i]) = (struct count_from){
				.fact = COUNT_FACT_FIELD,
				.field = site_field(&naming->sites[i], naming->name,
						    naming->columns),
			};
	return found;
}

static void naming_take_fact(const struct naming *naming, enum count_fact fact)
{
	for (size_t i = 0; i < naming->n; i++)
		if (!naming->sites[i].is_begin)
			naming_from(naming, &naming->sites[i])->fact = fact;
}

/*
 * Like filters, a key prefers a fact about the record to a field of the same name. But the function
 * is a fact about functions only; events can have a field of that name.
 */
static bool naming_prefers(const struct naming *naming, const struct fact *fact)
{
	if (fact->fact != COUNT_FACT_FUNC)
		return true;
	for (size_t i = 0; i < naming->n; i++)
		if (!naming->sites[i].is_begin && naming->sites[i].source->kind != COUNT_FUNCTION)
			return false;
	return true;
}

/* The kind and the name of what a site observes, for messages. */
static const char *site_noun(const struct count_site *site)
{
	static const char *const nouns[] = {
		[COUNT_EVENT] = "event",
		[COUNT_FUNCTION] = "function",
		[COUNT_PROFILE] = "timer",
	};

	return nouns[site->source->kind];
}

static const char *site_name(const struct count_site *site)
{
	if (site->format)
		return site->format->name;
	return site->source->name ? site->source->name : site->source->text;
}

static int complain_unknown(const struct count_site *site, const char *name,
			    const struct nearest *nearest, struct fathom_err *err)
{
	const char *guess = nearest_pick(nearest);

	return err_set(err, -ENOENT, "%s '%s' has no %s '%s'%s%s%s", site_noun(site),
		       site_name(site), site->source->kind == COUNT_FUNCTION ? "argument" : "field",
		       name, guess ? "; did you mean '" : "", guess ? guess : "",
		       guess ? "'?" : "");
}

/* A field of that very name belongs to another event. */
static void site_offer_fields(const struct count_site *site, struct nearest *nearest)
{
	for (uint32_t i = 0; site->format && i < site->format->n_fields; i++)
		if (!str_eq(site->format->fields[i].name, nearest->wanted))
			nearest_offer(nearest, site->format->fields[i].name);
}

/* Returns whether the name, EVENT.FIELD, is about an event of this name. */
static bool site_is_of(const struct count_site *site, const char *name, size_t len)
{
	return strncmp(site_name(site), name, len) == 0 && !site_name(site)[len];
}

/* Fails for EVENT.FIELD at the events that have it, if any. */
static int naming_fail_dotted(const struct naming *naming, size_t len)
{
	struct nearest nearest = { .wanted = naming->name + len + 1 };
	const struct count_site *found = NULL;

	for (size_t i = 0; i < naming->n; i++) {
		const struct count_site *site = &naming->sites[i];

		if (!site_is_of(site, naming->name, len))
			continue;
		site_offer_fields(site, &nearest);
		found = site;
		if (!site_field(site, naming->name, naming->columns))
			return complain_unknown(site, nearest.wanted, &nearest, naming->err);
	}
	return err_set(naming->err, -ENOENT, "'%s': %s '%.*s'", naming->name,
		       found ? "not all counted events are" : "no counted event is", (int)len,
		       naming->name);
}

/* Names the event that lacks the field, preferably one that is counted. */
static int naming_fail(const struct naming *naming)
{
	const char *dot = strchr(naming->name, '.');
	struct nearest nearest = { .wanted = naming->name };
	const struct count_site *lacking = NULL;

	if (dot)
		return naming_fail_dotted(naming, (size_t)(dot - naming->name));
	for (size_t i = 0; i < naming->n; i++) {
		const struct count_site *site = &naming->sites[i];

		site_offer_fields(site, &nearest);
		if (!site_field(site, naming->name, naming->columns) &&
		    (!lacking || (lacking->is_begin && !site->is_begin)))
			lacking = site;
	}
	for (size_t i = 0; i < ARRAY_SIZE(facts); i++)
		if (!str_eq(facts[i].name, naming->name))
			nearest_offer(&nearest, facts[i].name);
	if (!lacking)
		return err_set(naming->err, -ENOENT, "no event with a field '%s'", naming->name);
	return complain_unknown(lacking, naming->name, &nearest, naming->err);
}

/* Finds the origin of @naming at all sites. */
static int naming_resolve(const struct naming *naming)
{
	const struct fact *fact = fact_find(naming->name);

	if (fact && naming_prefers(naming, fact)) {
		naming_take_fact(naming, fact->fact);
		return 0;
	}
	if (naming_take_field(naming, false) || naming_take_field(naming, true))
		return 0;
	return naming_fail(naming);
}

static int site_unfit(const struct naming *naming, const struct count_site *site, const char *why)
{
	return err_set(naming->err, -EINVAL, "'%s' of %s '%s' %s", naming->name, site_noun(site),
		       site_name(site), why);
}

/* Adds the properties of a field to those of the fields at the sites before, @n in number. */
static int column_add_field(const struct naming *naming, struct count_site *site,
			    struct count_column *column, size_t n)
{
	const struct event_field *field = naming_from(naming, site)->field;
	bool is_text = count_field_is_text(field);

	if (!is_text && !columns_is_number(field))
		return site_unfit(naming, site, "is neither a number nor text");
	if (!n)
		*column = (struct count_column){
			.kind = is_text		  ? COUNT_COLUMN_TEXT :
				is_address(field) ? COUNT_COLUMN_ADDRESS :
						    COUNT_COLUMN_NUMBER,
			.is_signed = !is_text,
			.size = is_text ? COUNT_COMM_SIZE : 8,
		};
	if (is_text != (column->kind == COUNT_COLUMN_TEXT))
		return site_unfit(naming, site,
				  is_text ? "is text, but a number in other events" :
					    "is a number, but text in other events");
	if (is_text) {
		if (!is_short_text(field))
			column->size = COUNT_TEXT_SIZE;
		return 0;
	}
	if (!is_address(field))
		column->kind = COUNT_COLUMN_NUMBER;
	column->is_signed &= field->is_signed && field->kind == EVENT_FIELD_INT;
	return 0;
}

/* Determines what the column contains, once its origins are known. */
static int column_init(const struct naming *naming, struct count_column *column)
{
	size_t n = 0;

	*column = (struct count_column){ .kind = COUNT_COLUMN_NUMBER, .size = 8 };
	for (size_t i = 0; i < naming->n; i++) {
		struct count_site *site = &naming->sites[i];
		const struct count_from *from = naming_from(naming, site);
		int r;

		if (from->fact != COUNT_FACT_FIELD)
			continue;
		r = column_add_field(naming, site, column, n++);
		if (r < 0)
			return r;
	}
	if (!n) {
		const struct fact *fact = fact_find(naming->name);

		column->kind = fact->kind;
		column->is_signed = fact->is_signed;
		column->size = fact->kind == COUNT_COLUMN_TEXT ? COUNT_COMM_SIZE : 8;
	}
	column->name = naming->name;
	return 0;
}

static int columns_add_value(struct count_columns *columns, struct naming *naming,
			     const struct count_plan *plan)
{
	struct count_column column;
	int r;

	if (!plan->value && !plan->is_latency)
		return plan->what == COUNT_NUMBER ?
			       0 :
			       err_set(naming->err, -EINVAL, "no field to add up");
	columns->has_value = true;
	naming->place = COUNT_KEYS_MAX;
	if (!plan->value) {
		columns->is_time = true;
		naming_take_fact(naming, COUNT_FACT_LATENCY);
		return 0;
	}
	naming->name = plan->value;
	r = naming_resolve(naming);
	if (r == 0)
		r = column_init(naming, &column);
	if (r < 0)
		return r;
	if (column.kind != COUNT_COLUMN_NUMBER && column.kind != COUNT_COLUMN_ADDRESS)
		return err_set(naming->err, -EINVAL, "'%s' is not a number", plan->value);
	columns->is_signed = column.is_signed;
	columns->is_address = column.kind == COUNT_COLUMN_ADDRESS;
	return 0;
}

/* Unlike a key, the pair prefers a field: "sched:sched_wakeup[pid]" is about the task woken. */
static int site_init_pair(struct count_site *site, struct count_columns *columns,
			  struct fathom_err *err)
{
	const char *name = site->source->pair;
	const struct event_field *field = site_field(site, name, columns);
	const struct fact *fact = fact_find(name);
	struct nearest nearest = { .wanted = name };

	if (field) {
		if (!columns_is_number(field))
			return err_set(err, -EINVAL,
				       "'%s' of %s '%s' is not a number: cannot pair by it", name,
				       site_noun(site), site_name(site));
		site->pair = (struct count_from){ .fact = COUNT_FACT_FIELD, .field = field };
		return 0;
	}
	if (fact && (fact->fact == COUNT_FACT_PID || fact->fact == COUNT_FACT_TGID ||
		     fact->fact == COUNT_FACT_CPU)) {
		site->pair.fact = fact->fact;
		return 0;
	}
	if (fact)
		return err_set(err, -EINVAL, "'%s': cannot pair by it", name);
	site_offer_fields(site, &nearest);
	return complain_unknown(site, name, &nearest, err);
}

static int columns_add_pairs(struct count_columns *columns, struct count_site *sites, size_t n,
			     struct fathom_err *err)
{
	const struct count_site *with = NULL, *without = NULL;

	for (size_t i = 0; i < n; i++) {
		int r;

		if (!sites[i].source->pair) {
			without = &sites[i];
			continue;
		}
		with = &sites[i];
		r = site_init_pair(&sites[i], columns, err);
		if (r < 0)
			return r;
	}
	if (with && without)
		return err_set(err, -EINVAL,
			       "%s '%s' has no field to pair by, unlike '%s': write NAME[FIELD]",
			       site_noun(without), site_name(without), site_name(with));
	return 0;
}

int count_columns_init(struct count_columns *columns, const struct count_plan *plan,
		       struct count_site *sites, size_t n, struct fathom_err *err)
{
	struct naming naming = { .sites = sites, .n = n, .columns = columns, .err = err };
	int r = 0;

	*columns = (struct count_columns){ .n_keys = plan->n_keys };
	for (size_t i = 0; i < n; i++) {
		memset(sites[i].keys, 0, sizeof(sites[i].keys));
		sites[i].value = sites[i].pair = (struct count_from){ .fact = COUNT_FACT_NONE };
	}
	for (size_t i = 0; r == 0 && i < plan->n_keys; i++) {
		naming.name = plan->keys[i];
		naming.place = i;
		r = naming_resolve(&naming);
		if (r == 0)
			r = column_init(&naming, &columns->keys[i]);
		columns->keys[i].offset = columns->key_size;
		columns->key_size += columns->keys[i].size;
	}
	if (r == 0)
		r = columns_add_value(columns, &naming, plan);
	if (r == 0 && plan->n_begins)
		r = columns_add_pairs(columns, sites, n, err);
	return r;
}
