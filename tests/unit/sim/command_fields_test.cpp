// Every command with a value of its own in each field: through the encoding of recordings, to the wire's
// command, through the wire's bytes, and back.
#include <gtest/gtest.h>

#include <string>

#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "schemas/protocol_generated.h"
#include "sim/replication/replication.h"

namespace takt::sim {
namespace {

// Gives each value another number, inside what the protocol accepts.
class Filler {
 public:
  template <class C>
  C make() {
    C command{};
    fill(command);
    return command;
  }

 private:
  template <protocol::HasFields T>
  void fill(T& value) {
    std::apply([this](auto&... field) { (this->fill(field), ...); }, T::fields(value));
  }
  template <class T>
  void fill(std::optional<T>& value) {
    fill(value.emplace(T{}));
  }
  template <class Tag>
  void fill(Id<Tag>& id) {
    id = {next(), next()};
  }
  void fill(Vec3<float>& v) { v = {fraction(), fraction(), fraction()}; }
  void fill(Quat<float>& q) { q = {0, 0.6f, 0, -0.8f}; }
  void fill(Position& p) {
    p.x_raw = next();
    p.y_raw = -std::int64_t{next()};
    p.z_raw = std::int64_t{next()} << 32;
  }
  void fill(Softness& s) { s = Softness::spring(next(), next()); }
  void fill(JointFrame& f) { f = {{0.5 * next(), 0.5 * next(), 0.5 * next()}, {0.6, 0, 0.8, 0}}; }
  void fill(Vec3<double>& v) { v = {0.5 * next(), 0.5 * next(), 0.5 * next()}; }
  void fill(Quat<double>& q) { q = {0, 0.6, 0, -0.8}; }
  void fill(ShapeFilter& f) { f = {next(), next(), -static_cast<std::int32_t>(next())}; }
  template <class T>
  void fill(std::vector<T>& elements) {
    elements.resize(2);
    for (T& element : elements) fill(element);
  }
  void fill(ShapeKind& kind) { kind = ShapeKind::kBox; }
  void fill(BodyType& type) { type = BodyType::kKinematic; }
  void fill(JointKind& kind) { kind = JointKind::kWheel; }
  void fill(RopeMode& mode) { mode = RopeMode::kCompliant; }
  void fill(JointAxis& axis) { axis = JointAxis::kSwing; }
  void fill(std::vector<std::byte>& bytes) { bytes.assign(3, static_cast<std::byte>(next())); }
  void fill(std::string& text) { text = "player " + std::to_string(next()); }
  void fill(bool& value) { value = !value; }
  void fill(float& value) { value = fraction(); }
  void fill(double& value) { value = 0.5 * next(); }
  void fill(std::uint32_t& value) { value = next(); }
  void fill(std::uint64_t& value) { value = std::uint64_t{next()} << 32u | next(); }
  void fill(std::uint8_t& value) { value = 21; }

  std::uint32_t next() { return ++last_; }
  float fraction() { return static_cast<float>(next()) / 1024.0f; }

  std::uint32_t last_ = 0;
};

std::vector<Command> one_of_each() {
  Filler filler;
  return [&]<std::size_t... Index>(std::index_sequence<Index...>) {
    return std::vector<Command>{filler.make<std::variant_alternative_t<Index, Command>>()...};
  }
  (std::make_index_sequence<std::variant_size_v<Command>>());
}

// "MoveGrab" for "move_grab".
std::string table_name(std::string_view name) {
  std::string out;
  for (std::size_t i = 0; i < name.size(); ++i) {
    bool const begins = i == 0 || name[i] == '_';
    if (name[i] == '_') ++i;
    out += begins ? static_cast<char>(name[i] - 'a' + 'A') : name[i];
  }
  return out;
}

TEST(CommandFields, EveryCommandComesBackFromItsEncoding) {
  for (const Command& command : one_of_each()) {
    std::vector<std::byte> bytes;
    encode(Input{1, 2, 3, command}, bytes);
    ByteReader reader(bytes);
    Result<Input, SimError> const back = decode_input(reader);
    ASSERT_TRUE(back) << name_of(command);
    EXPECT_EQ(back->command, command) << name_of(command);
    EXPECT_EQ(reader.remaining(), 0u) << name_of(command);
  }
}

TEST(CommandFields, EveryCommandOfPlayersComesBackFromTheWire) {
  std::size_t players = 0;
  for (const Command& command : one_of_each()) {
    std::optional<protocol::Command> const wire = to_protocol(command);
    if (std::visit([]<class C>(const C&) { return ServerCommand<C>; }, command)) {
      EXPECT_FALSE(wire) << name_of(command);
      continue;
    }
    ASSERT_TRUE(wire) << name_of(command);
    EXPECT_EQ(wire->index(), players++) << name_of(command);
    EXPECT_EQ(wire::EnumNameCommand(static_cast<wire::Command>(players)), table_name(name_of(command)));
    EXPECT_TRUE(protocol::check(*wire).ok()) << name_of(command);
    EXPECT_EQ(to_command(*wire), command) << name_of(command);

    protocol::MessageWriter writer;
    protocol::MessageReader reader;
    protocol::Input const input{7, 8, *wire};
    auto const read = reader.read(writer.write(std::span(&input, 1)), protocol::MessageClass::kDatagram);
    ASSERT_TRUE(read.ok()) << name_of(command);
    auto const& inputs = std::get<protocol::Inputs>(*read).inputs;
    ASSERT_EQ(inputs.size(), 1u) << name_of(command);
    EXPECT_EQ(inputs[0], input) << name_of(command);
    EXPECT_EQ(to_input(inputs[0], 9), (Input{7, 9, 8, command})) << name_of(command);
  }
  EXPECT_EQ(players, std::variant_size_v<protocol::Command>);
}

}  // namespace
}  // namespace takt::sim
