/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Adds events to the running kernel (kprobes, uprobes, fprobes, eprobes, synthetic events) and
 * removes them by name. @tracefs is a descriptor of the tracefs directory. Events are global: they
 * outlive this process unless removed. Functions return 0 or a negative errno, -EINVAL if the
 * definition or name is malformed.
 */
#ifndef FATHOM_KERNEL_EVENTS_ADDED_EVENT_H
#define FATHOM_KERNEL_EVENTS_ADDED_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#define ADDED_EVENT_NAME_SIZE 130

/*
 * Extracts "GROUP/NAME" from a definition in the syntax of dynamic_events, for example
 * "p:GROUP/NAME vfs_read". Returns -EINVAL for a definition without a name: the kernel would choose
 * one, and the event could not be found again.
 */
int added_event_name(const char *definition, char *name, size_t size);
/* Returns whether @name is "GROUP/NAME" with only letters, digits and underscores. */
bool added_event_name_is_valid(const char *name);

/* Returns -EEXIST if an event of that name exists; the kernel would add a second probe to it. */
int added_event_make(int tracefs, const char *definition);
/* Adds a probe to an existing event. Its arguments must have the same names and types. */
int added_event_extend(int tracefs, const char *definition);
/*
 * Retries for up to @wait_ms while the event is in use, then returns -EBUSY. Returns 0 if there is
 * no such event.
 */
int added_event_remove(int tracefs, const char *name, unsigned wait_ms);

#endif
