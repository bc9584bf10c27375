// Makes one run of the splits: passes messages of a split on with its name, and adds up their
// progress, so that people see one count with one total.
//
// The whole observer must outlive the objects. Thread-safety: that of Observer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "settings/observer.hpp"

namespace hotpack::pipeline {

class JoinedProgress final : public Observer {
 public:
  explicit JoinedProgress(Observer& whole) : whole_(whole) {}

  // Begins a stage of several parts with so many samples in all. With 0, and before, progress is
  // passed on unchanged.
  void begin(std::uint64_t samples) { before_ = last_ = {{}, 0, samples, 0, 0, 0}; }
  // Counts the samples of a part as done.
  void end_part(std::uint64_t samples) {
    if (before_.samples_total == 0) return;
    const std::uint64_t done = before_.samples_done + samples;
    before_ = last_;
    before_.samples_done = done;
  }

  void message(Level level, std::string_view text) override { whole_.message(level, text); }
  void progress(const Progress& progress) override {
    Progress joined = progress;
    joined.samples_done += before_.samples_done;
    if (before_.samples_total > 0) joined.samples_total = before_.samples_total;
    joined.bytes_in += before_.bytes_in;
    joined.bytes_out += before_.bytes_out;
    joined.problems += before_.problems;
    last_ = joined;
    last_.samples_total = before_.samples_total;
    whole_.progress(joined);
  }
  [[nodiscard]] bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  Observer& whole_;
  Progress before_, last_;  // before_: of the parts that ended
};

class SplitObserver final : public Observer {
 public:
  SplitObserver(std::string split, Observer& whole) : split_(std::move(split)), whole_(whole) {}
  void message(Level level, std::string_view text) override {
    whole_.message(level, split_ + ": " + std::string(text));
  }
  void progress(const Progress& progress) override { whole_.progress(progress); }
  [[nodiscard]] bool stop_requested() const override { return whole_.stop_requested(); }

 private:
  std::string split_;
  Observer& whole_;
};

}  // namespace hotpack::pipeline
