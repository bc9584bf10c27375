# `cmake --install`: public headers, the static C++ libraries, the shared library for C, files for CMake and pkg-config, and the
# command with its completions and man pages if it is built.
#
# Components: development (headers, static libraries, package files), runtime (libhotpack.so.0), command, documentation; gpu-check, which is
# installed by its name alone.

option(HOTPACK_INSTALL "Make install rules" ${PROJECT_IS_TOP_LEVEL})
if(NOT HOTPACK_INSTALL)
  return()
endif()

include(CMakePackageConfigHelpers)

file(STRINGS ${PROJECT_SOURCE_DIR}/include/hotpack/version.hpp version_line REGEX "define HOTPACK_VERSION ")
if(NOT version_line MATCHES "\"${PROJECT_VERSION}\"")
  message(FATAL_ERROR "include/hotpack/version.hpp and the project's version ${PROJECT_VERSION} differ")
endif()

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/hotpack DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
install(TARGETS hotpack_base hotpack_device hotpack_expand hotpack_format hotpack_loader hotpack_reader EXPORT hotpack-targets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
# A separate export set: a program in C needs nothing that the static libraries need.
install(TARGETS hotpack_c EXPORT hotpack-c-targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT runtime NAMELINK_COMPONENT development)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hotpack)
install(EXPORT hotpack-targets NAMESPACE hotpack:: DESTINATION ${package_dir} COMPONENT development)
install(EXPORT hotpack-c-targets NAMESPACE hotpack:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/hotpack-config.cmake.in ${PROJECT_BINARY_DIR}/hotpack-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/hotpack-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/hotpack-config.cmake ${PROJECT_BINARY_DIR}/hotpack-config-version.cmake
        DESTINATION ${package_dir} COMPONENT development)

# hotpack: the C++ libraries; hotpack-c: the shared library. Both derive their prefix from their location, so an installed tree can move.
file(RELATIVE_PATH HOTPACK_PC_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
foreach(package hotpack hotpack-c)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endforeach()

if(TARGET hotpack)
  install(TARGETS hotpack RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
endif()

# Shell completions and man pages, which HotpackCompletions makes; a build of the command alone lacks them.
if(HOTPACK_COMPLETIONS)
  install(DIRECTORY ${HOTPACK_COMPLETIONS}/ DESTINATION ${CMAKE_INSTALL_DATADIR} COMPONENT command OPTIONAL PATTERN man EXCLUDE)
  install(DIRECTORY ${HOTPACK_COMPLETIONS}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT command OPTIONAL)
endif()

# Tests and benchmarks for a machine with a GPU: a folder that can be copied anywhere.
if(TARGET hotpack_gpu_check)
  set(comparison device_machine.py device_peers.py device_torch.py hotpack_c.py pack_records.py torch_peers.py)
  install(TARGETS hotpack_gpu_check RUNTIME DESTINATION . COMPONENT gpu-check EXCLUDE_FROM_ALL)
  install(PROGRAMS ${PROJECT_SOURCE_DIR}/scripts/gpu-check DESTINATION . COMPONENT gpu-check EXCLUDE_FROM_ALL)
  # The comparison with PyTorch loads the library by its path: one file, no links.
  install(FILES $<TARGET_FILE:hotpack_c> DESTINATION . RENAME $<TARGET_SONAME_FILE_NAME:hotpack_c> COMPONENT gpu-check EXCLUDE_FROM_ALL)
  # The machine with the GPU may lack shared libraries that the build uses. Program and library look next to themselves.
  foreach(file IN ITEMS ${HOTPACK_hotpack_highway_hwy} ${HOTPACK_hotpack_zstd_zstd})
    get_filename_component(file ${file} REALPATH)
    if(file MATCHES "(lib[a-z]+\\.so\\.[0-9]+)")
      install(FILES ${file} DESTINATION . RENAME ${CMAKE_MATCH_1} COMPONENT gpu-check EXCLUDE_FROM_ALL)
    endif()
  endforeach()
  set_target_properties(hotpack_gpu_check hotpack_c PROPERTIES INSTALL_RPATH "$ORIGIN")
  set_target_properties(hotpack_c PROPERTIES BUILD_WITH_INSTALL_RPATH ON) # the bundle has the file of the build
  list(TRANSFORM comparison PREPEND ${PROJECT_SOURCE_DIR}/tests/bench/)
  set(headers hotpack.h hotpack_device.h)  # whose structs it reads
  list(TRANSFORM headers PREPEND ${PROJECT_SOURCE_DIR}/include/hotpack/)
  install(FILES ${comparison} ${PROJECT_SOURCE_DIR}/tests/support/c_structs.py ${headers} DESTINATION . COMPONENT gpu-check EXCLUDE_FROM_ALL)
endif()

# Documents are installed into one folder, unlike in the source, so their links are changed to the installed places. A link to
# something that is not installed becomes plain text.
file(GLOB documents RELATIVE ${PROJECT_SOURCE_DIR} CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/*.md)
list(APPEND documents README.md CHANGELOG.md src/format/FORMAT.md src/loader/ORDER.md src/pack/PLAN.md)

# hotpack_turn_links(DOCUMENT RESULT): the document's text with links for an installed tree. Links to the web and within the
# document stay.
function(hotpack_turn_links document result)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${document})
  file(RELATIVE_PATH headers /prefix/${CMAKE_INSTALL_DOCDIR} /prefix/${CMAKE_INSTALL_INCLUDEDIR})
  cmake_path(GET document PARENT_PATH folder)
  file(READ ${PROJECT_SOURCE_DIR}/${document} text)
  string(REPLACE "](" "@LINK@" text "${text}")  # brackets do not go into lists
  string(REGEX MATCHALL "@LINK@[^)# :]+" links "${text}")
  list(REMOVE_DUPLICATES links)
  foreach(link IN LISTS links)
    string(REPLACE "@LINK@" "" target "${link}")
    cmake_path(APPEND folder ${target} OUTPUT_VARIABLE source)
    cmake_path(NORMAL_PATH source)
    cmake_path(GET source FILENAME name)
    if(source IN_LIST documents OR source STREQUAL "LICENSE")
      string(REPLACE "${link}" "@LINK@${name}" text "${text}")
    elseif(source MATCHES "^include/(.*)")
      string(REPLACE "${link}" "@LINK@${headers}/${CMAKE_MATCH_1}" text "${text}")
    else()
      string(REPLACE "${link}" "@GONE@" text "${text}")
    endif()
  endforeach()
  string(REGEX REPLACE "\\[([^]@[]*)@GONE@[^)]*\\)" "\\1" text "${text}")
  string(REPLACE "@LINK@" "](" text "${text}")
  set(${result} "${text}" PARENT_SCOPE)
endfunction()

foreach(document IN LISTS documents)
  if(NOT EXISTS ${PROJECT_SOURCE_DIR}/${document})
    continue()  # of a tree that was cut down
  endif()
  cmake_path(GET document FILENAME name)
  hotpack_turn_links(${document} text)
  file(WRITE ${PROJECT_BINARY_DIR}/documents/${name} "${text}")
  list(APPEND turned ${PROJECT_BINARY_DIR}/documents/${name})
endforeach()
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${turned} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT documentation OPTIONAL)
