// FileClaims is the set of files that one command reads and writes. A command declares them all, each with
// its option, and calls check() before it creates an output. check() refuses two options that name one file,
// unless both are inputs, or the output may replace the input (add_replaceable_input()). It also refuses
// directories, and existing files that an option must not replace. Files are compared after links and other
// spellings (cli/file_place.h). check() reads the first bytes of existing outputs and changes nothing. `takt
// run`, `serve`, `shot` and `replay seek` use it; the other commands write no files.
#pragma once

#include <string>
#include <vector>

#include "cli/file_place.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"

namespace takt::cli {

/// The kind of an output decides which existing file it may replace. Streams are always written.
enum class OutputKind {
  kFile,             ///< replaces any file but a recording
  kRecording,        ///< replaces an empty file only
  kForcedRecording,  ///< replaces a recording too (--force)
};

class FileClaims {
 public:
  /// `option` names the input in messages: "--inputs", "the scene". An empty path declares nothing.
  void add_input(const std::string& option, const std::string& path);
  /// An input that is read whole before the outputs are created, and that the file output of the option
  /// `successor` may therefore replace: the new file gets its name when it is whole.
  void add_replaceable_input(const std::string& option, const std::string& path,
                             const std::string& successor);
  /// A folder whose files the command reads: an output may be new in it and replaces none of them.
  void add_input_folder(const std::string& option, const std::string& path);
  /// An empty path declares nothing.
  void add_output(const std::string& option, const std::string& path, OutputKind kind);

  /// The error is a line with the options, the path and the remedy; the exit code is kExitBadInput.
  [[nodiscard]] Result<Unit, server::FileError> check() const;

 private:
  struct Claim {
    std::string option;
    std::string path;  // as the user wrote it
    FilePlace place;
    OutputKind kind = OutputKind::kFile;  // of outputs
    std::string successor = {};           // of inputs: the option that may replace it
  };
  std::vector<Claim> inputs_;
  std::vector<Claim> input_folders_;
  std::vector<Claim> outputs_;

  [[nodiscard]] std::string conflict_of(const Claim& output) const;
  [[nodiscard]] std::string refusal_to_replace(const Claim& output) const;
};

}  // namespace takt::cli
