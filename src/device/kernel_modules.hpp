// The kernels as they are loaded into one device's context.
//
// Ownership: keeps its Context; unloaded with the last owner. Thread-safe once loaded. Failure: `usage` where hotpack was built without
// kernels, or the driver cannot use those it has (too old for them, or a device older than sm_75), with what to do; else `io`.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "device/handles.hpp"

namespace hotpack::device {

// Compiled kernels: fatbins.
using KernelImages = std::vector<std::span<const std::byte>>;

[[nodiscard]] KernelImages embedded_kernels();       // empty: built without CUDA
[[nodiscard]] std::string embedded_kernels_text();   // "CUDA 13.0, sm_75 … sm_121 and PTX"; "none: …" with why

class KernelModules {
 public:
  [[nodiscard]] static Result<std::shared_ptr<const KernelModules>> load(std::shared_ptr<const Context> context, const KernelImages& images);
  ~KernelModules();
  KernelModules(const KernelModules&) = delete;
  KernelModules& operator=(const KernelModules&) = delete;

  // Looks in every module. Needs the context current.
  [[nodiscard]] Result<FunctionHandle> find(const std::string& name) const;

 private:
  explicit KernelModules(std::shared_ptr<const Context> context) : context_(std::move(context)) {}
  std::shared_ptr<const Context> context_;
  std::vector<ModuleHandle> modules_;
};

}  // namespace hotpack::device
