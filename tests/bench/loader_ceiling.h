/* What a careful person writes in plain C to make a batch: no vector instructions by hand,
 * preallocated output, one pass where it helps. The compiler may use all that this processor has
 * (-O3 -march=native).
 *
 * Images: height x width x 3 bytes; out: 3 planes of floats, y = (x/255 - mean) / std.
 * Labels: one id a pixel (255: ignored), or bits in 2 bytes per pixel (9 to 16 classes); out: one
 * plane of floats a class. */
#ifndef LOADER_CEILING_H
#define LOADER_CEILING_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const uint8_t* image;
  const uint8_t* label;
  int label_is_bits;
  size_t pixels;
  int classes;
  const float* mean; /* 3 */
  const float* std;  /* 3 */
  float* image_out;
  float* label_out;
} ceiling_row;

typedef void (*ceiling_loop)(const ceiling_row* row);

typedef struct {
  const char* name;
  ceiling_loop loop;
} ceiling_entry;

/* All loops; the best of them is the ceiling. */
extern const ceiling_entry ceiling_loops[];
extern const size_t ceiling_loop_count;

#ifdef __cplusplus
}
#endif

#endif
