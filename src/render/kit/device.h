/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Words for block devices and what is asked of them. */
#ifndef FATHOM_RENDER_KIT_DEVICE_H
#define FATHOM_RENDER_KIT_DEVICE_H

#include <stdint.h>

#include "base/strbuf.h"

/* "254:16", as in /dev: its major and minor number. */
void device_put(struct strbuf *buf, uint32_t device);
/* "read" for 'R', as struct decoded_event has them. */
const char *device_operation(char operation);

#endif
