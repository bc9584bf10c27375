# The C++ program in README.md is the one that the consumer test compiles.
#
# cmake -D README=… -D EXAMPLE=… -P check_readme.cmake
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(FIND "${readme}" "```cpp\n${example}```" place)
if(place EQUAL -1)
  message(FATAL_ERROR "README.md must hold the whole text of tests/consumer/example.cpp in a block that begins with ```cpp")
endif()
