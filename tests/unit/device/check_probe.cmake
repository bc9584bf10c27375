# cmake -D PROGRAM=… -D WORDS=… -D CODE=… -D TEXT=… -P check_probe.cmake: the program ends with CODE, and its output matches TEXT.
execute_process(COMMAND ${PROGRAM} ${WORDS} OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE code)
if(NOT code STREQUAL CODE OR NOT output MATCHES "${TEXT}")
  message(FATAL_ERROR "it ended with ${code}, expected ${CODE}, and said:\n${output}\nexpected: ${TEXT}")
endif()
