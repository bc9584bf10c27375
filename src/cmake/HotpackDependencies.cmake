# Libraries that hotpack uses. Those of the command are required only if the command is built.
# With HOTPACK_STATIC, all of them must be archives; scripts/wheel builds those that distributions do not have.
set(HOTPACK_LIBRARY_ENDING "")
set(HOTPACK_MISSING_LIBRARY "scripts/setup installs it or prints the package's name")
if(HOTPACK_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  add_link_options(-Wl,--gc-sections) # archives bring more than is used
  set(HOTPACK_LIBRARY_ENDING ".a")
  set(HOTPACK_MISSING_LIBRARY "HOTPACK_STATIC needs an archive of every library; scripts/wheel builds those that the system does not have")
endif()

# hotpack_find(TARGET HEADER … LIBRARIES …): an imported target from a header and library names, for packages whose
# CMake files not every distribution ships. Fails with the name of what is missing and the script that installs it.
function(hotpack_find target)
  cmake_parse_arguments(FIND "" "HEADER" "LIBRARIES" ${ARGN})
  string(MAKE_C_IDENTIFIER "HOTPACK_${target}" prefix)
  find_path(${prefix}_INCLUDE ${FIND_HEADER})
  if(NOT ${prefix}_INCLUDE)
    message(FATAL_ERROR "${FIND_HEADER} was not found; scripts/setup installs it or prints the package's name")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${${prefix}_INCLUDE})
  foreach(library IN LISTS FIND_LIBRARIES)
    find_library(${prefix}_${library} ${library})
    if(NOT ${prefix}_${library})
      message(FATAL_ERROR "lib${library}${HOTPACK_LIBRARY_ENDING} was not found; ${HOTPACK_MISSING_LIBRARY}")
    endif()
    target_link_libraries(${target} INTERFACE ${${prefix}_${library}})
  endforeach()
endfunction()

# For packages whose CMake files choose the kind of library themselves.
function(hotpack_make_dependencies_static)
  get_target_property(kind TBB::tbb TYPE)
  if(NOT kind STREQUAL "STATIC_LIBRARY")
    message(FATAL_ERROR "libtbb.a was not found; ${HOTPACK_MISSING_LIBRARY}")
  endif()
  # what an archive of FreeType uses in turn
  hotpack_find(hotpack_brotli HEADER brotli/decode.h LIBRARIES brotlidec brotlicommon)
  target_link_libraries(Freetype::Freetype INTERFACE PNG::PNG hotpack_brotli)
  # spdlog's headers use a shared libfmt; that has headers for all of it, too
  get_target_property(libraries spdlog::spdlog_header_only INTERFACE_LINK_LIBRARIES)
  list(TRANSFORM libraries REPLACE "^fmt::fmt$" "fmt::fmt-header-only")
  set_target_properties(spdlog::spdlog_header_only PROPERTIES INTERFACE_LINK_LIBRARIES "${libraries}")
endfunction()

hotpack_find(hotpack_zstd HEADER zstd.h LIBRARIES zstd)
hotpack_find(hotpack_highway HEADER hwy/highway.h LIBRARIES hwy)
hotpack_find(hotpack_xxhash HEADER xxhash.h)                    # header-only, compiled into base
hotpack_find(hotpack_json HEADER nlohmann/json.hpp)             # header-only

if(HOTPACK_BUILD STREQUAL "all")
  find_package(JPEG REQUIRED)
  find_package(PNG 1.6 REQUIRED)
  hotpack_find(hotpack_libdeflate HEADER libdeflate.h LIBRARIES deflate)
  find_package(TBB REQUIRED)
  find_package(spdlog REQUIRED)
  hotpack_find(hotpack_cli11 HEADER CLI/CLI.hpp)                # header-only
  hotpack_find(hotpack_utf8proc HEADER utf8proc.h LIBRARIES utf8proc)
  hotpack_find(hotpack_pcre2 HEADER pcre2.h LIBRARIES pcre2-8)
  find_package(Freetype REQUIRED)
  # A TrueType font to embed. What hotpack draws with it, it draws everywhere: no font is needed where it runs.
  find_file(HOTPACK_FONT DejaVuSans.ttf
    PATHS /usr/share/fonts /usr/local/share/fonts /opt/homebrew/share/fonts /Library/Fonts $ENV{HOME}/Library/Fonts
    PATH_SUFFIXES truetype truetype/dejavu dejavu-sans-fonts dejavu TTF DOC "The font of contact sheets")
  if(NOT HOTPACK_FONT)
    message(FATAL_ERROR "DejaVuSans.ttf was not found; scripts/setup installs it or prints the package's name; -D HOTPACK_FONT=FILE.ttf names another font")
  endif()
  if(HOTPACK_STATIC)
    hotpack_make_dependencies_static()
  endif()
elseif(NOT HOTPACK_BUILD STREQUAL "reader")
  message(FATAL_ERROR "HOTPACK_BUILD is '${HOTPACK_BUILD}'; it must be 'all' or 'reader'")
endif()
