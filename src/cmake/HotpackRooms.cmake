# One library target per room. A room reaches only what it links.
#
# Each room sees the public headers, itself, and the rooms it links: in the build tree every room has its own include root, which
# contains one link to the room's folder in src. ARCHITECTURE.md has the diagram; tests/house checks it.

find_package(Threads REQUIRED)

add_library(hotpack_compile_options INTERFACE)
target_compile_features(hotpack_compile_options INTERFACE cxx_std_20)
# No fused multiply-add, because resampling and statistics promise exact bits.
# Sections let the linker drop everything from libhotpack.so that no function of hotpack.h uses.
target_compile_options(hotpack_compile_options INTERFACE -ffp-contract=off -fvisibility=hidden -ffunction-sections -fdata-sections
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual)
# g++ 12 reports uninitialized memory, overlaps and overflows inside std::optional, std::string and std::sort that do not exist.
set(optimized $<CONFIG:Release>)
if(HOTPACK_SANITIZE)
  set(optimized 1)
endif()
target_compile_options(hotpack_compile_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
  $<$<AND:$<CXX_COMPILER_ID:GNU>,${optimized}>:-Wno-restrict;-Wno-stringop-overflow>)
if(HOTPACK_WERROR)
  target_compile_options(hotpack_compile_options INTERFACE -Werror)
endif()
if(HOTPACK_SANITIZE)
  target_compile_options(hotpack_compile_options INTERFACE -fsanitize=${HOTPACK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(hotpack_compile_options INTERFACE -fsanitize=${HOTPACK_SANITIZE})
  # g++ warns that ThreadSanitizer does not know fences. Ours are for streaming stores; locks order the threads.
  target_compile_options(hotpack_compile_options INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
endif()

# Flags that fuzzing needs for all code, including the rooms.
if(NOT HOTPACK_FUZZ STREQUAL "replay" AND NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  message(FATAL_ERROR "HOTPACK_FUZZ=${HOTPACK_FUZZ} needs clang 16 or newer, and the compiler is ${CMAKE_CXX_COMPILER_ID}; scripts/fuzz finds one")
endif()
if(HOTPACK_FUZZ STREQUAL "sanitized")
  target_compile_options(hotpack_compile_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
                                                    -fno-omit-frame-pointer)
  target_link_options(hotpack_compile_options INTERFACE -fsanitize=address,undefined)
elseif(HOTPACK_FUZZ STREQUAL "volume")
  # Only edges: tracing each comparison halves the number of executions.
  target_compile_options(hotpack_compile_options INTERFACE -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
elseif(HOTPACK_FUZZ STREQUAL "coverage")
  target_compile_options(hotpack_compile_options INTERFACE -fprofile-instr-generate -fcoverage-mapping)
  target_link_options(hotpack_compile_options INTERFACE -fprofile-instr-generate)
endif()

# Precompiled headers hide a missing #include, so `dev` builds without them.
set(HOTPACK_PRECOMPILE OFF)
if(CMAKE_BUILD_TYPE STREQUAL "Release" OR HOTPACK_SANITIZE OR NOT HOTPACK_FUZZ STREQUAL "replay")
  set(HOTPACK_PRECOMPILE ON)
endif()

# ccache requires this of a compiler that reads precompiled headers.
function(hotpack_cache_precompiled target)
  target_compile_options(${target} PRIVATE $<IF:$<CXX_COMPILER_ID:GNU>,-fpch-preprocess,SHELL:-Xclang -fno-pch-timestamp>)
endfunction()

# hotpack_add_room(NAME [SMALL] SOURCES … ROOMS … LIBRARIES … PRECOMPILED …)
#   SMALL      for rooms that decide and report while others do the work: a release optimizes for size, which halves the bytes
#   ROOMS      rooms whose headers this one may include (the arrows of the diagram)
#   LIBRARIES  other libraries, private to the room
#   PRECOMPILED  headers that most units of the room read, compiled once; those of every room are added. Not in `dev`, which finds
#                missing #includes
function(hotpack_add_room name)
  cmake_parse_arguments(ROOM "SMALL" "" "SOURCES;ROOMS;LIBRARIES;PRECOMPILED" ${ARGN})
  set(target hotpack_${name})
  add_library(${target} STATIC ${ROOM_SOURCES})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON EXPORT_NAME ${name} CXX_EXTENSIONS OFF)
  add_library(hotpack::${name} ALIAS ${target})

  set(root ${PROJECT_BINARY_DIR}/include-roots/${name})
  file(MAKE_DIRECTORY ${root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/${name} SYMBOLIC)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${root}> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                              $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:hotpack_compile_options>)
  foreach(room IN LISTS ROOM_ROOMS)
    target_link_libraries(${target} PUBLIC hotpack_${room})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ROOM_LIBRARIES})
  if(ROOM_SMALL)
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Os>)
  endif()
  if(ROOM_PRECOMPILED AND HOTPACK_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE <algorithm> <filesystem> <functional> <map> <memory> <optional> <span> <string> <variant>
                                                <vector> ${ROOM_PRECOMPILED})
    hotpack_cache_precompiled(${target})
    # g++ 12 forgets that precompiled headers are the system's and warns about std::string too. `dev` has all warnings.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds;-Wno-stringop-overread>)
  endif()
  set_property(GLOBAL APPEND PROPERTY HOTPACK_ROOMS ${name})
endfunction()

# hotpack_optimize_sources(SOURCE …): optimizes inner loops at -O3, whatever their room uses. Without the precompiled headers: g++ 12
# crashes where their options differ from the source's (-O1 with sanitizers).
function(hotpack_optimize_sources)
  set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O3 SKIP_PRECOMPILE_HEADERS ON)
endfunction()

# hotpack_add_shared_library(TARGET ROOM … EXPORTS …): libhotpack.so, a room and all below it in one shared library for C.
#   EXPORTS  the linker's list of exported symbols; everything else, including the C++ library's templates, stays inside
function(hotpack_add_shared_library target)
  cmake_parse_arguments(SHARED "" "ROOM;EXPORTS" "" ${ARGN})
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/${SHARED_EXPORTS})
  file(STRINGS ${PROJECT_SOURCE_DIR}/include/hotpack/hotpack.h abi_line REGEX "define HOTPACK_ABI_VERSION ")
  string(REGEX REPLACE ".* ([0-9]+)$" "\\1" abi_version "${abi_line}")
  add_library(${target} SHARED ${exports})
  add_library(hotpack::c ALIAS ${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME hotpack EXPORT_NAME c LINKER_LANGUAGE CXX LINK_DEPENDS ${exports}
                        VERSION ${PROJECT_VERSION} SOVERSION ${abi_version})
  target_include_directories(${target} INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,hotpack_${SHARED_ROOM}> hotpack_compile_options)
  if(NOT APPLE)
    # nodelete: dlclose() leaves it mapped, because its SIGBUS handler stays installed.
    target_link_options(${target} PRIVATE LINKER:--version-script=${exports} LINKER:-z,nodelete LINKER:--gc-sections)
  endif()
endfunction()
