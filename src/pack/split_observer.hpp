// Passes messages and progress of one split on, with the name of the split added.
//
// `whole` must outlive the object. Thread-safety: that of Observer.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "settings/observer.hpp"

namespace hotpack::pipeline {

class SplitObserver final : public Observer {
 public:
  SplitObserver(std::string split, Observer& whole) : split_(std::move(split)), whole_(whole) {}
  void message(Level level, std::string_view text) override {
    whole_.message(level, split_ + ": " + std::string(text));
  }
  void progress(const Progress& progress) override {
    Progress named = progress;
    const std::string stage = std::string(progress.stage) + " " + split_;
    named.stage = stage;
    whole_.progress(named);
  }
  [[nodiscard]] bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  std::string split_;
  Observer& whole_;
};

}  // namespace hotpack::pipeline
