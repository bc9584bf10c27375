# Driver::load on machines that are played: by the folder in which libcuda.so.1 is looked for, and by the stand-in in it.
set(stand_in "LD_LIBRARY_PATH=$<TARGET_FILE_DIR:hotpack_fake_libcuda>")
add_executable(driver_probe driver_probe.cpp)
target_link_libraries(driver_probe PRIVATE hotpack_device hotpack_compile_options)

set(probe_folder ${CMAKE_CURRENT_BINARY_DIR}/probe)

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
                         ${probe_folder}/relinked/libcuda.so.1 ${HOTPACK_CUDA_STUB} $<TARGET_FILE:hotpack_fake_libcuda>)
endif()

hotpack_add_probe_test("a device" 0 "^CUDA 13000; devices: 1\n0: hotpack fake device .no GPU., 9.0, 0 of 1000 bytes free"
                       "${stand_in};HOTPACK_FAKE_DEVICE_BYTES=1000")
hotpack_add_probe_test("a driver without a function" 1 "^usage: .*too old: it has no cuStreamIsCapturing"
                       "${stand_in};HOTPACK_FAKE_MISSING=cuStreamIsCapturing")
hotpack_add_probe_test("a failure to load is looked into again" 0 "^usage: .*no device.*\nCUDA 13000" "${stand_in};HOTPACK_FAKE_INIT=100" again)
hotpack_add_probe_test("a forked process is reported" 1 "^CUDA 13000.*\nusage: CUDA cannot be used in a process that was forked" "${stand_in}" fork)

# Every function with its version: in the stand-in, and in NVIDIA's library.
add_test(NAME "unit.device: functions of the stand-in" COMMAND driver_probe symbols $<TARGET_FILE:hotpack_fake_libcuda>)
add_test(NAME "unit.device: functions of NVIDIA's library"
         COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/real_libcuda.sh $<TARGET_FILE:driver_probe> ${CMAKE_BINARY_DIR}/libcuda1)
set_tests_properties("unit.device: functions of the stand-in" "unit.device: functions of NVIDIA's library" PROPERTIES LABELS unit
                     TIMEOUT 120 SKIP_RETURN_CODE 77)
