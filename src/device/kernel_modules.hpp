// The kernels in one device's context. They are loaded once, and all current users share them.
//
// Ownership: keeps its Context; the last owner unloads the kernels. Thread-safe. Failure: `usage`
// if hotpack was built without kernels, or if the driver cannot use them (the driver is too old, or
// the device is older than sm_75); the text says what to do. Otherwise `io`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// The compiled kernels (a fatbin), and the prefix that all their names have.
struct KernelImage {
  std::string_view prefix;
  std::span<const std::byte> bytes;
};
using KernelImages = std::vector<KernelImage>;

[[nodiscard]] KernelImages embedded_kernels();  // empty if built without CUDA
// Returns "CUDA 13.0, sm_75 … sm_121 and PTX"; or "none: …" with the reason.
[[nodiscard]] std::string embedded_kernels_text();

class KernelModules {
 public:
  // Returns the kernels for a context. If kernels from the same images are in use in this context,
  // returns those, without a call of the driver; otherwise loads them.
  [[nodiscard]] static Result<std::shared_ptr<const KernelModules>> load(
      std::shared_ptr<const Context> context, const KernelImages& images);
  ~KernelModules();
  KernelModules(const KernelModules&) = delete;
  KernelModules& operator=(const KernelModules&) = delete;

  // Returns the kernel with this name. Searches only in the module whose prefix the name has,
  // because tools that watch calls of the driver report every failed search. The context must be
  // current.
  [[nodiscard]] Result<FunctionHandle> find(const std::string& name) const;

 private:
  struct Module {
    KernelImage image;
    ModuleHandle handle = nullptr;
  };
  explicit KernelModules(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  [[nodiscard]] Status load_all(const KernelImages& images);
  [[nodiscard]] bool are(const Context& context, const KernelImages& images) const;

  std::shared_ptr<const Context> context_;
  std::vector<Module> modules_;
};

}  // namespace hotpack::device
