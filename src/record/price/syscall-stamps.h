/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * How long system calls took by the times of their two events, of those that are in the rings of an instance: what is
 * measured around a call has more of the cost of tracing than what is between these times.
 */
#ifndef FATHOM_RECORD_PRICE_SYSCALL_STAMPS_H
#define FATHOM_RECORD_PRICE_SYSCALL_STAMPS_H

/*
 * The median of all calls @name, such as "getppid", in nanoseconds of the clock of the trace. Takes the events out of the
 * rings. 0 or a negative errno; -ENODATA when there is no such call.
 */
int syscall_stamps_take(int place, const char *name, double *ret_ns);

#endif
