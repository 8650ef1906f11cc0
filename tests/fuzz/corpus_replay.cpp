// A main() for a fuzz target without libFuzzer: runs every file of a corpus and then a bounded number of
// seeded mutations of them, so that every build, of any compiler, exercises the target and a finding of the
// fuzzer stays a regression test once its file is in the corpus. It is not a fuzzer: nothing guides it. ./dev
// fuzz runs the real one.
//
// usage: <program> CORPUS [MUTATIONS] [SEED]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <vector>

#include "takt/core/random.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;

Input g_input;  // what the target is looking at, for the handler below

constexpr char kFindingFile[] = "finding.bin";

// Async-signal-safe: leaves the input of a crash behind and dies of the same signal.
void keep_finding(int signal) {
  int const file = open(kFindingFile, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (file >= 0) {
    [[maybe_unused]] auto const written = write(file, g_input.data(), g_input.size());
    close(file);
  }
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

std::vector<Input> load_corpus(const std::filesystem::path& directory) {
  std::vector<Input> corpus;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return corpus;
}

// One small change: a bit, a byte, a 32-bit extreme, a cut, an insertion or a repeated stretch.
void mutate(Input& input, takt::Random& random) {
  if (input.empty()) input.push_back(0);
  auto const size = static_cast<std::uint32_t>(input.size());
  std::uint32_t const at = random.next_below(size);
  switch (random.next_below(6)) {
    case 0: input[at] = static_cast<std::uint8_t>(input[at] ^ (1u << random.next_below(8))); break;
    case 1: input[at] = static_cast<std::uint8_t>(random.next_u32()); break;
    case 2: {
      static constexpr std::uint32_t kExtremes[] = {0u,          1u,          0x7FFFFFFFu, 0x80000000u,
                                                    0xFFFFFFFFu, 0x7FC00000u, 0x7F800000u};
      std::uint32_t const value = kExtremes[random.next_below(std::size(kExtremes))];
      for (std::uint32_t byte = 0; byte < 4 && at + byte < size; ++byte)
        input[at + byte] = static_cast<std::uint8_t>(value >> (8 * byte));
      break;
    }
    case 3: input.resize(at); break;
    case 4: input.insert(input.begin() + at, static_cast<std::uint8_t>(random.next_u32())); break;
    default: {
      std::uint32_t const length = 1 + random.next_below(size - at < 64 ? size - at : 64);
      Input const stretch(input.begin() + at, input.begin() + at + length);
      input.insert(input.begin() + at, stretch.begin(), stretch.end());
    }
  }
}

// The target gets a block of exactly the input's size, so that AddressSanitizer sees a read one past the end.
void run_target(const Input& input) {
  g_input = input;
  auto const exact = std::make_unique<std::uint8_t[]>(input.size());
  std::ranges::copy(input, exact.get());
  LLVMFuzzerTestOneInput(exact.get(), input.size());
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count < 2) {
    std::fprintf(stderr, "usage: %s CORPUS [MUTATIONS] [SEED]\n", arguments[0]);
    return 2;
  }
  unsigned long const mutations = argument_count > 2 ? std::strtoul(arguments[2], nullptr, 10) : 10'000;
  unsigned long long const seed = argument_count > 3 ? std::strtoull(arguments[3], nullptr, 10) : 1;
  std::vector<Input> const corpus = load_corpus(arguments[1]);
  if (corpus.empty()) {
    std::fprintf(stderr, "%s: the corpus %s is empty\n", arguments[0], arguments[1]);
    return 2;
  }
  for (int const signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(signal, keep_finding);
  std::printf("%zu files, %lu mutations, seed %llu; a crash leaves its input in %s\n", corpus.size(),
              mutations, seed, kFindingFile);
  for (const Input& input : corpus) run_target(input);
  takt::Random random(seed);
  for (unsigned long run = 0; run < mutations; ++run) {
    Input input = corpus[random.next_below(static_cast<std::uint32_t>(corpus.size()))];
    std::uint32_t const changes = 1 + random.next_below(8);
    for (std::uint32_t change = 0; change < changes; ++change) mutate(input, random);
    run_target(input);
  }
  return 0;
}
