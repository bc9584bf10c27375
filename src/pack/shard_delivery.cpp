#include "pack/shard_delivery.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/interrupted.hpp"
#include "base/try.hpp"
#include "writer/atomic_file.hpp"

namespace hotpack::pipeline {

namespace {

constexpr std::size_t kCopyBytes = std::size_t{4} << 20;

// The text as a word, or a part of one, of every POSIX shell, whatever bytes it has.
std::string posix_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

std::string path_word(const std::string& path) {
  return posix_word(path.starts_with('-') ? "./" + path : path);
}

std::string split_word(const std::string& split) {
  return is_plain_word(split) ? split : posix_word(split);
}

// The command with the path of the shard in place of each {}, and its split in place of {split}.
std::string command_for(const std::string& command, const std::string& path,
                        const std::string& split) {
  const std::array<std::pair<std::string_view, std::string>, 2> words = {
      {{kPathPlace, path_word(path)}, {kSplitPlace, split_word(split)}}};
  std::string text;
  for (std::size_t at = 0; at < command.size();) {
    const std::string_view rest = std::string_view(command).substr(at);
    if (rest.starts_with('$') && rest.substr(1).starts_with(kSplitPlace)) {
      text += "$" + std::string(kSplitPlace);  // a variable of the shell
      at += 1 + kSplitPlace.size();
      continue;
    }
    const auto* const word = std::find_if(
        words.begin(), words.end(), [&](const auto& each) { return rest.starts_with(each.first); });
    text += word == words.end() ? std::string(1, rest.front()) : word->second;
    at += word == words.end() ? 1 : word->first.size();
  }
  return text;
}

// Starts a shell without input, whose standard output is our standard error: ours is for the
// report. Signals that hotpack ignores are as usual for it.
Result<pid_t> start_shell(const std::string& command) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t usual;
  ::sigemptyset(&usual);
  for (const int signal : {SIGPIPE, SIGXFSZ}) ::sigaddset(&usual, signal);
  ::posix_spawnattr_setsigdefault(&attributes, &usual);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string shell = "/bin/sh", option = "-c", text = command;
  char* const arguments[] = {shell.data(), option.data(), text.data(), nullptr};
  pid_t child = 0;
  const int failure =
      ::posix_spawn(&child, shell.c_str(), &actions, &attributes, arguments, environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failure != 0) return io_error("cannot start the command of --on-shard", shell, failure);
  return child;
}

std::string end_text(int status) {
  if (WIFSIGNALED(status)) return "was ended by signal " + std::to_string(WTERMSIG(status));
  return "ended with exit status " + std::to_string(WEXITSTATUS(status));
}

// Copies a file from its first to its last byte, as file systems on object stores need it.
Status copy_in_order(const std::string& source, std::uint64_t bytes, const File& to) {
  HOTPACK_ASSIGN(const File from, File::open_read(source));
  HOTPACK_ASSIGN(const std::uint64_t size, from.size());
  if (size != bytes)
    return Error{
        ErrorCode::io, "changed while it was copied; run the same command again", source, {}};
  std::vector<std::byte> buffer;
  for (std::uint64_t at = 0; at < size; at += buffer.size()) {
    buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(kCopyBytes, size - at)));
    HOTPACK_TRY(from.read_at(at, buffer));
    HOTPACK_TRY(to.write_at(at, buffer));
  }
  return {};
}

// Copies a shard to a file system that may not have renames: there the file gets its final name at
// once, and such file systems show it when it is closed.
Status copy_without_rename(const std::string& source, std::uint64_t bytes,
                           const std::string& target) {
  std::error_code ignored;
  std::filesystem::remove(target, ignored);
  HOTPACK_ASSIGN(File file, File::create_exclusive(target));
  Status copied = copy_in_order(source, bytes, file);
  if (copied.ok()) copied = file.sync_data();
  if (copied.ok()) copied = file.close();
  if (!copied.ok()) std::filesystem::remove(target, ignored);
  return copied;
}

Status copy_shard(const std::string& source, std::uint64_t bytes, const std::string& folder,
                  const std::string& name) {
  {
    HOTPACK_ASSIGN(writer::AtomicFile file, writer::AtomicFile::create(folder, name));
    HOTPACK_TRY(copy_in_order(source, bytes, file.file()));
    Status committed = file.commit();
    if (committed.ok() || committed.error().message.find("cannot rename") == std::string::npos)
      return committed;
  }
  return copy_without_rename(source, bytes, folder + "/" + name);
}

Status remove_shard(const std::string& path) {
  std::error_code failure;
  std::filesystem::remove(path, failure);
  return failure ? io_error("cannot remove the delivered shard", path, failure.value()) : Status();
}

}  // namespace

bool names_split(std::string_view command) {
  for (std::size_t at = command.find(kSplitPlace); at != std::string_view::npos;
       at = command.find(kSplitPlace, at + 1))
    if (at == 0 || command[at - 1] != '$') return true;
  return false;
}

bool is_plain_word(std::string_view text) {
  return text.find_first_not_of(
             "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") ==
         std::string_view::npos;
}

const std::string& writing_folder(const RunOptions& run) {
  return run.scratch.empty() ? run.output : run.scratch;
}

bool gives_shards_away(const RunOptions& run) { return run.output.empty(); }

Status ShardDelivery::deliver(std::uint64_t index, ReceiptShard shard) {
  const std::string name = shard.finished.row.file;
  const std::string written = writing_folder(run_) + "/" + name;
  const bool moves = !run_.scratch.empty() && !run_.output.empty();
  if (moves) HOTPACK_TRY(copy_shard(written, shard.finished.row.bytes, run_.output, name));
  if (!run_.on_shard.empty()) HOTPACK_TRY(hand_over(moves ? run_.output + "/" + name : written));
  if (!run_.scratch.empty()) HOTPACK_TRY(remove_shard(written));
  return book_ == nullptr ? Status() : book_->add(set_, index, std::move(shard));
}

Status ShardDelivery::deliver_kept(std::uint64_t index, ReceiptShard shard) {
  if (book_ == nullptr) return {};
  // A shard with other bytes under the same name is new to the command.
  const ReceiptShard* known = book_->find(set_, index, shard.finished.row.sources);
  if (known != nullptr && known->finished.row == shard.finished.row &&
      known->finished.sums == shard.finished.sums)
    return {};
  if (!run_.on_shard.empty()) HOTPACK_TRY(hand_over(run_.output + "/" + shard.finished.row.file));
  return book_->add(set_, index, std::move(shard));
}

Status ShardDelivery::hand_over(const std::string& path) const {
  HOTPACK_ASSIGN(const pid_t child, start_shell(command_for(run_.on_shard, path, split_)));
  int status = 0;
  if (retry_interrupted([&] { return ::waitpid(child, &status, 0); }) < 0)
    return io_error("cannot wait for the command of --on-shard", path, errno);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  return Error{ErrorCode::io,
               "the command of --on-shard " + end_text(status) +
                   " for this shard; run the same command again to continue",
               path,
               {}};
}

}  // namespace hotpack::pipeline
