#include "device/kernel_modules.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "base/try.hpp"
#include "device/late_free.hpp"

namespace hotpack::device {
namespace {

constexpr int kOldestMajor = 7, kOldestMinor = 5;  // sm_75

Error no_kernels() {
  return usage_error("hotpack was built without CUDA kernels (" + embedded_kernels_text() +
                     "); build it with HOTPACK_CUDA=ON and nvcc, or use Loader, which needs no "
                     "kernels");
}

struct Capability {
  int major = 0;
  int minor = 0;
  [[nodiscard]] bool too_old() const {
    return major < kOldestMajor || (major == kOldestMajor && minor < kOldestMinor);
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }
};

Result<Capability> capability_of(const Context& context) {
  Ordinal device = 0;
  Capability found;
  HOTPACK_TRY(HOTPACK_DRIVER(context.driver(), DeviceGet, &device, context.ordinal()));
  HOTPACK_TRY(
      HOTPACK_DRIVER(context.driver(), DeviceGetAttribute, &found.major, kAttributeMajor, device));
  HOTPACK_TRY(
      HOTPACK_DRIVER(context.driver(), DeviceGetAttribute, &found.minor, kAttributeMinor, device));
  return found;
}

bool does_not_fit(int code) {
  return code == code::kInvalidImage || code == code::kNoBinaryForGpu ||
         code == code::kInvalidPtx || code == code::kUnsupportedPtxVersion;
}

// Returns an error that says why the driver cannot use the kernels, and what to do.
Error misfit(const Context& context, const Error& failed) {
  HOTPACK_ASSIGN(const Capability capability, capability_of(context));
  const std::string device = "device " + std::to_string(context.ordinal()) +
                             " (compute capability " + capability.text() + ")";
  if (capability.too_old()) {
    return usage_error(device + " is too old: hotpack's kernels need compute capability " +
                       std::to_string(kOldestMajor) + "." + std::to_string(kOldestMinor) +
                       " or newer; choose another device, or use Loader");
  }
  const int version = context.driver().version();
  return usage_error("the driver, which supports CUDA " + std::to_string(version / 1000) + "." +
                     std::to_string(version % 1000 / 10) + ", cannot use hotpack's kernels (" +
                     embedded_kernels_text() + ") on " + device + ": " + failed.message +
                     "; update the driver to one for that version of CUDA, or build hotpack with a "
                     "toolkit that is no newer than the driver");
}

// The modules that were loaded in this process and may still be in use. Never destroyed, because a
// loader may outlive the program's static objects.
struct Known {
  std::mutex mutex;
  std::vector<std::weak_ptr<const KernelModules>> modules;
};

Known& known() {
  static Known& only = *new Known;
  return only;
}

}  // namespace

Result<std::shared_ptr<const KernelModules>> KernelModules::load(
    std::shared_ptr<const Context> context, const KernelImages& images) {
  if (images.empty()) return no_kernels();
  Known& all = known();
  // held while loading: other threads that open the device wait for the kernels
  const std::scoped_lock lock(all.mutex);
  std::erase_if(all.modules, [](const auto& modules) { return modules.expired(); });
  for (const auto& each : all.modules) {
    if (auto modules = each.lock(); modules != nullptr && modules->are(*context, images))
      return modules;
  }
  const std::shared_ptr<KernelModules> modules(new KernelModules(std::move(context)));
  HOTPACK_TRY(modules->load_all(images));
  all.modules.push_back(modules);
  return std::shared_ptr<const KernelModules>(modules);
}

Status KernelModules::load_all(const KernelImages& images) {
  const CurrentContext current(*context_);
  HOTPACK_TRY(current.status());
  modules_.reserve(images.size());  // reserved now, so that push_back cannot fail and lose a module
  for (const KernelImage& image : images) {
    ModuleHandle handle = nullptr;
    const int code =
        take_patiently([&] { return context_->api().ModuleLoadData(&handle, image.bytes.data()); });
    const Status loaded = context_->driver().check("cuModuleLoadData", code);
    if (!loaded.ok())
      return does_not_fit(code) ? misfit(*context_, loaded.error()) : loaded.error();
    modules_.push_back({image, handle});
  }
  return {};
}

bool KernelModules::are(const Context& context, const KernelImages& images) const {
  const auto same = [](const Module& module, const KernelImage& image) {
    return module.image.bytes.data() == image.bytes.data();
  };
  return context_->handle() == context.handle() &&
         std::equal(modules_.begin(), modules_.end(), images.begin(), images.end(), same);
}

KernelModules::~KernelModules() {
  for (const Module& module : modules_) {
    give_back(context_, [&api = context_->api(), handle = module.handle] {
      return api.ModuleUnload(handle);
    });
  }
}

Result<FunctionHandle> KernelModules::find(const std::string& name) const {
  const auto module = std::find_if(modules_.begin(), modules_.end(), [&](const Module& each) {
    return name.starts_with(each.image.prefix);
  });
  FunctionHandle function = nullptr;
  const int code = module == modules_.end()
                       ? code::kNotFound
                       : context_->api().ModuleGetFunction(&function, module->handle, name.c_str());
  if (code == code::kNotFound) {
    return internal_error("kernel " + name + " is in none of the " +
                          std::to_string(modules_.size()) + " modules that were loaded");
  }
  HOTPACK_TRY(context_->driver().check("cuModuleGetFunction", code));
  return function;
}

}  // namespace hotpack::device
