# The installed library, seen from outside. Included by tests/CMakeLists.txt (this folder's CMakeLists.txt is the consumer's own).
set(consumer_dir ${CMAKE_CURRENT_LIST_DIR})

add_executable(make_pack ${consumer_dir}/make_pack.cpp)
target_link_libraries(make_pack PRIVATE hotpack_tiny_shard hotpack_settings)

set(consumer_flags "")
set(check_libraries ON)
if(HOTPACK_SANITIZE)
  set(consumer_flags "-fsanitize=${HOTPACK_SANITIZE}")
  set(check_libraries OFF)  # the sanitizers' own libraries
endif()
set(scratch ${PROJECT_BINARY_DIR}/consumer)

add_test(NAME consumer.install COMMAND ${CMAKE_COMMAND} -D BUILD=${PROJECT_BINARY_DIR} -D SCRATCH=${scratch}/installed
         -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER} -D FLAGS=${consumer_flags} -D MAKE_PACK=$<TARGET_FILE:make_pack> -D HERE=${consumer_dir}
         -D CHECK_LIBRARIES=${check_libraries} -P ${consumer_dir}/check_install.cmake)
set_tests_properties(consumer.install PROPERTIES FIXTURES_SETUP installed)

find_program(HOTPACK_PKG_CONFIG NAMES pkg-config pkgconf)
mark_as_advanced(HOTPACK_PKG_CONFIG)
if(HOTPACK_PKG_CONFIG)
  add_test(NAME consumer.pkg-config COMMAND ${CMAKE_COMMAND} -D SCRATCH=${scratch}/installed -D COMPILER=${CMAKE_CXX_COMPILER}
           -D FLAGS=${consumer_flags} -D PKG_CONFIG=${HOTPACK_PKG_CONFIG} -D HERE=${consumer_dir} -P ${consumer_dir}/check_pkgconfig.cmake)
  set_tests_properties(consumer.pkg-config PROPERTIES FIXTURES_REQUIRED installed LABELS consumer)
endif()

add_test(NAME consumer.reader-alone COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D SCRATCH=${scratch}/reader
         -D GENERATOR=${CMAKE_GENERATOR} -D COMPILER=${CMAKE_CXX_COMPILER} -D LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER} -P ${consumer_dir}/check_reader_build.cmake)
set_tests_properties(consumer.install consumer.reader-alone PROPERTIES LABELS consumer TIMEOUT 600)
