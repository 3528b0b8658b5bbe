/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fuzzes function parameters from the BTF in a trace file. Every string in the input is looked up
 * as a function.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/btf/parameters.h"

#define NAMES_MAX      64
#define PARAMETERS_MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void look_at(const struct parameters *parameters, uint32_t function)
{
	uint32_t n = parameters_count(parameters, function);

	for (uint32_t i = 0; i<n; i += n> PARAMETERS_MAX && i + 1 < n ? n - 1 - i : 1) {
		struct parameter p = parameters_get(parameters, function, i);

		check(strlen(p.name) < parameters->size);
		check((p.kind_name != NULL) == (p.kind == PARAMETER_OTHER));
		check(p.shift < 64);
	}
}

/* The strings are at the end, as in BTF. */
static void find_all(const struct parameters *parameters, const char *data, size_t size)
{
	size_t end = size;

	for (int i = 0; i < NAMES_MAX && end > 0; i++) {
		size_t start = --end;
		uint32_t function;

		if (data[end] != '\0')
			continue;
		while (start > 0 && data[start - 1] != '\0')
			start--;
		function = parameters_find(parameters, data + start, end - start);
		if (function)
			look_at(parameters, function);
		end = start;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parameters parameters;

	if (parameters_init(&parameters, data, size) < 0)
		return 0;
	check(parameters.n_functions <= parameters.n_types);
	for (uint32_t i = 0; i < parameters.n_functions && i < NAMES_MAX; i++)
		look_at(&parameters, parameters.functions[i]);
	find_all(&parameters, (const char *)data, size);
	parameters_done(&parameters);
	return 0;
}
