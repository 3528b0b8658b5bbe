/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "analyze/stream/syscall-names.h"

#include <stdlib.h>

#define NUMBERS_MAX 65536 /* larger numbers get no name */

void syscall_names_learn(struct syscall_names *names, const struct decoded_event *decoded)
{
	int64_t number = decoded->call_number.number;
	const char *name = decoded_syscall_name(decoded), **known;

	if (!name || number < 0 || number >= NUMBERS_MAX)
		return;
	known = u64_map_element(&names->numbers, (uint64_t)number, &names->list, &names->n,
				&names->cap, sizeof(*names->list));
	if (known && !*known)
		*known = arena_strdup(&names->arena, name);
	names->nomem |= !known || !*known;
}

const char *syscall_names_find(const struct syscall_names *names, int64_t number)
{
	uint32_t place = number < 0 ? U64_MAP_NONE : u64_map_get(&names->numbers, (uint64_t)number);

	return place < names->n ? names->list[place] : NULL;
}

void syscall_names_done(struct syscall_names *names)
{
	u64_map_done(&names->numbers);
	arena_done(&names->arena);
	free(names->list);
	*names = (struct syscall_names){ 0 };
}
