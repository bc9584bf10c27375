// The kernels in one device's context, loaded once and shared by all current users.
//
// Ownership: keeps its Context; the last owner unloads the kernels. Thread-safe. Failure: `usage`
// if hotpack was built without kernels, or the driver cannot use them (it is too old, or the
// device is older than sm_75), with what to do; otherwise `io`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// A fatbin, and the prefix of all its kernels' names.
struct KernelImage {
  std::string_view prefix;
  std::span<const std::byte> bytes;
};
using KernelImages = std::vector<KernelImage>;

[[nodiscard]] KernelImages embedded_kernels();  // empty if built without CUDA
// "CUDA 13.0, sm_75 … sm_121 and PTX"; or "none: …" with the reason
[[nodiscard]] std::string embedded_kernels_text();

class KernelModules {
 public:
  // The kernels of a living owner if the context has loaded the same images already, without a
  // call of the driver.
  [[nodiscard]] static Result<std::shared_ptr<const KernelModules>> load(
      std::shared_ptr<const Context> context, const KernelImages& images);
  ~KernelModules();
  KernelModules(const KernelModules&) = delete;
  KernelModules& operator=(const KernelModules&) = delete;

  // Looks only in the module with the name's prefix, because tools that watch calls report one
  // that fails. Needs the context current.
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
