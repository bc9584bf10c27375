# The installed library, seen from outside. Included by tests/CMakeLists.txt (this folder's CMakeLists.txt is the consumer's own).
set(consumer_dir ${CMAKE_CURRENT_LIST_DIR})

add_executable(make_pack ${consumer_dir}/make_pack.cpp)
target_link_libraries(make_pack PRIVATE hotpack_tiny_shard hotpack_compile_options)

set(consumer_flags "")
set(check_libraries ON)
if(HOTPACK_SANITIZE)
  set(consumer_flags "-fsanitize=${HOTPACK_SANITIZE}")
  set(check_libraries OFF)  # the sanitizers' own libraries
endif()
set(scratch ${PROJECT_BINARY_DIR}/consumer)

# Whether the libraries have kernels: without nvcc their texts say so.
get_source_file_property(kernels ${PROJECT_SOURCE_DIR}/src/device/kernels.cpp TARGET_DIRECTORY hotpack_device COMPILE_DEFINITIONS)
if(kernels MATCHES "_FATBIN")
  set(kernels ON)
else()
  set(kernels OFF)
endif()

add_test(NAME consumer.install COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D SCRATCH=${scratch}/installed
         -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER} -D FLAGS=${consumer_flags} -D MAKE_PACK=$<TARGET_FILE:make_pack> -D HERE=${consumer_dir}
         -D CHECK_LIBRARIES=${check_libraries} -D FAKE_CUDA=$<TARGET_FILE_DIR:hotpack_fake_libcuda> -D KERNELS=${kernels}
         -P ${consumer_dir}/check_install.cmake)
set_tests_properties(consumer.install PROPERTIES FIXTURES_SETUP installed)

find_program(HOTPACK_PKG_CONFIG NAMES pkg-config pkgconf)
mark_as_advanced(HOTPACK_PKG_CONFIG)
if(HOTPACK_PKG_CONFIG)
  add_test(NAME consumer.pkg-config COMMAND ${CMAKE_COMMAND} -D SCRATCH=${scratch}/installed -D COMPILER=${CMAKE_CXX_COMPILER}
           -D FLAGS=${consumer_flags} -D PKG_CONFIG=${HOTPACK_PKG_CONFIG} -D HERE=${consumer_dir} -P ${consumer_dir}/check_pkgconfig.cmake)
  set_tests_properties(consumer.pkg-config PROPERTIES FIXTURES_REQUIRED installed LABELS consumer)
endif()

# README's kernel of one's own, compiled against what was installed; run where a device is.
if(kernels AND NOT HOTPACK_SANITIZE)
  hotpack_find_nvcc(reason)
  set(prefix ${scratch}/installed/prefix)
  add_test(NAME consumer.user-kernel COMMAND ${HOTPACK_NVCC} -ccbin ${HOTPACK_NVCC_HOST_COMPILER} -std=c++20 -I${prefix}/include
           ${PROJECT_SOURCE_DIR}/tests/consumer/user_kernel.cu -o ${scratch}/installed/user_kernel -L${prefix}/${CMAKE_INSTALL_LIBDIR}
           -lhotpack_device -lhotpack_loader -lhotpack_reader -lhotpack_expand -lhotpack_format -lhotpack_base -lzstd -lhwy)
  set_tests_properties(consumer.user-kernel PROPERTIES FIXTURES_REQUIRED installed FIXTURES_SETUP user-kernel LABELS consumer TIMEOUT 300)
  add_test(NAME "gpu: user_kernel" COMMAND ${scratch}/installed/user_kernel ${scratch}/installed/pack)
  set_tests_properties("gpu: user_kernel" PROPERTIES FIXTURES_REQUIRED user-kernel LABELS gpu RUN_SERIAL ON TIMEOUT 300
                       SKIP_REGULAR_EXPRESSION "no CUDA driver on this machine;the CUDA driver finds no device")
endif()

set(reader_type Debug)  # quick to compile, where no compiler cache knows its units
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(reader_type Release)
endif()
add_test(NAME consumer.reader-alone COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D SCRATCH=${PROJECT_BINARY_DIR}-reader-alone
         -D TYPE=${reader_type} -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER}
         -D LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER} -P ${consumer_dir}/check_reader_build.cmake)
set_tests_properties(consumer.install consumer.reader-alone PROPERTIES LABELS consumer TIMEOUT 900)

add_test(NAME consumer.cuda-choices COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D SCRATCH=${scratch}/cuda
         -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER} -P ${consumer_dir}/check_cuda_choices.cmake)
set_tests_properties(consumer.cuda-choices PROPERTIES LABELS consumer TIMEOUT 300)
