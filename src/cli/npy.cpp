#include "cli/npy.hpp"

namespace hotpack::cli {

namespace {

std::string shape_text(std::span<const std::uint64_t> shape) {
  std::string text = "(";
  for (const std::uint64_t size : shape) text += std::to_string(size) + ", ";
  if (shape.size() > 1) text.resize(text.size() - 2);  // a tuple of one keeps its comma
  if (shape.size() == 1) text.pop_back();
  return text + ")";
}

}  // namespace

std::string npy_file(ElementType type, std::span<const std::uint64_t> shape,
                     std::span<const std::uint8_t> data) {
  constexpr std::size_t kPrefixBytes = 10;  // magic, version, length of the dictionary
  std::string dictionary = std::string("{'descr': '") + (type == ElementType::u8 ? "|u1" : "<u2") +
                           "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  dictionary.append(63 - (kPrefixBytes + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xFF);
  file += static_cast<char>(dictionary.size() >> 8);
  file += dictionary;
  file.append(reinterpret_cast<const char*>(data.data()), data.size());
  return file;
}

}  // namespace hotpack::cli
