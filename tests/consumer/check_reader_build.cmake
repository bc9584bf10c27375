# The libraries that programs link alone configure and build with a compiler, zstd, Highway, xxHash and nlohmann-json: no tests, no
# pkg-config, nothing of the command. Packages of the command are hidden from find_package, so they cannot lean on them.
#
# SCRATCH lies next to the build that the test belongs to. A release is built with the flags of that one; ccache, to which paths of both
# are equal, then has every unit but one, and the test takes seconds instead of minutes.
#
# cmake -D SOURCE=… -D SCRATCH=… -D TYPE=… -D GENERATOR=… -D COMPILER=… -D LAUNCHER=… -P check_reader_build.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${SCRATCH})
foreach(package JPEG PNG TBB spdlog Freetype Catch2 PkgConfig)
  list(APPEND hidden -D CMAKE_DISABLE_FIND_PACKAGE_${package}=ON)
endforeach()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH} -G ${GENERATOR} -D HOTPACK_BUILD=reader -D HOTPACK_CUDA=OFF -D HOTPACK_TESTS=OFF
    -D CMAKE_BUILD_TYPE=${TYPE} -D CMAKE_CXX_FLAGS_DEBUG=-O0 -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} ${hidden})
run(bash -c "cd '${SOURCE}' && . scripts/compiler-cache && exec '${CMAKE_COMMAND}' --build '${SCRATCH}' -j 2")
file(GLOB libraries RELATIVE ${SCRATCH}/src ${SCRATCH}/src/*/libhotpack_*.a)
list(JOIN libraries " " built)
string(REGEX REPLACE "[a-z_]+/libhotpack_([a-z_]+)\\.a" "\\1" built "${built}")
if(NOT built STREQUAL "base c_api device expand format loader reader" OR NOT EXISTS ${SCRATCH}/src/c_api/libhotpack.so.0)
  message(FATAL_ERROR "expected base c_api device expand format loader reader and libhotpack.so.0, built: ${built}")
endif()
