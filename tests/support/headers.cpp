// An empty unit: CMake compiles a shared precompiled header only for a target with a source.
