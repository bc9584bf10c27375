# Builds the example by hand with the flags that pkg-config gives, against what check_install.cmake installed.
#
# cmake -D SCRATCH=… -D COMPILER=… -D FLAGS=… -D PKG_CONFIG=… -D HERE=… -P check_pkgconfig.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(GLOB_RECURSE package ${SCRATCH}/prefix/hotpack.pc)
cmake_path(GET package PARENT_PATH folder)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs hotpack)
separate_arguments(package_flags UNIX_COMMAND "${output}")
separate_arguments(flags UNIX_COMMAND "${FLAGS}")
run(${COMPILER} -std=c++20 ${flags} ${HERE}/example.cpp -o ${SCRATCH}/example-pkgconfig ${package_flags})
run(${SCRATCH}/example-pkgconfig ${SCRATCH}/pack)
