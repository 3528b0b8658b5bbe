/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Durations of system calls from the timestamps of their two events in the rings of an instance.
 * They contain less of the cost of tracing than a measurement around the call.
 */
#ifndef FATHOM_RECORD_PRICE_SYSCALL_STAMPS_H
#define FATHOM_RECORD_PRICE_SYSCALL_STAMPS_H

/*
 * Computes the median duration of all calls @name, such as "getppid", in nanoseconds of the trace
 * clock. @place is a descriptor of the instance. Consumes the events in its rings. Returns 0 or a
 * negative errno; -ENODATA if there was no such call.
 */
int syscall_stamps_take(int place, const char *name, double *ret_ns);

#endif
