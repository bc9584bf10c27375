# The CUDA kernels, compiled by nvcc and embedded into hotpack_device: hotpack_embed_kernels(TARGET EMBEDDER FOLDER NAMES …).
#
# CMake's CUDA language stays off, so nothing links CUDA, and a build without nvcc differs only in the embedded bytes.
#
#   HOTPACK_CUDA                 AUTO: with kernels if nvcc works; ON: an error if it does not; OFF: without
#   HOTPACK_CUDA_ARCHITECTURES   all-major (default): the first of each generation that nvcc knows, from 75 on; the later ones of a generation run
#                                its kernels. all: every one, twice the time and bytes; a list as 80;90: less. PTX of the newest is added, or
#                                of N where the list has N-virtual: drivers make kernels of it for N and all that is newer, when they load it
#   CMAKE_CUDA_COMPILER, or CUDACXX of the environment   nvcc, by path or name: this one or none
#   CUDA_PATH, CUDA_HOME of the environment              the toolkit's folder
#   CMAKE_CUDA_HOST_COMPILER     the C++ compiler that nvcc uses; the project's by default

set(HOTPACK_CUDA "AUTO" CACHE STRING "CUDA kernels: AUTO (where nvcc works), ON or OFF")
set_property(CACHE HOTPACK_CUDA PROPERTY STRINGS AUTO ON OFF)
set(HOTPACK_CUDA_ARCHITECTURES "all-major" CACHE STRING "Architectures of the kernels: all, all-major, or a list as 80;90")
if(NOT HOTPACK_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "HOTPACK_CUDA is '${HOTPACK_CUDA}'; it must be AUTO, ON or OFF")
endif()

# Flags for kernels. No fused multiply-add, so that results equal the host's bit for bit.
set(HOTPACK_NVCC_OPTIONS -std=c++20 -O3 --fmad=false)

# hotpack_find_nvcc(REASON): sets HOTPACK_NVCC and its facts (_VERSION, _ARCHITECTURES as numbers, _HOST_COMPILER); REASON: why it cannot
# be used, or empty.
function(hotpack_find_nvcc reason)
  hotpack_locate_nvcc(why)
  if(why)
    set(${reason} "${why}" PARENT_SCOPE)
    return()
  endif()
  set(host_compiler ${CMAKE_CXX_COMPILER})
  if(CMAKE_CUDA_HOST_COMPILER)
    set(host_compiler ${CMAKE_CUDA_HOST_COMPILER})
  endif()
  execute_process(COMMAND ${HOTPACK_NVCC} --version OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" matched "${text}")
  set(version ${CMAKE_MATCH_1})
  hotpack_nvcc_architectures(${HOTPACK_NVCC} known)
  hotpack_try_nvcc(${HOTPACK_NVCC} "${version}" ${host_compiler} why)
  set(${reason} "${why}" PARENT_SCOPE)
  set(HOTPACK_NVCC ${HOTPACK_NVCC} PARENT_SCOPE)
  set(HOTPACK_NVCC_VERSION ${version} PARENT_SCOPE)
  set(HOTPACK_NVCC_ARCHITECTURES ${known} PARENT_SCOPE)
  set(HOTPACK_NVCC_HOST_COMPILER ${host_compiler} PARENT_SCOPE)
endfunction()

# Sets HOTPACK_NVCC or the reason. An nvcc that the user named is never replaced by another.
function(hotpack_locate_nvcc why)
  set(${why} "" PARENT_SCOPE)
  set(named nvcc)
  set(missing "nvcc was not found (looked in CUDACXX, CUDA_PATH/bin, CUDA_HOME/bin, PATH and /usr/local/cuda/bin)")
  if(CMAKE_CUDA_COMPILER)
    set(named "${CMAKE_CUDA_COMPILER}")
    set(missing "CMAKE_CUDA_COMPILER is '${named}', which is no program")
  elseif(NOT "$ENV{CUDACXX}" STREQUAL "")
    set(named "$ENV{CUDACXX}")
    set(missing "CUDACXX is '${named}', which is no program")
  endif()
  find_program(nvcc NAMES "${named}" NO_CACHE HINTS ENV CUDA_PATH ENV CUDA_HOME PATH_SUFFIXES bin PATHS /usr/local/cuda/bin)
  if(nvcc)
    set(HOTPACK_NVCC "${nvcc}" PARENT_SCOPE)
  else()
    set(${why} "${missing}" PARENT_SCOPE)
  endif()
endfunction()

# Plain numbers (no 90a, no 100f) that kernels are made for: 75 and newer, in order.
function(hotpack_nvcc_architectures nvcc result)
  execute_process(COMMAND ${nvcc} --list-gpu-code OUTPUT_VARIABLE text ERROR_QUIET)
  string(REGEX MATCHALL "sm_[0-9]+" names "${text}")
  set(numbers)
  foreach(name IN LISTS names)
    string(REPLACE "sm_" "" number ${name})
    if(number GREATER_EQUAL 75)
      list(APPEND numbers ${number})
    endif()
  endforeach()
  list(SORT numbers COMPARE NATURAL)
  list(REMOVE_DUPLICATES numbers)
  set(${result} ${numbers} PARENT_SCOPE)
endfunction()

# Compiles two lines, because a toolkit may not support C++20 or the host's compiler. A success is cached.
function(hotpack_try_nvcc nvcc version host_compiler why)
  set(${why} "" PARENT_SCOPE)
  set(key "${nvcc}|${version}|${host_compiler}|${CMAKE_CXX_COMPILER_VERSION}")
  if(HOTPACK_NVCC_TRIED STREQUAL key)
    return()
  endif()
  set(folder ${PROJECT_BINARY_DIR}/CMakeFiles/hotpack-nvcc)
  file(WRITE ${folder}/try.cu "#include <cstdint>\ntemplate <class T> concept Any = true;\n__global__ void kernel(std::uint32_t) {}\n")
  execute_process(COMMAND ${nvcc} -ccbin ${host_compiler} -std=c++20 --fatbin -o ${folder}/try.fatbin ${folder}/try.cu
                  RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(failed)
    string(REGEX MATCH "[^\n]*([Ee]rror|fatal)[^\n]*" line "${text}")
    set(${why} "${nvcc} (CUDA ${version}) cannot compile C++20 with ${host_compiler}: ${line}" PARENT_SCOPE)
  else()
    set(HOTPACK_NVCC_TRIED "${key}" CACHE INTERNAL "")
  endif()
endfunction()

# 75;80;90;100 of 75;80;86;90;100;103: a generation is the number without its last digit.
function(hotpack_first_of_generations architectures result)
  set(seen)
  set(firsts)
  foreach(number IN LISTS architectures)
    math(EXPR generation "${number} / 10")
    if(NOT generation IN_LIST seen)
      list(APPEND seen ${generation})
      list(APPEND firsts ${number})
    endif()
  endforeach()
  set(${result} ${firsts} PARENT_SCOPE)
endfunction()

# The architectures to build kernels for, checked against those that nvcc supports, and that of the PTX.
function(hotpack_chosen_architectures result result_of_ptx)
  set(chosen ${HOTPACK_CUDA_ARCHITECTURES})
  if(chosen STREQUAL "all")
    set(chosen ${HOTPACK_NVCC_ARCHITECTURES})
  elseif(chosen STREQUAL "all-major")
    hotpack_first_of_generations("${HOTPACK_NVCC_ARCHITECTURES}" chosen)
  endif()
  set(ptx ${chosen})
  list(FILTER chosen EXCLUDE REGEX "-virtual$")
  list(FILTER ptx INCLUDE REGEX "-virtual$")
  list(TRANSFORM ptx REPLACE "-virtual$" "")
  foreach(number IN LISTS chosen ptx)
    if(NOT number IN_LIST HOTPACK_NVCC_ARCHITECTURES)
      message(FATAL_ERROR "HOTPACK_CUDA_ARCHITECTURES has '${number}'; CUDA ${HOTPACK_NVCC_VERSION} makes kernels for "
                          "${HOTPACK_NVCC_ARCHITECTURES}")
    endif()
  endforeach()
  list(SORT chosen COMPARE NATURAL)
  list(REMOVE_DUPLICATES chosen)
  if(NOT chosen)
    message(FATAL_ERROR "HOTPACK_CUDA_ARCHITECTURES is '${HOTPACK_CUDA_ARCHITECTURES}'; it must be all, all-major or a list "
                        "as 80;90 or 75-virtual;90")
  endif()
  list(LENGTH ptx count)
  if(count EQUAL 0)
    list(GET chosen -1 ptx)
  elseif(count GREATER 1)
    message(FATAL_ERROR "HOTPACK_CUDA_ARCHITECTURES is '${HOTPACK_CUDA_ARCHITECTURES}'; it may name one architecture as N-virtual")
  endif()
  set(${result} ${chosen} PARENT_SCOPE)
  set(${result_of_ptx} ${ptx} PARENT_SCOPE)
endfunction()

# "CUDA 13.0, sm_75 … sm_121 and PTX", "CUDA 13.0, sm_90 and PTX of sm_75"
function(hotpack_kernels_text architectures ptx result)
  list(GET architectures -1 newest)
  set(of "")
  if(NOT ptx EQUAL newest)
    set(of " of sm_${ptx}")
  endif()
  list(TRANSFORM architectures PREPEND "sm_")
  list(LENGTH architectures count)
  if(count GREATER 3)
    list(GET architectures 0 first)
    list(GET architectures -1 last)
    set(names "${first} … ${last}")
  else()
    list(JOIN architectures ", " names)
  endif()
  set(${result} "CUDA ${HOTPACK_NVCC_VERSION}, ${names} and PTX${of}" PARENT_SCOPE)
endfunction()

# One fatbin of one source, for all architectures, with PTX of one.
function(hotpack_add_fatbin target source output architectures ptx)
  set(codes)
  foreach(number IN LISTS architectures)
    list(APPEND codes -gencode arch=compute_${number},code=sm_${number})
  endforeach()
  list(APPEND codes -gencode arch=compute_${ptx},code=compute_${ptx})
  # The best compression of toolkits before 13 needs a driver of 12.4; that of 13 needs a driver of 13 anyway.
  set(options --compress-mode=size)
  if(HOTPACK_NVCC_VERSION VERSION_LESS 13)
    set(options -Xfatbin=-compress-all)
  endif()
  if(HOTPACK_WERROR)
    list(APPEND options --Werror=all-warnings)
  endif()
  # Without the system's folder, which libraries of other rooms add, because it changes the compiler's order of folders.
  set(folders $<REMOVE_DUPLICATES:$<FILTER:$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>,EXCLUDE,^/usr/include$>>)
  string(REPLACE " " "\\ " target_of_rule "${output}")  # nvcc writes it as it is
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${HOTPACK_NVCC} -ccbin ${HOTPACK_NVCC_HOST_COMPILER} --fatbin ${HOTPACK_NVCC_OPTIONS} --threads 2 ${codes} ${options}
            "-I$<JOIN:${folders},;-I>" -MD -MF ${output}.d -MT ${target_of_rule} -o ${output} ${source}
    DEPENDS ${source} ${HOTPACK_NVCC}
    DEPFILE ${output}.d
    COMMENT "Compiling CUDA kernels ${source}"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# hotpack_embed_kernels(TARGET EMBEDDER FOLDER NAMES …): compiles FOLDER/<name>.cu and gives the C++ source EMBEDDER of the target the
# definitions HOTPACK_KERNELS_TEXT and, if kernels are built, HOTPACK_<NAME>_FATBIN with the path of each. FOLDER/CMakeLists.txt calls
# hotpack_add_fatbins().
function(hotpack_embed_kernels target embedder folder)
  set(reason "HOTPACK_CUDA is OFF")
  if(NOT HOTPACK_CUDA STREQUAL "OFF")
    hotpack_find_nvcc(reason)
    if(reason AND HOTPACK_CUDA STREQUAL "ON")
      message(FATAL_ERROR "HOTPACK_CUDA is ON, but ${reason}; install a CUDA toolkit, set CUDACXX to its nvcc, or use HOTPACK_CUDA=OFF")
    endif()
  endif()
  if(reason)
    message(STATUS "CUDA kernels: none: ${reason}")
    string(REGEX REPLACE "[\"\\;$]" "'" reason "${reason}")
    set_source_files_properties(${embedder} PROPERTIES COMPILE_DEFINITIONS "HOTPACK_KERNELS_TEXT=\"none: ${reason}\"")
    return()
  endif()
  hotpack_chosen_architectures(architectures ptx)
  hotpack_kernels_text("${architectures}" ${ptx} text)
  message(STATUS "CUDA kernels: ${text}")
  set(definitions "HOTPACK_KERNELS_TEXT=\"${text}\"")
  set(fatbins)
  foreach(name IN LISTS ARGN)
    set(fatbin ${CMAKE_CURRENT_BINARY_DIR}/${folder}/${name}.fatbin)
    list(APPEND fatbins ${fatbin})
    string(TOUPPER ${name} name)
    list(APPEND definitions "HOTPACK_${name}_FATBIN=\"${fatbin}\"")
  endforeach()
  set_source_files_properties(${embedder} PROPERTIES COMPILE_DEFINITIONS "${definitions}" OBJECT_DEPENDS "${fatbins}")
  # A separate folder hides the rule from CMake, which would make every C++ source that needs this library's headers wait for nvcc.
  # Ninja finds the rule by the file's name; other generators need the order.
  add_subdirectory(${folder})
  if(NOT CMAKE_GENERATOR MATCHES "Ninja")
    add_dependencies(${target} hotpack_kernels)
  endif()
endfunction()

# In FOLDER's scope: target hotpack_kernels, which builds the fatbins.
function(hotpack_add_fatbins)
  foreach(fatbin IN LISTS fatbins)
    get_filename_component(name ${fatbin} NAME_WE)
    hotpack_add_fatbin(${target} ${CMAKE_CURRENT_SOURCE_DIR}/${name}.cu ${fatbin} "${architectures}" ${ptx})
  endforeach()
  add_custom_target(hotpack_kernels DEPENDS ${fatbins})
endfunction()
