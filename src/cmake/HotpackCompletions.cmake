# Shell completions and man pages, made from `hotpack --help=json` into the folder HOTPACK_COMPLETIONS; empty if there are none: without
# Python, and where the command cannot run on the machine that builds it.
set(HOTPACK_COMPLETIONS "")
if(NOT TARGET hotpack)
  return()
endif()
find_package(Python3 3.9 COMPONENTS Interpreter)
if(NOT Python3_FOUND OR (CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR))
  message(STATUS "Shell completions and man pages: none: they need Python 3.9 and a command that runs here")
  return()
endif()

set(HOTPACK_COMPLETIONS ${PROJECT_BINARY_DIR}/completions)
set(make_completions ${PROJECT_SOURCE_DIR}/scripts/make-completions)
add_custom_command(OUTPUT ${HOTPACK_COMPLETIONS}.stamp
  COMMAND ${Python3_EXECUTABLE} -B ${make_completions} ${HOTPACK_COMPLETIONS} ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:hotpack>
  COMMAND ${CMAKE_COMMAND} -E touch ${HOTPACK_COMPLETIONS}.stamp
  DEPENDS hotpack ${make_completions} COMMENT "Making shell completions and man pages" VERBATIM)
add_custom_target(hotpack_completions ALL DEPENDS ${HOTPACK_COMPLETIONS}.stamp)
