// The version of the library. FORMAT.md has the version of the file format.
#pragma once

#define HOTPACK_VERSION_MAJOR 0
#define HOTPACK_VERSION_MINOR 1
#define HOTPACK_VERSION_PATCH 0
#define HOTPACK_VERSION "0.1.0"
