# run(COMMAND …): runs a command and stops the script with its output when it fails; leaves its output in `output`.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE text ERROR_VARIABLE text)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " line)
    message(FATAL_ERROR "${line}\nfailed (${code}):\n${text}")
  endif()
  set(output "${text}" PARENT_SCOPE)
endfunction()
