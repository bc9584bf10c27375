// The kernels as they are loaded into one device's context, once for all who have it at a time.
//
// Ownership: keeps its Context; unloaded with the last owner. Thread-safe. Failure: `usage` where hotpack was built without
// kernels, or the driver cannot use those it has (too old for them, or a device older than sm_75), with what to do; else `io`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// A fatbin, and what the names of all its kernels begin with.
struct KernelImage {
  std::string_view prefix;
  std::span<const std::byte> bytes;
};
using KernelImages = std::vector<KernelImage>;

[[nodiscard]] KernelImages embedded_kernels();      // empty: built without CUDA
[[nodiscard]] std::string embedded_kernels_text();  // "CUDA 13.0, sm_75 … sm_121 and PTX"; "none: …" with why

class KernelModules {
 public:
  // Those of an owner that lives, where the context has got the same images already: no call of the driver then.
  [[nodiscard]] static Result<std::shared_ptr<const KernelModules>> load(std::shared_ptr<const Context> context,
                                                                         const KernelImages& images);
  ~KernelModules();
  KernelModules(const KernelModules&) = delete;
  KernelModules& operator=(const KernelModules&) = delete;

  // Asks the module that the name's prefix tells alone: a call that fails is an error to tools that watch. Needs the context current.
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
