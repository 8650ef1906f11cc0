// Prints the golden tables (./dev golden): all, or those whose file name contains the word given. It writes
// no file: a person puts a changed table in place, in a commit of its own that says why.
//
//   print_golden [WORD]            the tables, each after a line "==> <file name>"
//   print_golden --into FOLDER     the same into files of that folder, which must exist; for a first table or
//   a change that was decided
#include <cstdio>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/determinism/golden_tables.h"
#include "tests/scene_file.h"

int main(int argc, char** argv) {
  namespace determinism = takt::determinism;
  bool const into = argc == 3 && std::string_view(argv[1]) == "--into";
  if (argc > 2 && !into) {
    std::fprintf(stderr, "usage: print_golden [WORD] | print_golden --into FOLDER\n");
    return 2;
  }
  std::string_view const word = argc == 2 ? argv[1] : "";
  for (const determinism::Stage& stage : determinism::stages()) {
    for (bool const with_players : {false, true}) {
      std::string const name = determinism::golden_name(stage, with_players);
      if (name.find(word) == std::string::npos) continue;
      takt::sim::Scene const scene = takt::scene_files::load(stage.scene);
      determinism::Chronicle const chronicle =
          with_players ? determinism::play(scene, stage.mode, determinism::kGoldenTicks).chronicle
                       : determinism::run(scene, stage.mode, {}, determinism::kGoldenTicks);
      std::string const text =
          determinism::to_text(determinism::to_golden(chronicle, takt::sim::scene_hash(scene)), name);
      if (into) {
        std::ofstream out(std::string(argv[2]) + "/" + name);
        out << text;
        if (!out.flush()) {
          std::fprintf(stderr, "print_golden: cannot write %s/%s\n", argv[2], name.c_str());
          return 1;
        }
      } else {
        std::printf("==> %s\n%s", name.c_str(), text.c_str());
      }
    }
  }
}
