/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for what became of system calls. */
#ifndef FATHOM_RENDER_KIT_SYSCALL_FATE_H
#define FATHOM_RENDER_KIT_SYSCALL_FATE_H

#include "analyze/syscalls/syscall-fate.h"

/* For programs: "restarted". */
const char *syscall_fate_word(enum syscall_fate fate);
/* In the place of a result, for all but SYSCALL_RETURNED: "? <restarted>". */
const char *syscall_fate_remark(enum syscall_fate fate);

#endif
