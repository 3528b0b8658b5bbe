/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for how system calls ended. The strings are static. */
#ifndef FATHOM_RENDER_KIT_SYSCALL_FATE_H
#define FATHOM_RENDER_KIT_SYSCALL_FATE_H

#include "analyze/syscalls/syscall-fate.h"

/* For machine-readable output: "restarted". */
const char *syscall_fate_word(enum syscall_fate fate);
/* For text, in place of the result: "? <restarted>"; "" for SYSCALL_RETURNED. */
const char *syscall_fate_remark(enum syscall_fate fate);

#endif
