#include "loader_ceiling.h"

#include <string.h>

enum {
  kTile = 2048
}; /* pixels whose input stays in the first cache while every plane is written */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

/* ---- images */

static void image_by_formula(const ceiling_row* row, size_t first, size_t last) {
  for (int channel = 0; channel < 3; ++channel) {
    const uint8_t* restrict in = row->image + channel;
    float* restrict out = row->image_out + (size_t)channel * row->pixels;
    const float mean = row->mean[channel], std = row->std[channel];
    for (size_t i = first; i < last; ++i) out[i] = ((float)in[3 * i] / 255.0f - mean) / std;
  }
}

/* One multiplication and one addition: nearly the same values. */
static void image_by_scale(const ceiling_row* row, size_t first, size_t last) {
  const uint8_t* restrict in = row->image;
  float* restrict red = row->image_out;
  float* restrict green = red + row->pixels;
  float* restrict blue = green + row->pixels;
  float scale[3], offset[3];
  for (int channel = 0; channel < 3; ++channel) {
    scale[channel] = 1.0f / (255.0f * row->std[channel]);
    offset[channel] = -row->mean[channel] / row->std[channel];
  }
  for (size_t i = first; i < last; ++i) {
    red[i] = (float)in[3 * i] * scale[0] + offset[0];
    green[i] = (float)in[3 * i + 1] * scale[1] + offset[1];
    blue[i] = (float)in[3 * i + 2] * scale[2] + offset[2];
  }
}

static void image_by_table(const ceiling_row* row, size_t first, size_t last) {
  float table[3][256];
  for (int channel = 0; channel < 3; ++channel)
    for (int value = 0; value < 256; ++value)
      table[channel][value] = ((float)value / 255.0f - row->mean[channel]) / row->std[channel];
  for (int channel = 0; channel < 3; ++channel) {
    const uint8_t* restrict in = row->image + channel;
    float* restrict out = row->image_out + (size_t)channel * row->pixels;
    for (size_t i = first; i < last; ++i) out[i] = table[channel][in[3 * i]];
  }
}

/* ---- labels */

static void label_by_comparison(const ceiling_row* row, size_t first, size_t last) {
  for (int class_id = 0; class_id < row->classes; ++class_id) {
    float* restrict out = row->label_out + (size_t)class_id * row->pixels;
    if (row->label_is_bits) {
      for (size_t i = first; i < last; ++i) {
        uint16_t bits;
        memcpy(&bits, row->label + 2 * i, sizeof bits);
        out[i] = (float)((bits >> class_id) & 1);
      }
    } else {
      const uint8_t* restrict ids = row->label;
      for (size_t i = first; i < last; ++i) out[i] = ids[i] == class_id ? 1.0f : 0.0f;
    }
  }
}

static void label_by_scatter(const ceiling_row* row, size_t first, size_t last) {
  for (int class_id = 0; class_id < row->classes; ++class_id)
    memset(row->label_out + (size_t)class_id * row->pixels + first, 0,
           (last - first) * sizeof(float));
  for (size_t i = first; i < last; ++i) {
    int id = row->label[i];
    if (row->label_is_bits) {
      const unsigned bits = row->label[2 * i] | (unsigned)row->label[2 * i + 1] << 8;
      id = bits != 0 ? __builtin_ctz(bits) : 255;
    }
    if (id < row->classes) row->label_out[(size_t)id * row->pixels + i] = 1.0f;
  }
}

/* ---- both */

typedef void (*part)(const ceiling_row* row, size_t first, size_t last);

static void whole(const ceiling_row* row, part image, part label) {
  image(row, 0, row->pixels);
  label(row, 0, row->pixels);
}

static void tiled(const ceiling_row* row, part image, part label) {
  for (size_t first = 0; first < row->pixels; first += kTile)
    image(row, first, smaller(first + kTile, row->pixels));
  for (size_t first = 0; first < row->pixels; first += kTile)
    label(row, first, smaller(first + kTile, row->pixels));
}

static void formula_comparison(const ceiling_row* row) {
  whole(row, image_by_formula, label_by_comparison);
}
static void scale_comparison(const ceiling_row* row) {
  whole(row, image_by_scale, label_by_comparison);
}
static void scale_comparison_tiled(const ceiling_row* row) {
  tiled(row, image_by_scale, label_by_comparison);
}
static void table_comparison_tiled(const ceiling_row* row) {
  tiled(row, image_by_table, label_by_comparison);
}
static void scale_scatter(const ceiling_row* row) { whole(row, image_by_scale, label_by_scatter); }
static void scale_scatter_tiled(const ceiling_row* row) {
  tiled(row, image_by_scale, label_by_scatter);
}

const ceiling_entry ceiling_loops[] = {
    {"formula, comparison", formula_comparison},
    {"scale, comparison", scale_comparison},
    {"scale, comparison, tiled", scale_comparison_tiled},
    {"table, comparison, tiled", table_comparison_tiled},
    {"scale, scatter", scale_scatter},
    {"scale, scatter, tiled", scale_scatter_tiled},
};
const size_t ceiling_loop_count = sizeof ceiling_loops / sizeof *ceiling_loops;
