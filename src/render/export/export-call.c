/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "render/export/export-call.h"

#include "base/str.h"

enum export_call_kind export_call_kind(const struct event_format *format,
				       const struct event_field **ret_number)
{
	bool enters = str_after(format->name, "sys_enter"),
	     exits = str_after(format->name, "sys_exit");
	const struct event_field *number = NULL;

	if (str_eq(format->system, "raw_syscalls"))
		number = event_field_find(format, "id");
	else if (str_eq(format->system, "syscalls"))
		number = event_field_find(format, "__syscall_nr") ?: event_field_find(format, "nr");
	if (!number || (!enters && !exits))
		return EXPORT_CALL_NONE;
	*ret_number = number;
	return enters ? EXPORT_CALL_ENTER : EXPORT_CALL_EXIT;
}

const char *export_call_name(const struct event_format *format)
{
	const char *name = str_after(format->name, "sys_enter_");

	return name ? name : str_after(format->name, "sys_exit_");
}

bool export_call_repeats(struct export_call *last, enum export_call_kind kind,
			 const struct fathom_event *event, uint64_t number)
{
	if (last->kind == kind && last->id != event->id && last->pid == event->pid &&
	    last->number == number)
		return true;
	*last = (struct export_call){ kind, event->id, event->pid, number };
	return false;
}
