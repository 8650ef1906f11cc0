#include "cli/file_claims.h"

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

#include "takt/core/bytes.h"
#include "takt/sim/recording.h"

namespace takt::cli {
namespace {

// The first eight bytes, or nothing of a shorter file.
bool begins_like_a_recording(std::FILE* file) {
  std::array<std::byte, 8> head{};
  return std::fread(head.data(), 1, head.size(), file) == head.size() &&
         load_little_endian<std::uint64_t>(head.data()) == sim::kRecordingMagic;
}

}  // namespace

void FileClaims::add_input(const std::string& option, const std::string& path) {
  if (!path.empty()) inputs_.push_back({option, path, find_place(path)});
}

void FileClaims::add_replaceable_input(const std::string& option, const std::string& path,
                                       const std::string& successor) {
  if (!path.empty()) inputs_.push_back({option, path, find_place(path), OutputKind::kFile, successor});
}

void FileClaims::add_input_folder(const std::string& option, const std::string& path) {
  if (!path.empty()) input_folders_.push_back({option, path, find_place(path)});
}

void FileClaims::add_output(const std::string& option, const std::string& path, OutputKind kind) {
  if (!path.empty()) outputs_.push_back({option, path, find_output_place(path), kind});
}

std::string FileClaims::conflict_of(const Claim& output) const {
  for (const Claim& input : inputs_) {
    if (!same_file(output.place, input.place)) continue;
    // A stream is written directly, so it cannot replace what was read from it.
    if (input.successor == output.option && output.place.kind != FilePlace::Kind::kStream) continue;
    return output.option + " " + output.path + " and " + input.option + " " + input.path +
           " name one file; give " + output.option + " another name";
  }
  for (const Claim& earlier : outputs_) {
    if (&earlier == &output) break;
    if (!same_file(output.place, earlier.place)) continue;
    return earlier.option + " " + earlier.path + " and " + output.option + " " + output.path +
           " name one file; give each a name of its own";
  }
  return {};
}

// Empty = the output may be written.
std::string FileClaims::refusal_to_replace(const Claim& output) const {
  std::string const name = output.option + " " + output.path + ": ";
  if (output.place.kind == FilePlace::Kind::kFolder) return name + "is a directory; name a file in it";
  if (output.place.kind != FilePlace::Kind::kFile || output.place.size_bytes == 0) return {};
  errno = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> const file(std::fopen(output.place.path.c_str(), "rbe"),
                                                             std::fclose);
  if (!file && output.kind != OutputKind::kFile)
    return name + "a file exists and cannot be read: " + std::strerror(errno) + "; name another file";
  if (file && begins_like_a_recording(file.get())) {
    if (output.kind == OutputKind::kForcedRecording) return {};
    return name + (output.kind == OutputKind::kRecording
                       ? "the recording exists; add --force to replace it, or name another file"
                       : "the file is a recording, which only --record with --force replaces; name another "
                         "file");
  }
  for (const Claim& folder : input_folders_) {
    if (lies_in(output.place, folder.place))
      return name + "the file exists in the folder of " + folder.option + " " + folder.path +
             "; name another file";
  }
  if (output.kind == OutputKind::kFile) return {};
  return name + "the file exists and is not a recording; name another file";
}

Result<Unit, server::FileError> FileClaims::check() const {
  for (const Claim& output : outputs_) {
    if (std::string text = conflict_of(output); !text.empty()) return server::FileError{std::move(text)};
  }
  for (const Claim& output : outputs_) {
    if (std::string text = refusal_to_replace(output); !text.empty())
      return server::FileError{std::move(text)};
  }
  return Unit{};
}

}  // namespace takt::cli
