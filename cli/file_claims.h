// FileClaims is the set of files that one command reads and writes. A command declares them all, each with
// its option, and calls check() before it creates an output. check() refuses two options that name one file,
// unless both are inputs, or the output may replace the input (add_replaceable_input()). Several options may
// name one character device, such as /dev/null. check() also refuses an output that is a directory, and
// existing files that an option must not replace. Files are compared after links and other spellings
// (cli/file_place.h). check() reads the first bytes of existing outputs and changes nothing. The
// commands that write files use FileClaims.
#pragma once

#include <string>
#include <vector>

#include "cli/file_place.h"
#include "server/file_bytes.h"
#include "takt/core/result.h"

namespace takt::cli {

/// The kind of an output decides which existing regular file it may replace. Every kind may replace an empty
/// file, and may write to a stream.
enum class OutputKind {
  kFile,             ///< replaces a file that is no recording and is not in an input folder
  kRecording,        ///< replaces no other file
  kForcedRecording,  ///< replaces a recording (--force)
};

class FileClaims {
 public:
  /// `option` names the input in messages: "--inputs", "the scene". An empty path declares nothing.
  void add_input(const std::string& option, const std::string& path);
  /// Declares an input that is read whole before the outputs are created. The output of the option
  /// `successor` may replace it, unless that output is a stream.
  void add_replaceable_input(const std::string& option, const std::string& path,
                             const std::string& successor);
  /// Declares a folder whose files the command reads. Outputs may be new files in it, and replace no file
  /// there except an empty one, or with kForcedRecording a recording.
  void add_input_folder(const std::string& option, const std::string& path);
  /// Declares an output. "-" is the standard output. An empty path declares nothing.
  void add_output(const std::string& option, const std::string& path, OutputKind kind);

  /// Checks all declared files. The error is one line with the options, the path and the remedy; the command
  /// then exits with kExitBadInput.
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
