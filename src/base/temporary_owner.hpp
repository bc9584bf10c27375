// The process that made a temporary file, told by the number in the file's name.
//
// A lock shows that a writer lives only where locks exist and reach every machine. The number says
// the same without locks for the processes of this system: it holds a hash of the system (boot,
// host name, PID namespace), the process ID, a hash of the process's start, and a counter. Numbers
// of earlier versions are random, so they belong to no process here. Thread-safe; never fails: what
// the system does not tell is `unknown`.
#pragma once

#include <cstdint>

namespace hotpack {

enum class Owner {
  alive,    // a running process of this system
  gone,     // a process of this system that has ended
  unknown,  // of another machine, container, boot or version
};

// Returns a number for a temporary file of this process. The counter in it begins again after 256
// files, so create files exclusively, and try the next number if a name exists.
[[nodiscard]] std::uint64_t new_temporary_number();

[[nodiscard]] Owner owner_of(std::uint64_t number);

}  // namespace hotpack
