# Builds programs by hand with the flags that pkg-config gives, against what check_install.cmake installed.
#
# cmake -D SCRATCH=… -D COMPILER=… -D FLAGS=… -D PKG_CONFIG=… -D HERE=… -P check_pkgconfig.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(GLOB_RECURSE package_file ${SCRATCH}/prefix/hotpack.pc)
cmake_path(GET package_file PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH library_folder)
separate_arguments(flags UNIX_COMMAND "${FLAGS}")

# build_and_run(PACKAGE SOURCE COMPILER_OPTION …)
function(build_and_run package source)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs ${package})
  separate_arguments(package_flags UNIX_COMMAND "${output}")
  cmake_path(GET source STEM name)
  set(program ${SCRATCH}/${name}-${package})
  run(${COMPILER} ${ARGN} ${flags} ${HERE}/${source} -x none -o ${program} ${package_flags})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library_folder} ${program} ${SCRATCH}/pack)
endfunction()

build_and_run(hotpack example.cpp -std=c++20)
build_and_run(hotpack resume.cpp -std=c++20)
build_and_run(hotpack-c c/train.c -x c -std=c11)
