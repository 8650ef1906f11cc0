#include "tests/tidy/house_rules.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <regex>

namespace takt::tidy {
namespace {

constexpr std::size_t kMaxLines = 800;                // STYLE.md 'Shape': split by 800
constexpr std::size_t kMaxPublicHeadersAModule = 10;  // STYLE.md 'Shape'
// Each kind of element of a world has its own (CONTRIBUTING.md), and bounds.h is shared with other modules.
constexpr std::size_t kMaxPublicHeadersOfPhysics = 21;

struct Module {
  std::string_view name;
  std::vector<std::string_view> may_include;  // other modules, beside itself
  bool has_private_headers = false;           // others may include its public headers only
};

// DESIGN.md 3, arrow by arrow; threads is docs/adr/0011.
const std::vector<Module>& modules() {
  static const std::vector<Module> kModules{
      {"core", {}, true},
      {"threads", {"core"}, true},
      {"physics", {"core"}, true},
      {"crypto", {"core"}},
      {"schemas", {}},
      {"protocol", {"core", "crypto", "schemas"}},
      {"sim", {"core", "physics", "schemas", "protocol"}},
      {"service_wire", {"core", "schemas", "c"}},
      {"service_client", {"core", "schemas", "c", "service_wire"}},
      {"c", {"core", "threads", "physics", "sim", "schemas", "service_wire", "service_client"}, true},
      {"net", {"core", "crypto", "protocol"}},
      {"server", {"core", "threads", "physics", "crypto", "protocol", "sim", "net"}},
      {"service", {"core", "schemas", "c", "service_wire", "service_client"}},
      {"client", {"core", "physics", "crypto", "protocol", "net", "sim"}, true},
      {"replica", {"core", "physics", "protocol", "sim", "net", "client"}},
      {"cli",
       {"core", "threads", "physics", "crypto", "protocol", "sim", "net", "server", "service", "service_wire",
        "client", "replica"}},
  };
  return kModules;
}

const Module* find_module(std::string_view name) {
  auto const found = std::ranges::find(modules(), name, &Module::name);
  return found == modules().end() ? nullptr : &*found;
}

constexpr std::array<std::string_view, 10> kPublicModules{"core",   "threads", "physics", "sim",     "c",
                                                          "crypto", "server",  "client",  "replica", "cli"};

// Modules in which time, randomness and bytes come in as arguments.
bool is_below_net(std::string_view module) {
  return module == "core" || module == "physics" || module == "crypto" || module == "protocol" ||
         module == "sim";
}

// Modules whose arithmetic and order reach canonical state.
bool is_canonical(std::string_view module) {
  return is_below_net(module) && module != "protocol" && module != "crypto";
}

// The one place below net that prints: the message of a failed assertion.
bool may_include(std::string_view path, std::string_view header) {
  return path == "core/assert.cpp" && header == "cstdio";
}

struct LibraryOwner {
  std::string_view prefix;  // of the path in the #include
  std::vector<std::string_view> modules;
};

const std::vector<LibraryOwner>& library_owners() {
  static const std::vector<LibraryOwner> kOwners{
      {"asio", {"net", "server"}},
      {"flatbuffers/", {"protocol", "sim", "service"}},
      {"boost/", {"server"}},
      {"prometheus/", {"server"}},
      {"spdlog/", {"server"}},
      {"CLI/", {"cli"}},
      {"sodium", {"crypto"}},
      {"openssl/", {"server"}},
      {"xxhash.h", {"core"}},
      {"gtest/", {}},
      {"gmock/", {}},
      {"benchmark/", {}},
      {"btBullet", {}},
  };
  return kOwners;
}

struct BannedHeaders {
  std::string_view why;
  std::vector<std::string_view> names;  // a name that ends in '/' is a folder
};

const std::vector<BannedHeaders>& headers_banned_below_net() {
  static const std::vector<BannedHeaders> kHeaders{
      {"a clock", {"chrono", "ctime", "time.h"}},
      {"threads or their locks",
       {"thread", "mutex", "shared_mutex", "condition_variable", "semaphore", "barrier", "latch", "future",
        "stop_token", "execution", "threads.h", "pthread.h", "sched.h"}},
      {"randomness that did not come in as an argument", {"random"}},
      {"an order that differs between standard libraries", {"unordered_map", "unordered_set"}},
      {"files or streams",
       {"iostream", "istream", "ostream", "fstream", "sstream", "spanstream", "syncstream", "strstream",
        "iomanip", "print", "cstdio", "stdio.h", "filesystem"}},
      {"the locale", {"locale", "clocale", "locale.h", "regex"}},
      {"libm functions, whose bits differ between machines", {"complex", "complex.h", "tgmath.h"}},
      {"the operating system",
       {"unistd.h", "fcntl.h", "dirent.h", "dlfcn.h", "poll.h", "csignal", "signal.h", "netdb.h", "windows.h",
        "winsock2.h", "ws2tcpip.h", "sys/", "netinet/", "arpa/", "linux/"}},
  };
  return kHeaders;
}

bool names_header(std::string_view name, std::string_view include) {
  return name.ends_with('/') ? include.starts_with(name) : include == name;
}

// Algorithms whose result the standard leaves to the library, below std:: and std::ranges::.
// sort is not one of them: its result is unique with a total order of the elements.
constexpr std::array<std::string_view, 10> kAlgorithmsOfUnspecifiedOrder{
    "push_heap",    "pop_heap",          "make_heap", "sort_heap", "nth_element",
    "partial_sort", "partial_sort_copy", "partition", "shuffle",   "sample"};

std::string joined(std::span<const std::string_view> names, std::string_view separator) {
  std::string text;
  for (std::string_view const name : names) {
    if (!text.empty()) text += separator;
    text += name;
  }
  return text;
}

struct BannedWord {
  std::regex pattern;
  std::string_view why;
  bool canonical_only =
      true;  // protocol and crypto may use it: what it chooses to send first changes no state
};

const std::vector<BannedWord>& words_banned_below_net() {
  static const std::vector<BannedWord> kWords = [] {
    std::string const functions =
        "(sin|cos|tan|asin|acos|atan|atan2|sinh|cosh|tanh|asinh|acosh|atanh|sincos|exp|exp2|expm1|log|log2|"
        "log10|log1p|pow|cbrt|hypot|fma|"
        "tgamma|erf)";
    std::vector<BannedWord> words;
    words.push_back({std::regex("\\bstd::" + functions + "f?\\b"),
                     "a libm function, whose bits differ between machines"});
    words.push_back({std::regex("\\b" + functions + "[fl]\\s*\\("),
                     "a libm function, whose bits differ between machines"});
    words.push_back({std::regex("\\bstd::(fmin|fmax)f?\\b"),
                     "its signed zero differs between machines; write a ternary"});
    words.push_back({std::regex("\\blong double\\b"), "a type whose width differs between machines"});
    words.push_back(
        {std::regex("\\b_mm\\w*_(rsqrt|rcp|fn?m(add|sub)\\w*)\\w*|\\bv(recp|rsqrt)[es]\\w*|\\bvfm[as]\\w*"),
         "an approximate or fused instruction, whose bits differ between vendors"});
    words.push_back({std::regex("\\bstd::(ranges::)?(" + joined(kAlgorithmsOfUnspecifiedOrder, "|") + ")\\b"),
                     "its order of equals differs between standard libraries"});
    words.push_back({std::regex("\\bstd::(hash|unordered_\\w+)\\b"),
                     "its order differs between standard libraries", false});
    words.push_back({std::regex("\\bstd::(rand|random_device|mt19937\\w*|\\w+_distribution)\\b"),
                     "randomness that did not come in as an argument", false});
    words.push_back({std::regex("\\brandombytes_\\w+|\\bcrypto_(?!\\w*_seed_)\\w+_(keygen|keypair)\\b"),
                     "randomness that did not come in as an argument", false});
    words.push_back({std::regex("\\bstd::(chrono|thread|jthread|this_thread|async)\\b"),
                     "a clock or a thread that was not handed in", false});
    words.push_back({std::regex("\\b(getenv|setlocale)\\s*\\("), "the machine's surroundings", false});
    return words;
  }();
  return kWords;
}

bool has_word(const std::vector<std::string_view>& words, std::string_view word) {
  return std::ranges::count(words, word) > 0;
}

void find_all(const SourceFile& file, std::string_view in, const std::regex& pattern,
              std::string_view message, std::vector<Finding>& findings) {
  for (std::cregex_iterator at(in.data(), in.data() + in.size(), pattern), end; at != end; ++at) {
    findings.push_back({file.path, line_of(in, static_cast<std::size_t>(at->position())),
                        at->str() + ": " + std::string(message)});
  }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const Finding& finding) {
  return out << finding.path << ':' << finding.line << ": " << finding.message;
}

std::string_view module_of(std::string_view path) {
  for (std::string_view const prefix : {"include/takt/", "takt/"}) {
    if (path.starts_with(prefix)) {
      path.remove_prefix(prefix.size());
      break;
    }
  }
  std::string_view const first = path.substr(0, path.find('/'));
  if (first == path) return {};
  if (path.starts_with("client_sdk/cpp/replica/")) return "replica";
  if (path.starts_with("service/wire/")) return "service_wire";
  if (path.starts_with("service/client/")) return "service_client";
  if (first == "client_sdk") return "client";
  Module const* const module = find_module(first);
  if (module != nullptr) return module->name;
  for (std::string_view const outside : {"tests", "bench", "examples"}) {
    if (first == outside) return outside;
  }
  return {};
}

std::vector<Finding> check_layering(const SourceFile& file) {
  std::vector<Finding> findings;
  std::string_view const from = module_of(file.path);
  Module const* const module = find_module(from);
  bool const is_public = file.path.starts_with("include/takt/");
  for (const Include& include : file.includes) {
    std::string_view const to = module_of(include.path);
    if (!include.angled && to.empty() && module != nullptr) {
      findings.push_back({file.path, include.line,
                          "\"" + include.path + "\" is not written from the root: \"<module>/<file>.h\""});
      continue;
    }
    if (to.empty() || module == nullptr) continue;
    if (find_module(to) == nullptr) {
      findings.push_back({file.path, include.line,
                          std::string(from) + " includes " + include.path + " of " + std::string(to)});
      continue;
    }
    if (to != from && !has_word(module->may_include, to)) {
      findings.push_back({file.path, include.line,
                          std::string(from) + " may not include " + include.path +
                              ": DESIGN.md 3 draws no arrow to " + std::string(to)});
    } else if (to != from && find_module(to)->has_private_headers && !include.path.starts_with("takt/") &&
               !(from == "replica" && to == "client")) {  // two parts of the C++ SDK
      findings.push_back({file.path, include.line,
                          include.path + " is private to " + std::string(to) +
                              "; use a header of include/takt/" + std::string(to)});
    } else if (is_public && !include.path.starts_with("takt/")) {
      findings.push_back(
          {file.path, include.line, "a public header includes " + include.path + ", which is not installed"});
    }
  }
  return findings;
}

std::vector<Finding> check_library_owners(const SourceFile& file) {
  std::vector<Finding> findings;
  std::string_view const from = module_of(file.path);
  if (find_module(from) == nullptr) return findings;
  for (const Include& include : file.includes) {
    for (const LibraryOwner& owner : library_owners()) {
      if (!include.path.starts_with(owner.prefix)) continue;
      if (!has_word(owner.modules, from)) {
        findings.push_back({file.path, include.line,
                            std::string(from) + " does not own the library of <" + include.path + ">"});
      } else if (file.path.starts_with("include/")) {
        findings.push_back(
            {file.path, include.line, "a public header shows the library of <" + include.path + ">"});
      }
    }
  }
  return findings;
}

std::vector<Finding> check_determinism(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!is_below_net(module_of(file.path))) return findings;
  for (const Include& include : file.includes) {
    if (may_include(file.path, include.path)) continue;
    for (const BannedHeaders& banned : headers_banned_below_net()) {
      for (std::string_view const name : banned.names) {
        if (!names_header(name, include.path)) continue;
        findings.push_back({file.path, include.line,
                            "<" + include.path + "> is banned below net: " + std::string(banned.why)});
      }
    }
  }
  for (const BannedWord& word : words_banned_below_net()) {
    if (word.canonical_only && !is_canonical(module_of(file.path))) continue;
    find_all(file, file.code, word.pattern, word.why, findings);
  }
  return findings;
}

std::vector<Finding> check_shape(const SourceFile& file) {
  std::vector<Finding> findings;
  if (!file.is_code()) return findings;
  auto const lines = static_cast<std::size_t>(std::ranges::count(file.text, '\n'));
  if (lines > kMaxLines)
    findings.push_back(
        {file.path, 0, std::to_string(lines) + " lines; split by noun before " + std::to_string(kMaxLines)});
  std::string const name = file.path.substr(file.path.rfind('/') + 1);
  static const std::regex kSnakeCase("[a-z0-9]+(_[a-z0-9]+)*\\.(h|cpp|c)");
  static const std::regex kVague("(^|_)(utils?|common|helpers?|managers?|misc)(_|\\.)");
  if (!std::regex_match(name, kSnakeCase))
    findings.push_back({file.path, 0, "a file is named in snake_case"});
  if (std::regex_search(name, kVague))
    findings.push_back({file.path, 0, "a file is named after one noun, not after a drawer"});
  if (file.is_header() && !file.text.starts_with("//") && !file.text.starts_with("/*")) {
    findings.push_back({file.path, 1, "a header's first lines say what it is and what it does not do"});
  }
  if (file.is_header() && file.text.find("#pragma once") == std::string::npos &&
      file.code.find("#ifndef TAKT_") == std::string::npos) {
    findings.push_back({file.path, 0, "no include guard"});
  }
  static const std::regex kManager("\\b(class|struct)\\s+\\w*(Manager|Helper|Utils?)\\b");
  find_all(file, file.code, kManager, "a type is named after what it is", findings);
  return findings;
}

std::vector<Finding> check_left_behind(const SourceFile& file) {
  std::vector<Finding> findings;
  // Spelled in two halves so that this file does not find itself.
  static const std::regex kUnfinished(
      "\\b("
      "TO"
      "DO|FIX"
      "ME|X"
      "XX|HA"
      "CK)\\b");
  static const std::regex kMachine(
      "(/ho"
      "me/|/ro"
      "ot/|/wo"
      "rk/|/mnt/|/Us"
      "ers/)\\w");
  find_all(file, file.text, kUnfinished, "unfinished work is an issue, not a comment", findings);
  find_all(file, file.text, kMachine, "a path of somebody's machine", findings);
  if (file.path.starts_with("tests/") && file.is_code()) {
    static const std::regex kNoTest(
        "\\bDISABLED_\\w*|\\bGTEST_SKIP\\b|\\bSUCCEED\\s*\\(\\)|\\b(EXPECT|ASSERT)_TRUE\\s*\\(\\s*true\\s*"
        "\\)");
    find_all(file, file.code, kNoTest, "a test that cannot fail is a defect", findings);
  }
  return findings;
}

std::size_t max_of(std::string_view module) {
  return module == "physics" ? kMaxPublicHeadersOfPhysics : kMaxPublicHeadersAModule;
}

std::vector<Finding> check_public_headers(std::span<const SourceFile> files) {
  std::vector<Finding> findings;
  std::map<std::string_view, std::size_t> count;
  for (const SourceFile& file : files) {
    if (!file.path.starts_with("include/") || !file.is_header()) continue;
    std::string_view const module = module_of(file.path);
    if (std::ranges::count(kPublicModules, module) == 0) {
      findings.push_back(
          {file.path, 0, "only these modules have public headers: " + joined(kPublicModules, ", ")});
    } else if (++count[module] == max_of(module) + 1) {
      findings.push_back(
          {file.path, 0,
           std::string(module) + " has more than " + std::to_string(max_of(module)) + " public headers"});
    }
  }
  return findings;
}

}  // namespace takt::tidy
