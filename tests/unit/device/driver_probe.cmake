# Driver::load on machines that are played: by the folder in which libcuda.so.1 is looked for, and by played_libcuda.cpp in it.
add_executable(driver_probe driver_probe.cpp)
target_link_libraries(driver_probe PRIVATE hotpack_device hotpack_compile_options)

set(probe_folder ${CMAKE_CURRENT_BINARY_DIR}/probe)
add_library(played_libcuda MODULE played_libcuda.cpp)
target_link_libraries(played_libcuda PRIVATE hotpack_compile_options)
set_target_properties(played_libcuda PROPERTIES OUTPUT_NAME cuda SUFFIX .so.1 LIBRARY_OUTPUT_DIRECTORY ${probe_folder}/played)

# hotpack_add_probe_test(NAME CODE TEXT ENVIRONMENT WORDS…): the probe ends with CODE, and its output matches TEXT.
function(hotpack_add_probe_test name code text environment)
  add_test(NAME "unit.device: ${name}"
           COMMAND ${CMAKE_COMMAND} -D PROGRAM=$<TARGET_FILE:driver_probe> -D "WORDS=${ARGN}" -D CODE=${code} -D "TEXT=${text}"
                   -P ${CMAKE_CURRENT_SOURCE_DIR}/check_probe.cmake)
  set_tests_properties("unit.device: ${name}" PROPERTIES LABELS unit TIMEOUT 60 ENVIRONMENT "${environment}")
endfunction()

# A machine without a driver: a file that is no library hides the real one.
file(WRITE ${probe_folder}/none/libcuda.so.1 "")
hotpack_add_probe_test("no library of a driver" 1 "^usage: no CUDA driver on this machine: libcuda.so.1 cannot be opened .*too short"
                       "LD_LIBRARY_PATH=${probe_folder}/none")
# This machine, whatever it is: without devices.
file(MAKE_DIRECTORY ${probe_folder}/empty)
hotpack_add_probe_test("all devices are hidden" 1 "^usage: (no CUDA driver on this machine|.*CUDA_VISIBLE_DEVICES is \"\")"
                       "LD_LIBRARY_PATH=${probe_folder}/empty;CUDA_VISIBLE_DEVICES=")
find_library(HOTPACK_CUDA_STUB cuda NO_CACHE NO_DEFAULT_PATH HINTS ${HOTPACK_CUDA_HEADERS}/.. /usr/local/cuda
             PATH_SUFFIXES lib64/stubs lib/stubs)
if(HOTPACK_CUDA_STUB)
  file(MAKE_DIRECTORY ${probe_folder}/stub)
  file(CREATE_LINK ${HOTPACK_CUDA_STUB} ${probe_folder}/stub/libcuda.so.1 SYMBOLIC)
  hotpack_add_probe_test("a toolkit's stub" 1 "^usage: .*libcuda.so.1 that was found is the stub" "LD_LIBRARY_PATH=${probe_folder}/stub")
  file(MAKE_DIRECTORY ${probe_folder}/relinked)
  hotpack_add_probe_test("a stub does not stay" 0 "^usage: .*is the stub.*\nCUDA 13000" "LD_LIBRARY_PATH=${probe_folder}/relinked" relink
                         ${probe_folder}/relinked/libcuda.so.1 ${HOTPACK_CUDA_STUB} $<TARGET_FILE:played_libcuda>)
endif()

set(played "LD_LIBRARY_PATH=${probe_folder}/played")
hotpack_add_probe_test("a device" 0 "^CUDA 13000.*devices: 1\n0: played device, 9.0, 0 of 1000 bytes free" "${played}")
hotpack_add_probe_test("no device" 1 "^usage: the CUDA driver finds no device" "${played};PLAYED_INIT=100")
hotpack_add_probe_test("a driver without devices" 1 "^usage: the CUDA driver finds no device" "${played};PLAYED_DEVICES=0")
hotpack_add_probe_test("no visible device" 1 "^usage: .*finds no device; CUDA_VISIBLE_DEVICES is \"7\""
                       "${played};PLAYED_INIT=100;CUDA_VISIBLE_DEVICES=7")
hotpack_add_probe_test("an old driver" 1 "^usage: .*too old: it supports CUDA 11.8, .*CUDA 12.0" "${played};PLAYED_VERSION=11080")
hotpack_add_probe_test("a driver without a function" 1 "^usage: .*too old: it has no cuStreamIsCapturing"
                       "${played};PLAYED_MISSING=cuStreamIsCapturing")
hotpack_add_probe_test("a failure to load is looked into again" 0 "^usage: .*no device.*\nCUDA 13000" "${played};PLAYED_INIT=100"
                       again PLAYED_INIT=0)
hotpack_add_probe_test("a forked process is reported" 1 "^CUDA 13000.*\nusage: CUDA cannot be used in a process that was forked" "${played}" fork)
