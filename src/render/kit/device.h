/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Formats block devices and their operations. */
#ifndef FATHOM_RENDER_KIT_DEVICE_H
#define FATHOM_RENDER_KIT_DEVICE_H

#include <stdint.h>

#include "base/strbuf.h"

/* Appends a kernel dev_t (12 bits major, 20 bits minor) as "254:16". */
void device_put(struct strbuf *buf, uint32_t device);
/*
 * Returns the word for an operation of struct decoded_event: "read" for 'R', "other" if it is
 * unknown. The string is static.
 */
const char *device_operation(char operation);

#endif
