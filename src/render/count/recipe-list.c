/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/count/recipe-list.h"

#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/str.h"
#include "render/kit/fit.h"
#include "render/kit/json-document.h"

static size_t recipe_list_width(const struct recipes *recipes)
{
	size_t width = 0;

	for (size_t i = 0; i < recipes->n; i++)
		if (quote_columns(recipes->list[i].name) > width)
			width = quote_columns(recipes->list[i].name);
	return width;
}

static void recipe_list_put(const struct recipe *recipe, size_t width, const struct out *out,
			    struct strbuf *buf)
{
	quote_addf(buf, "  %s%-*s%s  %s", out_style(out, OUT_NAME), (int)width, recipe->name,
		   out_style(out, OUT_PLAIN), recipe->question);
	if (*recipe->others)
		quote_addf(buf, "%s (%s)%s", out_style(out, OUT_FAINT), recipe->others,
			   out_style(out, OUT_PLAIN));
	strbuf_addc(buf, '\n');
}

static void recipe_list_put_all(const struct recipe *recipe, const struct out *out,
				struct strbuf *buf)
{
	quote_addf(buf, "%s%s%s: %s\n", out_style(out, OUT_TITLE), recipe->name,
		   out_style(out, OUT_PLAIN), recipe->question);
	for (size_t i = 0; i < recipe->n_plans; i++)
		quote_addf(buf, "  %sfathom count %s\n", i ? "or " : "", recipe->plans[i]);
	if (*recipe->others)
		quote_addf(buf, "  also called %s\n", recipe->others);
	if (recipe->reading)
		quote_addf(buf, "  %s\n", recipe->reading);
}

static void recipe_list_json_words(struct json *json, const char *key, const char *words)
{
	json_begin_array(json, key);
	while (*words) {
		size_t len = strcspn(words, " ");

		if (len)
			json_string_len(json, NULL, words, len);
		words += len + (words[len] == ' ');
	}
	json_end_array(json);
}

static void recipe_list_json(const struct recipe *recipe, struct json *json)
{
	json_begin_object(json, NULL);
	json_string(json, "name", recipe->name);
	recipe_list_json_words(json, "other_names", recipe->others);
	json_string(json, "question", recipe->question);
	json_begin_array(json, "plans");
	for (size_t i = 0; i < recipe->n_plans; i++)
		json_string(json, NULL, recipe->plans[i]);
	json_end_array(json);
	json_string(json, "reading", recipe->reading);
	json_end_object(json);
}

static bool recipe_list_has(const struct recipes *recipes, const struct recipe *recipe,
			    char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (recipes_find(recipes, names[i]) == recipe)
			return true;
	return n == 0;
}

int recipe_list_print(const struct recipes *recipes, char *const *names, size_t n_names, bool json,
		      struct out *out)
{
	_cleanup_strbuf_ struct strbuf buf = { 0 };
	size_t width = recipe_list_width(recipes);
	struct json document;

	if (json) {
		json_document_begin(&document, &buf, true);
		json_begin_array(&document, "recipes");
	}
	for (size_t i = 0; i < recipes->n; i++) {
		const struct recipe *recipe = &recipes->list[i];

		if (!recipe_list_has(recipes, recipe, names, n_names))
			continue;
		if (json)
			recipe_list_json(recipe, &document);
		else if (n_names)
			recipe_list_put_all(recipe, out, &buf);
		else
			recipe_list_put(recipe, width, out, &buf);
	}
	if (json) {
		json_end_array(&document);
		json_document_end(&document, NULL);
	}
	return json || n_names ? out_write(out, &buf) : fit_write_lines(out, &buf);
}
