/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What every unit test includes: cmocka with the headers that it wants before it. */
#ifndef FATHOM_TESTS_TEST_H
#define FATHOM_TESTS_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tree.h"

/*
 * Runs @op once for every allocation that it makes, with that allocation failing.
 * @op returns 0 or a negative errno, leaves nothing behind, and is run until it
 * comes through. Fails the test when @op returns anything but -ENOMEM after a
 * failed allocation, or (in a build with LeakSanitizer) forgets memory.
 */
void oom_check(int (*op)(void *arg), void *arg);

#endif
