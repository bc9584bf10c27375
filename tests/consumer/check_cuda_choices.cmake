# HOTPACK_CUDA where there is no nvcc: ON is an error that says what was looked for, AUTO goes on and says why there are no kernels; another
# word is refused. nvcc's folders are hidden from the search, so machines with a toolkit show the same.
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

# configure(CHOICE): the exit status becomes `status`, the text `output`.
function(configure choice)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=CUDACXX --unset=CUDA_PATH --unset=CUDA_HOME ${CMAKE_COMMAND} -S ${SOURCE}
                  -B ${SCRATCH}/${choice} -G ${GENERATOR} -D CMAKE_CXX_COMPILER=${COMPILER} -D HOTPACK_BUILD=reader -D HOTPACK_TESTS=OFF
                  -D HOTPACK_CUDA=${choice} "-DCMAKE_IGNORE_PATH=${hidden}" RESULT_VARIABLE status OUTPUT_VARIABLE text ERROR_VARIABLE text)
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
