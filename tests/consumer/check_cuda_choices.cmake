# HOTPACK_CUDA where there is no nvcc: ON is an error that says what was looked for, AUTO goes on and says why there are no kernels; another
# word is refused. nvcc's folders are hidden from the search, so machines with a toolkit show the same. An nvcc that was named and is no
# program is the reason too, although another one could be found.
#
# cmake -D SOURCE=… -D SCRATCH=… -D GENERATOR=… -D COMPILER=… -P check_cuda_choices.cmake
file(REMOVE_RECURSE ${SCRATCH})
set(hidden /usr/local/cuda/bin)
cmake_path(CONVERT "$ENV{PATH}" TO_CMAKE_PATH_LIST folders)
foreach(folder IN LISTS folders)
  if(EXISTS ${folder}/nvcc)
    list(APPEND hidden ${folder})
  endif()
endforeach()

# A toolkit that can be found: its nvcc says yes to all.
set(toolkit ${SCRATCH}/toolkit)
file(WRITE ${toolkit}/bin/nvcc "#!/bin/sh\necho release 13.0 sm_75\n")
file(CHMOD ${toolkit}/bin/nvcc PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)

# configure(CHOICE [NAME=VALUE of the environment or -DNAME=VALUE …]): the exit status becomes `status`, the text `output`.
function(configure choice)
  set(definitions ${ARGN})
  set(environment ${ARGN})
  list(FILTER definitions INCLUDE REGEX "^-D")
  list(FILTER environment EXCLUDE REGEX "^-D")
  string(MD5 folder "${choice} ${ARGN}")
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=CUDACXX --unset=CUDA_PATH --unset=CUDA_HOME ${environment}
                  ${CMAKE_COMMAND} -S ${SOURCE} -B ${SCRATCH}/${folder} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER}
                  -D HOTPACK_BUILD=reader -D HOTPACK_TESTS=OFF -D HOTPACK_CUDA=${choice} "-DCMAKE_IGNORE_PATH=${hidden}" ${definitions}
                  RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
  string(REGEX REPLACE "[ \n]+" " " text "${text}")
  set(status ${status} PARENT_SCOPE)
  set(output "${text}" PARENT_SCOPE)
endfunction()

configure(ON)
if(status EQUAL 0 OR NOT output MATCHES "nvcc was not found")
  message(FATAL_ERROR "HOTPACK_CUDA=ON without nvcc must fail and say so: ${status}, ${output}")
endif()
configure(AUTO)
if(NOT status EQUAL 0 OR NOT output MATCHES "nvcc was not found")
  message(FATAL_ERROR "HOTPACK_CUDA=AUTO without nvcc must go on and say why there are no kernels: ${status}, ${output}")
endif()
configure(OFF)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "HOTPACK_CUDA=OFF must configure: ${status}, ${output}")
endif()
configure(maybe)
if(status EQUAL 0 OR NOT output MATCHES "must be AUTO, ON or OFF")
  message(FATAL_ERROR "HOTPACK_CUDA=maybe must be refused: ${status}, ${output}")
endif()
configure(ON CUDA_PATH=${toolkit})
if(NOT status EQUAL 0 OR NOT output MATCHES "CUDA kernels: CUDA 13.0, sm_75 and PTX")
  message(FATAL_ERROR "nvcc of CUDA_PATH must be found: ${status}, ${output}")
endif()
foreach(named IN ITEMS -DCMAKE_CUDA_COMPILER=/no/such/nvcc CUDACXX=/no/such/nvcc)
  string(REGEX REPLACE "^-D|=.*" "" name ${named})
  configure(ON ${named} CUDA_PATH=${toolkit})
  if(status EQUAL 0 OR NOT output MATCHES "${name} is '/no/such/nvcc', which is no program")
    message(FATAL_ERROR "HOTPACK_CUDA=ON with a ${name} that does not exist must fail and say so: ${status}, ${output}")
  endif()
  configure(AUTO ${named} CUDA_PATH=${toolkit})
  if(NOT status EQUAL 0 OR NOT output MATCHES "CUDA kernels: none: ${name} is '/no/such/nvcc', which is no program")
    message(FATAL_ERROR "HOTPACK_CUDA=AUTO with a ${name} that does not exist must go on and say why: ${status}, ${output}")
  endif()
endforeach()
