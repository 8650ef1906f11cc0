// Writes the golden messages that C++ and JavaScript are held to (golden_messages.h). Run by hand when the
// wire format changes.
//
// usage: write_golden_messages schemas/golden
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "tests/unit/protocol/golden_messages.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden_messages FOLDER\n");
    return 2;
  }
  std::filesystem::create_directories(argv[1]);
  for (auto const& [name, content] : takt::protocol::test::golden_files()) {
    std::ofstream out(std::filesystem::path(argv[1]) / name, std::ios::binary);
    out << content;
    if (!out.flush()) {
      std::fprintf(stderr, "write_golden_messages: cannot write %s/%s\n", argv[1], name.c_str());
      return 1;
    }
  }
}
