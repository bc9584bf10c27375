# Builds programs by hand with the flags that pkg-config gives, against what check_install.cmake installed.
#
# cmake -D SCRATCH=… -D COMPILER=… -D FLAGS=… -D PKG_CONFIG=… -D HERE=… -P check_pkgconfig.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(GLOB_RECURSE package_file ${SCRATCH}/prefix/hotpack.pc)
cmake_path(GET package_file PARENT_PATH folder)
cmake_path(GET folder PARENT_PATH library_folder)
separate_arguments(flags UNIX_COMMAND "${FLAGS}")

# build(PACKAGE SOURCE COMPILER_OPTION …): the program's path becomes `program`.
function(build package source)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs ${package})
  separate_arguments(package_flags UNIX_COMMAND "${output}")
  cmake_path(GET source STEM name)
  set(program ${SCRATCH}/${name}-${package})
  run(${COMPILER} ${ARGN} ${flags} ${HERE}/${source} -x none -o ${program} ${package_flags})
  set(program ${program} PARENT_SCOPE)
endfunction()

build(hotpack example.cpp -std=c++20)
run(${program} ${SCRATCH}/pack)

build(hotpack resume.cpp -std=c++20)
file(REMOVE ${SCRATCH}/pkgconfig.state)
run(${program} ${SCRATCH}/pack ${SCRATCH}/pkgconfig.state 3)
run(${program} ${SCRATCH}/pack ${SCRATCH}/pkgconfig.state 4)

build(hotpack-c c/train.c -x c -std=c11)
run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${library_folder} ${program} ${SCRATCH}/pack)
