/* What src/cli/text.cpp calls of utf8proc, for hotpack_gpu_check alone: it goes to machines that
 * have no such library, and its reports hold characters of one column. Well-formed UTF-8 is
 * decoded; overlong forms are not refused, as no report holds bytes from outside. */
#pragma once

#include <stdint.h>

typedef int32_t utf8proc_int32_t;
typedef uint8_t utf8proc_uint8_t;
typedef int64_t utf8proc_ssize_t;

inline utf8proc_ssize_t utf8proc_iterate(const utf8proc_uint8_t* text, utf8proc_ssize_t size,
                                         utf8proc_int32_t* point) {
  *point = -1;
  if (size <= 0) return 0;
  const int length = text[0] < 0x80   ? 1
                     : text[0] < 0xC0 ? 0
                     : text[0] < 0xE0 ? 2
                     : text[0] < 0xF0 ? 3
                                      : 4;
  if (length == 0 || length > size) return -1;
  *point = length == 1 ? text[0] : text[0] & (0xFF >> (length + 1));
  for (int i = 1; i < length; ++i) *point = (*point << 6) | (text[i] & 0x3F);
  return length;
}

inline int utf8proc_charwidth(utf8proc_int32_t point) { return point < 0x20 ? 0 : 1; }
