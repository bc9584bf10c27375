# Installs the build tree into a scratch folder, moves it, builds the consumer project against it, runs it, and looks at what it links.
#
# cmake -D BUILD=… -D SCRATCH=… -D GENERATOR=… -D COMPILER=… -D FLAGS=… -D MAKE_PACK=… -D HERE=… -D CHECK_LIBRARIES=… -P check_install.cmake
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/staged --component development)
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/staged --component documentation)
file(RENAME ${SCRATCH}/staged ${SCRATCH}/prefix)   # nothing may point back to where it was installed
if(NOT EXISTS ${SCRATCH}/prefix/include/hotpack/hotpack.hpp)
  message(FATAL_ERROR "the umbrella header is not installed")
endif()

run(${CMAKE_COMMAND} -S ${HERE} -B ${SCRATCH}/build -G ${GENERATOR} -D CMAKE_BUILD_TYPE=Release -D CMAKE_PREFIX_PATH=${SCRATCH}/prefix
    -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${SCRATCH}/build -j 2)

file(MAKE_DIRECTORY ${SCRATCH}/pack)
run(${MAKE_PACK} ${SCRATCH}/pack)
run(${SCRATCH}/build/example ${SCRATCH}/pack)
if(NOT output MATCHES "street/sample 0000: 6 x 5, 90 one-hot values" OR NOT output MATCHES "sample 0004")
  message(FATAL_ERROR "the example printed\n${output}")
endif()

if(CHECK_LIBRARIES)
  run(ldd ${SCRATCH}/build/example)
  string(REGEX MATCHALL "[^\n]+" lines "${output}")
  foreach(line IN LISTS lines)
    if(NOT line MATCHES "^[ \t]*(/[^ ]*/)?(linux-vdso|ld-linux[^ ]*|libc|libm|libgcc_s|libstdc\\+\\+|libzstd)\\.so")
      message(FATAL_ERROR "a program that reads packs must not need${line}")
    endif()
  endforeach()
endif()
message(STATUS "the installed reader builds and reads a pack")
