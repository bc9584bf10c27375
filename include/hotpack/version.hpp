// The version of the library. The format of packed files has a version of its own, see FORMAT.md.
#pragma once

#define HOTPACK_VERSION_MAJOR 0
#define HOTPACK_VERSION_MINOR 1
#define HOTPACK_VERSION_PATCH 0
#define HOTPACK_VERSION "0.1.0"
