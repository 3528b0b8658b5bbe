/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The parts of a flame graph's file that do not depend on the calls. */
#ifndef FATHOM_RENDER_TIME_FLAME_PARTS_H
#define FATHOM_RENDER_TIME_FLAME_PARTS_H

/* A format: width, height, width, height, size of the text. */
extern const char flame_head[];
/* What a click and a search do, and the end of the file. */
extern const char flame_script[];

#endif
