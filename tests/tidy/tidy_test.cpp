// Applies the house rules to the whole tree, and proves each rule by a planted violation that it must find.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/tidy/house_rules.h"
#include "tests/tidy/tree.h"

namespace takt::tidy {
namespace {

using Rule = std::vector<Finding> (*)(const SourceFile&);

void expect_clean_tree(Rule rule) {
  for (const SourceFile& file : tree()) expect_clean(rule(file));
}

// The lines of a planted file that a rule complains about.
Lines lines_found(Rule rule, std::string path, std::string text) {
  return lines_in(rule(make_source_file(std::move(path), std::move(text))));
}

TEST(TidyTree, LoadsTheSourcesItJudges) {
  auto const has = [](std::string_view path) {
    return std::ranges::count(tree(), path, &SourceFile::path) == 1;
  };
  EXPECT_TRUE(has("core/hash.cpp"));
  EXPECT_TRUE(has("include/takt/core/hash.h"));
  EXPECT_TRUE(has("CMakeLists.txt"));
  EXPECT_TRUE(has("dev"));
}
TEST(TidyTree, IncludesFollowTheArrows) { expect_clean_tree(check_layering); }
TEST(TidyTree, LibrariesStayWithTheirOwners) { expect_clean_tree(check_library_owners); }
TEST(TidyTree, NothingBelowNetDependsOnTheMachine) { expect_clean_tree(check_determinism); }
TEST(TidyTree, FilesHaveTheHouseShape) { expect_clean_tree(check_shape); }
TEST(TidyTree, NothingIsLeftBehind) { expect_clean_tree(check_left_behind); }
TEST(TidyTree, PublicHeadersAreFew) { expect_clean(check_public_headers(tree())); }

TEST(TidySourceFile, BlanksCommentsAndLiterals) {
  SourceFile const file = make_source_file(
      "core/a.cpp",
      "int a; // std::sin\n/* std::cos\n */ char const* b = \"std::tan\"; int c = 1'000; char d = '\"';\n");
  EXPECT_EQ(file.code.size(), file.text.size());
  EXPECT_EQ(file.code.find("std::"), std::string::npos);
  EXPECT_NE(file.code.find("int c = 1'000;"), std::string::npos);
  EXPECT_NE(file.code.find("char d"), std::string::npos);
}
TEST(TidySourceFile, BlanksRawLiterals) {
  SourceFile const file = make_source_file("core/a.cpp", "auto a = R\"x(std::sin \" )\" )x\"; std::cos;\n");
  EXPECT_EQ(file.code.find("std::sin"), std::string::npos);
  EXPECT_NE(file.code.find("std::cos"), std::string::npos);
}
TEST(TidySourceFile, ReadsIncludesButNotCommentedOnes) {
  SourceFile const file = make_source_file(
      "core/a.cpp", "#include <vector>\n// #include <thread>\n  #  include \"core/b.h\"  // why\n");
  ASSERT_EQ(file.includes.size(), 2u);
  EXPECT_EQ(file.includes[0].path, "vector");
  EXPECT_TRUE(file.includes[0].angled);
  EXPECT_EQ(file.includes[1].path, "core/b.h");
  EXPECT_FALSE(file.includes[1].angled);
  EXPECT_EQ(file.includes[1].line, 3);
}

TEST(TidyLayering, FindsAnIncludeAgainstTheArrows) {
  EXPECT_EQ(lines_found(check_layering, "physics/island.cpp",
                        "#include <vector>\n#include \"protocol/session.h\"\n"),
            (Lines{2}));
  EXPECT_EQ(lines_found(check_layering, "protocol/session.cpp", "#include \"takt/physics/world.h\"\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_layering, "include/takt/core/id.h", "#include \"takt/sim/room.h\"\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_layering, "client_sdk/cpp/client.cpp", "#include \"server/room.h\"\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_layering, "server/room.cpp", "#include \"schemas/protocol_generated.h\"\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_layering, "core/hash.cpp", "#include \"tests/tidy/house_rules.h\"\n"),
            (Lines{1}));
}
TEST(TidyLayering, FindsAReachIntoAPrivateHeader) {
  EXPECT_EQ(lines_found(check_layering, "sim/room.cpp", "#include \"physics/island.h\"\n"), (Lines{1}));
  EXPECT_EQ(lines_found(check_layering, "include/takt/client/client.h", "#include \"protocol/session.h\"\n"),
            (Lines{1}));
}
TEST(TidyLayering, FindsAnIncludeThatIsNotFromTheRoot) {
  EXPECT_EQ(
      lines_found(check_layering, "physics/island.cpp", "#include \"island.h\"\n#include \"../core/a.h\"\n"),
      (Lines{1, 2}));
}
TEST(TidyLayering, AllowsTheArrows) {
  EXPECT_EQ(lines_found(check_layering, "sim/room.cpp",
                        "#include \"takt/physics/world.h\"\n#include \"protocol/session.h\"\n"),
            Lines{});
  EXPECT_EQ(lines_found(check_layering, "physics/island.cpp",
                        "#include \"physics/island.h\"\n#include <algorithm>\n"),
            Lines{});
  EXPECT_EQ(lines_found(check_layering, "cli/serve.cpp",
                        "#include \"server/app/server.h\"\n#include \"takt/client/client.h\"\n"),
            Lines{});
}

TEST(TidyLibraryOwners, FindsALibraryInAForeignModule) {
  EXPECT_EQ(lines_found(check_library_owners, "sim/room.cpp", "#include <asio.hpp>\n"), (Lines{1}));
  EXPECT_EQ(lines_found(check_library_owners, "net/udp_socket.cpp", "#include <flatbuffers/flatbuffers.h>\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_library_owners, "client_sdk/cpp/client.cpp", "#include <spdlog/spdlog.h>\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_library_owners, "physics/world/world.cpp", "#include <gtest/gtest.h>\n"),
            (Lines{1}));
}
TEST(TidyLibraryOwners, FindsALibraryInAPublicHeader) {
  EXPECT_EQ(
      lines_found(check_library_owners, "include/takt/sim/scene.h", "#include <flatbuffers/flatbuffers.h>\n"),
      (Lines{1}));
}
TEST(TidyLibraryOwners, LeavesLibsodiumToCrypto) {
  EXPECT_EQ(lines_found(check_library_owners, "protocol/link.cpp", "#include <sodium.h>\n"), (Lines{1}));
  EXPECT_EQ(lines_found(check_library_owners, "cli/token.cpp", "#include <sodium/crypto_aead_aes256gcm.h>\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_library_owners, "crypto/secret.cpp", "#include <sodium.h>\n"), Lines{});
}
TEST(TidyLibraryOwners, AllowsTheOwner) {
  EXPECT_EQ(lines_found(check_library_owners, "net/udp_socket.cpp", "#include <asio/ip/udp.hpp>\n"), Lines{});
  EXPECT_EQ(
      lines_found(check_library_owners, "tests/unit/net/udp_socket_test.cpp", "#include <gtest/gtest.h>\n"),
      Lines{});
}

TEST(TidyDeterminism, FindsWhatDependsOnTheMachine) {
  for (std::string_view const planted :
       {"#include <chrono>\n", "#include <unordered_map>\n", "#include <cstdio>\n", "auto a = std::sin(b);\n",
        "auto a = sinf(b);\n", "auto a = std::fma(b, c, d);\n", "auto a = std::atan2(b, c);\n",
        "auto a = _mm_rsqrt_ps(b);\n", "auto a = _mm256_fmadd_ps(b, c, d);\n", "auto a = vrsqrteq_f32(b);\n",
        "long double a;\n", "std::random_device a;\n", "std::hash<int> a;\n", "std::nth_element(a, b, c);\n",
        "std::this_thread::yield();\n", "auto a = std::fmin(b, c);\n", "auto a = getenv(b);\n"}) {
    EXPECT_EQ(lines_found(check_determinism, "physics/island.cpp", std::string(planted)), (Lines{1}))
        << planted;
    EXPECT_EQ(lines_found(check_determinism, "include/takt/sim/room.h", std::string(planted)), (Lines{1}))
        << planted;
    EXPECT_EQ(lines_found(check_determinism, "server/room.cpp", std::string(planted)), Lines{}) << planted;
  }
}
TEST(TidyDeterminism, FindsHeadersOfTheMachine) {
  for (std::string const header : {"chrono",
                                   "ctime",
                                   "time.h",
                                   "thread",
                                   "mutex",
                                   "shared_mutex",
                                   "condition_variable",
                                   "semaphore",
                                   "barrier",
                                   "latch",
                                   "future",
                                   "stop_token",
                                   "execution",
                                   "pthread.h",
                                   "random",
                                   "unordered_map",
                                   "unordered_set",
                                   "iostream",
                                   "fstream",
                                   "sstream",
                                   "cstdio",
                                   "filesystem",
                                   "locale",
                                   "regex",
                                   "complex",
                                   "unistd.h",
                                   "sys/socket.h",
                                   "sys/time.h",
                                   "netinet/in.h",
                                   "arpa/inet.h"}) {
    std::string const planted = "\n#include <" + header + ">\n";
    EXPECT_EQ(lines_found(check_determinism, "physics/island.cpp", planted), (Lines{2})) << header;
    EXPECT_EQ(lines_found(check_determinism, "protocol/session.cpp", planted), (Lines{2})) << header;
    EXPECT_EQ(lines_found(check_determinism, "net/udp_socket.cpp", planted), Lines{}) << header;
  }
}
TEST(TidyDeterminism, FindsRandomnessOfLibsodium) {
  for (std::string const planted :
       {"randombytes_buf(a, 32);", "randombytes_uniform(3);", "crypto_kx_keypair(a, b);",
        "crypto_aead_xchacha20poly1305_ietf_keygen(a);", "#include <ctime>"}) {
    EXPECT_EQ(lines_found(check_determinism, "crypto/secret.cpp", planted + "\n"), (Lines{1})) << planted;
  }
  EXPECT_EQ(lines_found(check_determinism, "crypto/key_exchange.cpp",
                        "crypto_kx_seed_keypair(a, b, c);\ncrypto_generichash(a, 1, b, 2, c, 3);\n"),
            Lines{});
}
TEST(TidyDeterminism, LetsOnlyTheAssertionPrint) {
  EXPECT_EQ(lines_found(check_determinism, "core/assert.cpp", "#include <cstdio>\n#include <thread>\n"),
            (Lines{2}));
  EXPECT_EQ(lines_found(check_determinism, "core/hash.cpp", "#include <cstdio>\n"), (Lines{1}));
}
TEST(TidyDeterminism, FindsAlgorithmsOfUnspecifiedOrder) {
  for (std::string const planted :
       {"push_heap(a, b);", "pop_heap(a, b);", "make_heap(a, b);", "sort_heap(a, b);",
        "nth_element(a, b, c);", "partial_sort(a, b, c);", "partial_sort_copy(a, b, c, d);",
        "partition(a, b, c);", "shuffle(a, b, c);", "sample(a, b, c, d, e);"}) {
    for (std::string const prefix : {"std::", "std::ranges::"}) {
      EXPECT_EQ(lines_found(check_determinism, "physics/island.cpp", "\n" + prefix + planted + "\n"),
                (Lines{2}))
          << prefix << planted;
    }
  }
}
TEST(TidyDeterminism, HoldsProtocolToTimeAndOrderButNotToRounding) {
  EXPECT_EQ(lines_found(check_determinism, "protocol/session.cpp", "std::nth_element(a, b, c);\n"), Lines{});
  EXPECT_EQ(lines_found(check_determinism, "protocol/session.cpp",
                        "#include <chrono>\nstd::unordered_map<int, int> a;\n"),
            (Lines{1, 2}));
}
TEST(TidyDeterminism, AllowsWhatIsExact) {
  EXPECT_EQ(lines_found(check_determinism, "physics/island.cpp",
                        "#include <cmath>\nauto a = std::sqrt(b);\nauto c = sin(d);\nstd::sort(e, f);\n"
                        "std::ranges::sort(e);\nstd::stable_partition(e, f, g);\nauto h = partition(e);\n"),
            Lines{});
}

TEST(TidyShape, FindsEachFault) {
  std::string const header = "// What it is.\n#pragma once\n";
  EXPECT_EQ(lines_found(check_shape, "physics/island.h", header), Lines{});
  EXPECT_EQ(lines_found(check_shape, "physics/island.h", "#pragma once\n"), (Lines{1}));
  EXPECT_EQ(lines_found(check_shape, "physics/island.h", "// What it is.\n"), (Lines{0}));
  EXPECT_EQ(lines_found(check_shape, "physics/solver_utils.h", header), (Lines{0}));
  EXPECT_EQ(lines_found(check_shape, "physics/ContactSolver.h", header), (Lines{0}));
  EXPECT_EQ(lines_found(check_shape, "physics/island.h", header + "class BodyManager;\n"), (Lines{3}));
  EXPECT_EQ(lines_found(check_shape, "physics/island.cpp", std::string(800, '\n')), Lines{});
  EXPECT_EQ(lines_found(check_shape, "physics/island.cpp", std::string(801, '\n')), (Lines{0}));
}

TEST(TidyLeftBehind, FindsEachMark) {
  EXPECT_EQ(lines_found(check_left_behind, "physics/island.cpp",
                        "\n// TO"
                        "DO: later\n"),
            (Lines{2}));
  EXPECT_EQ(lines_found(check_left_behind, "docs/HACKING.md",
                        "see /ho"
                        "me/me/takt\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_left_behind, "tests/unit/a_test.cpp",
                        "TEST(A, DISABLED"
                        "_B) {}\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_left_behind, "tests/unit/a_test.cpp",
                        "EXPECT_TRUE"
                        "(true);\n"),
            (Lines{1}));
  EXPECT_EQ(lines_found(check_left_behind, "tests/unit/a_test.cpp", "EXPECT_TRUE(truth);\n"), Lines{});
}

TEST(TidyPublicHeaders, FindsAHeaderOfAModuleWithoutPublicHeaders) {
  std::vector<SourceFile> const files{make_source_file("include/takt/net/udp_socket.h", "")};
  std::vector<Finding> const findings = check_public_headers(files);
  ASSERT_EQ(findings.size(), 1u);
  EXPECT_TRUE(
      findings[0].message.ends_with(": core, threads, physics, sim, c, crypto, server, client, replica, cli"))
      << findings[0];
}
TEST(TidyPublicHeaders, FindsTheEleventh) {
  std::vector<SourceFile> files;
  for (char letter = 'a'; letter < 'k'; ++letter)
    files.push_back(make_source_file(std::string("include/takt/sim/") + letter + ".h", ""));
  EXPECT_TRUE(check_public_headers(files).empty());
  files.push_back(make_source_file("include/takt/sim/k.h", ""));
  EXPECT_EQ(check_public_headers(files).size(), 1u);
}

}  // namespace
}  // namespace takt::tidy
