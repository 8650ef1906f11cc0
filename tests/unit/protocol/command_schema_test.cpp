// The lists of fields of the commands against schemas/protocol.fbs: union, names, order and defaults. The
// compiler compares number and types (protocol/messages/command_codec.cpp).
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "protocol/messages/command.h"
#include "schemas/protocol_generated.h"

namespace takt::protocol {
namespace {

struct SchemaField {
  std::string name;
  std::string default_text;  // the text after '='
};

std::string schema() {
  std::ifstream in(std::string(TAKT_SOURCE_DIR) + "/schemas/protocol.fbs");
  std::ostringstream text;
  for (std::string line; std::getline(in, line);) text << line.substr(0, line.find("//")) << '\n';
  return text.str();
}

std::vector<std::string> matches(const std::string& text, const std::string& pattern) {
  std::regex const regex(pattern);
  std::vector<std::string> out;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    out.push_back((*at)[1]);
  return out;
}

std::vector<SchemaField> fields_of(const std::string& text, const std::string& table) {
  auto const body = matches(text, "table " + table + " \\{([^}]*)\\}");
  EXPECT_EQ(body.size(), 1u) << table;
  std::regex const regex("(\\w+):\\[?\\w+\\]?(?: = ([\\w.]+))?;");
  std::vector<SchemaField> out;
  for (std::sregex_iterator at(body.at(0).begin(), body.at(0).end(), regex), end; at != end; ++at)
    out.push_back({(*at)[1], (*at)[2]});
  return out;
}

template <class T, class Rule>
void expect_default(const Field<T, Rule>& field, const SchemaField& schema) {
  EXPECT_EQ(field.name, schema.name);
  if constexpr (std::is_same_v<Rule, Axis>) {
    EXPECT_EQ(wire::EnumNameJointAxis(static_cast<wire::JointAxis>(field.value)), schema.default_text);
  } else if constexpr (std::is_arithmetic_v<T>) {
    double const default_text = schema.default_text.empty() ? 0.0 : std::stod(schema.default_text);
    EXPECT_EQ(field.value, static_cast<T>(default_text)) << schema.name;
  } else if constexpr (requires { field.value.has_value(); }) {
    EXPECT_FALSE(field.value.has_value()) << schema.name;
  } else {
    EXPECT_EQ(schema.default_text, "") << schema.name;
  }
}

template <class C>
void expect_list(const std::vector<SchemaField>& schema) {
  C const command{};
  auto const fields = C::fields(command);
  ASSERT_EQ(std::tuple_size_v<decltype(fields)>, schema.size());
  std::size_t at = 0;
  std::apply([&](const auto&... field) { (expect_default(field, schema[at++]), ...); }, fields);
}

TEST(CommandSchema, EveryListIsItsTablesWithNamesOrderAndDefaults) {
  std::string const text = schema();
  auto const unions = matches(text, "union Command \\{([^}]*)\\}");
  ASSERT_EQ(unions.size(), 1u);
  auto const tables = matches(unions[0], "(\\w+)");
  ASSERT_EQ(tables.size(), std::variant_size_v<Command>);
  [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    (expect_list<std::variant_alternative_t<Index, Command>>(fields_of(text, tables[Index])), ...);
  }
  (std::make_index_sequence<std::variant_size_v<Command>>());
}

}  // namespace
}  // namespace takt::protocol
