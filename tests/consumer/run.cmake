# run(COMMAND …): runs a command in the folder SCRATCH (made if need be: nothing is written elsewhere) and stops the script with its output
# when it fails; leaves its output in `output`.
function(run)
  file(MAKE_DIRECTORY ${SCRATCH})
  execute_process(COMMAND ${ARGV} WORKING_DIRECTORY ${SCRATCH} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "${line}\nfailed (${code}):\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()
