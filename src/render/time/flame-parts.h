/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The constant parts of the SVG file of a flame graph. */
#ifndef FATHOM_RENDER_TIME_FLAME_PARTS_H
#define FATHOM_RENDER_TIME_FLAME_PARTS_H

/* A format with five arguments: width, height, width and height of the picture, font size. */
extern const char flame_head[];
/* The script for zooming and searching, and the end of the file. */
extern const char flame_script[];

#endif
