/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Events that are added to the kernel while it runs (kprobes, uprobes, fprobes,
 * eprobes, synthetic events): adding one, and removing it by its name.
 */
#ifndef FATHOM_KERNEL_EVENTS_ADDED_EVENT_H
#define FATHOM_KERNEL_EVENTS_ADDED_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#define ADDED_EVENT_NAME_SIZE 130

/*
 * "GROUP/NAME" of a definition as the file dynamic_events takes it, such as
 * "p:GROUP/NAME vfs_read". A definition that leaves the choice of a name to the
 * kernel is refused: it could not be found again. 0 or -EINVAL.
 */
int added_event_name(const char *definition, char *name, size_t size);
/* Is it "GROUP/NAME" and nothing else? */
bool added_event_name_is_valid(const char *name);

/* -EEXIST when there is an event of that name, to which the kernel would add a second probe. */
int added_event_make(int tracefs, const char *definition);
/* Adds a probe to an event that was made before; its values must be of the same names and types. */
int added_event_extend(int tracefs, const char *definition);
/* 0 too when it is not there. -EBUSY while it is in use, after trying for @wait_ms. */
int added_event_remove(int tracefs, const char *name, unsigned wait_ms);

#endif
