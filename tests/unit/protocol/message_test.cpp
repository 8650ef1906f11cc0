// Messages there and back, and everything the reader must refuse, each with its error.
#include <flatbuffers/flatbuffers.h>
#include <gtest/gtest.h>

#include <limits>

#include "protocol/messages/message_reader.h"
#include "protocol/messages/message_writer.h"
#include "schemas/protocol_generated.h"
#include "tests/unit/protocol/sample_messages.h"

namespace takt::protocol {
namespace {

std::vector<std::byte> bytes_of(std::span<const std::byte> bytes) { return {bytes.begin(), bytes.end()}; }

// Structural equality by writing again: equal structs give equal bytes, and the writer is deterministic.
std::vector<std::byte> written(const Message& message) {
  MessageWriter writer;
  return bytes_of(writer.write(message));
}

TEST(Message, TheUnionsOrderIsTheWires) {
  auto const samples = test::sample_messages();
  ASSERT_EQ(samples.size(), std::variant_size_v<Message>);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    auto const bytes = written(samples[i]);
    EXPECT_EQ(samples[i].index(), i);
    EXPECT_EQ(static_cast<std::size_t>(wire::GetPacket(bytes.data())->message_type()), i + 1);
  }
  auto const commands = test::sample_commands();
  ASSERT_EQ(commands.size(), std::variant_size_v<Command>);
  MessageWriter writer;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    auto const bytes = bytes_of(writer.write(Inputs{{{1, 1, commands[i]}}, {}}));
    EXPECT_EQ(static_cast<std::size_t>(
                  wire::GetPacket(bytes.data())->message_as_Inputs()->inputs()->Get(0)->command_type()),
              i + 1);
  }
}

TEST(Message, EveryKindRoundTrips) {
  MessageReader reader;
  for (auto const& message : test::sample_messages()) {
    auto const bytes = written(message);
    auto const read = reader.read(bytes, MessageClass::kReliable);
    ASSERT_TRUE(read.ok()) << message.index() << ": " << protocol::message(read.error());
    EXPECT_EQ(read->index(), message.index());
    EXPECT_EQ(written(*read), bytes) << message.index();
  }
}

TEST(Message, InputsRoundTripFieldByField) {
  MessageReader reader;
  auto const commands = test::sample_commands();
  for (std::size_t i = 0; i < commands.size(); ++i) {
    MessageWriter writer;
    Input const input{9, 3, commands[i]};
    auto const read = reader.read(writer.write(std::span(&input, 1)), MessageClass::kDatagram);
    ASSERT_TRUE(read.ok());
    auto const& inputs = std::get<Inputs>(*read);
    ASSERT_EQ(inputs.inputs.size(), 1u);
    EXPECT_EQ(inputs.inputs[0], input) << i;
  }
}

TEST(Message, CarriesTheFileIdentifier) {
  auto const bytes = written(KeepAlive{});
  EXPECT_TRUE(wire::PacketBufferHasIdentifier(bytes.data()));
  auto bent = bytes;
  bent[4] ^= std::byte{1};
  MessageReader reader;
  EXPECT_EQ(reader.read(bent, MessageClass::kDatagram).error(), Error::kVerifierFailed);
}

TEST(Message, EveryTruncationIsRefused) {
  MessageReader reader;
  for (auto const& message : test::sample_messages()) {
    auto const bytes = written(message);
    for (std::size_t n = 0; n < bytes.size(); ++n) {
      auto const read = reader.read(std::span(bytes).first(n), MessageClass::kReliable);
      // A buffer grows backwards, so its last bytes may be padding or the zero of a string; what is still
      // read must be the same message.
      if (read.ok()) {
        EXPECT_EQ(written(*read), bytes) << message.index() << " cut to " << n;
      }
    }
  }
}

TEST(Message, AFullSnapshotPartFitsADatagram) {
  SnapshotPart part;
  part.serial = 1;
  part.tick = 1;
  part.baseline = 1;
  part.deferred = 1;
  part.bodies.resize(kSnapshotBodiesPerPart);
  EXPECT_LE(written(part).size(), kUnreliableBytesMax);
  // And mixed with removals, at the encoder's limit of bytes.
  part.bodies.resize(kSnapshotBodiesPerPart - 1);
  part.removed.assign(kBodyStateBytes / sizeof(BodyId), 1);
  EXPECT_LE(written(part).size(), kUnreliableBytesMax);
}

TEST(Message, AFullListOfRefusalsWithWordsFitsTheReliableChannel) {
  InputAck ack;
  for (std::uint32_t i = 0; i < kCommandOutcomesPerMessage; ++i)
    ack.outcomes.push_back({i + 1, CommandStatus::kRefusedInvalid, ~0ull, CommandRefusal::kGameRefused,
                            std::string(kReasonTextBytesMax, 'x')});
  auto const bytes = written(ack);
  EXPECT_LE(bytes.size(), kReliableBytesMax);
  MessageReader reader;
  auto const read = reader.read(bytes, MessageClass::kReliable);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::get<InputAck>(*read).outcomes, ack.outcomes);
}

TEST(Message, OutcomesWithoutReasonsHaveTheBytesOfBeforeReasons) {
  InputAck const ack{7, 9, 1, {{3, CommandStatus::kMoved, 9, CommandRefusal::kNone, {}}}};
  flatbuffers::FlatBufferBuilder b;
  std::vector<wire::InputOutcome> outcomes{{3, wire::InputStatus::moved, 9}};
  auto const vector = b.CreateVectorOfStructs(outcomes);
  auto const table = wire::CreateInputAck(b, 7, 9, 1, vector);
  wire::FinishPacketBuffer(b, wire::CreatePacket(b, wire::Message::InputAck, table.Union()));
  auto const* const data = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  EXPECT_EQ(written(ack), (std::vector<std::byte>(data, data + b.GetSize())));
}

TEST(Message, APaddedRequestFillsItsDatagramExactly) {
  MessageWriter writer;
  MessageReader reader;
  for (std::size_t name = 0; name <= kPlayerNameBytesMax; ++name) {
    ConnectRequest request;
    request.player_name.assign(name, 'x');
    auto const bytes = bytes_of(writer.write_padded(request, kConnectRequestBytes - kHandshakeHeaderBytes));
    EXPECT_EQ(bytes.size(), kConnectRequestBytes - kHandshakeHeaderBytes);
    auto const read = reader.read(bytes, MessageClass::kDatagram);
    ASSERT_TRUE(read.ok());
    EXPECT_EQ(std::get<ConnectRequest>(*read).player_name, request.player_name);
  }
}

// kAnswerBytesMax of the server, which asserts it.
TEST(Message, NoAnswerToAStrangerIsMoreThan031OfItsRequest) {
  MessageWriter writer;
  EXPECT_LT(
      writer.write(Refuse{~0ull, RefuseReason::kServerFull, std::string(kReasonTextBytesMax, 'x')}).size() +
          kHandshakeHeaderBytes,
      kConnectRequestBytes * 31 / 100);
  EXPECT_LT(writer.write(Challenge{~0ull, {}, {}, {}}).size() + kHandshakeHeaderBytes,
            kConnectRequestBytes * 31 / 100);
}

TEST(Message, SizesAreCapped) {
  MessageReader reader;
  std::vector<std::byte> const large(kReliableBytesMax + 1);
  EXPECT_EQ(reader.read(large, MessageClass::kReliable).error(), Error::kTooLong);
  EXPECT_EQ(reader.read(std::span(large).first(kDatagramBytesMax + 1), MessageClass::kDatagram).error(),
            Error::kTooLong);
  EXPECT_EQ(reader.read({}, MessageClass::kDatagram).error(), Error::kTooShort);
}

TEST(Message, UnknownUnionMembersAreRefused) {
  flatbuffers::FlatBufferBuilder b;
  auto const table = wire::CreatePing(b, 1);
  wire::FinishPacketBuffer(b, wire::CreatePacket(b, static_cast<wire::Message>(200), table.Union()));
  MessageReader reader;
  auto const read = reader.read({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()},
                                MessageClass::kDatagram);
  EXPECT_EQ(read.error(), Error::kBadType);
}

// ---------------------------------------------------------------- values out of range, one field at a time

template <class Make>
Error error_of(Make&& make) {
  flatbuffers::FlatBufferBuilder b;
  auto const [type, offset] = make(b);
  wire::FinishPacketBuffer(b, wire::CreatePacket(b, type, offset));
  MessageReader reader;
  auto const read = reader.read({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()},
                                MessageClass::kReliable);
  EXPECT_FALSE(read.ok());
  return read.ok() ? Error::kQueueFull : read.error();
}

TEST(MessageRange, NamesMustBeShortAndPrintable) {
  for (std::string const& name :
       {std::string(33, 'x'), std::string("a\nb"), std::string("a\x1b[2J"), std::string("\x7f"),
        std::string("\xff"), std::string("\xc3"), std::string("\xc0\xaf"), std::string("\xc2\x9b"),
        std::string("\xed\xa0\x80"), std::string("a\0b", 3)}) {
    EXPECT_EQ(error_of([&](auto& b) {
                auto const text = b.CreateString(name);
                return std::pair(wire::Message::ConnectRequest,
                                 wire::CreateConnectRequest(b, 1, 0, wire::NumbersMode::any,
                                                            wire::ReplicationMode::snapshot, text)
                                     .Union());
              }),
              Error::kOutOfRange);
  }
}

TEST(MessageRange, EnumsMustBeKnown) {
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(
                  wire::Message::ConnectRequest,
                  wire::CreateConnectRequest(b, 1, 0, static_cast<wire::NumbersMode>(3)).Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(wire::Message::ConnectRequest,
                               wire::CreateConnectRequest(b, 1, 0, wire::NumbersMode::any,
                                                          static_cast<wire::ReplicationMode>(4))
                                   .Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(wire::Message::Refuse,
                               wire::CreateRefuse(b, 1, static_cast<wire::RefuseReason>(99)).Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(wire::Message::Disconnect,
                               wire::CreateDisconnect(b, static_cast<wire::DisconnectReason>(99)).Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              std::vector<wire::InputOutcome> outcomes{{1, static_cast<wire::InputStatus>(99), 1}};
              auto const vector = b.CreateVectorOfStructs(outcomes);
              return std::pair(wire::Message::InputAck, wire::CreateInputAck(b, 1, 1, 0, vector).Union());
            }),
            Error::kOutOfRange);
}

TEST(MessageRange, RefusalsAndTextsMustMatchTheOutcomes) {
  auto const ack = [](std::vector<std::uint8_t> refusals, std::vector<std::string> texts) {
    return error_of([&](auto& b) {
      std::vector<wire::InputOutcome> outcomes{{1, wire::InputStatus::refused_invalid, 1},
                                               {2, wire::InputStatus::refused_invalid, 1}};
      auto const vector = b.CreateVectorOfStructs(outcomes);
      std::vector<wire::CommandRefusal> values;
      for (std::uint8_t const value : refusals) values.push_back(static_cast<wire::CommandRefusal>(value));
      auto const list = b.CreateVector(values);
      std::vector<flatbuffers::Offset<flatbuffers::String>> strings;
      for (const std::string& text : texts) strings.push_back(b.CreateString(text));
      auto const words = b.CreateVector(strings);
      return std::pair(wire::Message::InputAck,
                       wire::CreateInputAck(b, 1, 1, 0, vector, list, words).Union());
    });
  };
  EXPECT_EQ(ack({1}, {"", ""}), Error::kOutOfRange);
  EXPECT_EQ(ack({1, 2, 3}, {"", ""}), Error::kOutOfRange);
  EXPECT_EQ(ack({1, 2}, {""}), Error::kOutOfRange);
  EXPECT_EQ(ack({1, 2}, {"", "bell \x07"}), Error::kOutOfRange);
  EXPECT_EQ(ack({1, 2}, {std::string(kReasonTextBytesMax + 1, 'x'), ""}), Error::kOutOfRange);
}

TEST(MessageRange, AReasonOfALaterServerIsReadAsNone) {
  flatbuffers::FlatBufferBuilder b;
  std::vector<wire::InputOutcome> outcomes{{1, wire::InputStatus::refused_limit, 1}};
  auto const vector = b.CreateVectorOfStructs(outcomes);
  auto const list = b.CreateVector(std::vector<wire::CommandRefusal>{static_cast<wire::CommandRefusal>(200)});
  auto const table = wire::CreateInputAck(b, 1, 1, 0, vector, list);
  wire::FinishPacketBuffer(b, wire::CreatePacket(b, wire::Message::InputAck, table.Union()));
  auto const* const data = reinterpret_cast<const std::byte*>(b.GetBufferPointer());
  MessageReader reader;
  auto const read = reader.read(std::span(data, b.GetSize()), MessageClass::kReliable);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(std::get<InputAck>(*read).outcomes.at(0),
            (CommandOutcome{1, CommandStatus::kRefusedLimit, 1, CommandRefusal::kNone, {}}));
}

TEST(MessageRange, AcceptMustMakeSense) {
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(wire::Message::Accept, wire::CreateAccept(b, 1, 1, 1, 0).Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(wire::Message::Accept, wire::CreateAccept(b, 1, 1, 1, 10'001).Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(wire::Message::Accept, wire::CreateAccept(b, 1, 1, 0, 60).Union());
            }),
            Error::kOutOfRange);
}

TEST(MessageRange, CookiesMustHaveTheirSize) {
  EXPECT_EQ(error_of([](auto& b) {
              return std::pair(wire::Message::Challenge, wire::CreateChallenge(b, 1).Union());
            }),
            Error::kMissingField);
  for (std::size_t const size : {0, 15, 17, 1000}) {
    EXPECT_EQ(error_of([&](auto& b) {
                auto const cookie = b.CreateVector(std::vector<std::uint8_t>(size));
                return std::pair(wire::Message::Challenge, wire::CreateChallenge(b, 1, cookie).Union());
              }),
              Error::kOutOfRange);
  }
  EXPECT_EQ(error_of([](auto& b) {
              auto const cookie = b.CreateVector(std::vector<std::uint8_t>(16));
              return std::pair(wire::Message::ChallengeResponse,
                               wire::CreateChallengeResponse(b, cookie).Union());
            }),
            Error::kMissingField);
}

// 16 bytes with a token and 49 with a sealed name, and no other number. GoldenMessages reads both.
TEST(MessageRange, ProofsMustHaveTheirSize) {
  using Vector = flatbuffers::Offset<flatbuffers::Vector<std::uint8_t>>;
  auto const error_with = [](std::size_t token_bytes, bool has_proof, std::size_t proof_bytes) {
    return error_of([&](auto& b) {
      auto const zeros = [&](std::size_t size) { return b.CreateVector(std::vector<std::uint8_t>(size)); };
      auto const token = zeros(token_bytes);
      wire::ConnectRequestBuilder request(b);
      request.add_token(token);
      auto const asked = request.Finish();
      auto const cookie = zeros(16);
      auto const key = zeros(32);
      Vector const proof = has_proof ? zeros(proof_bytes) : Vector();
      return std::pair(wire::Message::ChallengeResponse,
                       wire::CreateChallengeResponse(b, cookie, asked, key, proof).Union());
    });
  };
  for (std::size_t const token_bytes : {0u, 1u, 900u}) {
    EXPECT_EQ(error_with(token_bytes, false, 0), Error::kMissingField);
    for (std::size_t size = 0; size <= 100; ++size) {
      if (size == (token_bytes == 0 ? kNamedProofBytes : kProofBytes)) continue;
      EXPECT_EQ(error_with(token_bytes, true, size), Error::kOutOfRange) << token_bytes << " " << size;
    }
  }
}

TEST(MessageRange, SnapshotPartsMustBeWithinTheirSnapshot) {
  auto const part = [](std::uint32_t serial, std::uint16_t number, std::uint16_t count) {
    return error_of([&](auto& b) {
      return std::pair(wire::Message::Snapshot, wire::CreateSnapshot(b, serial, 1, number, count).Union());
    });
  };
  EXPECT_EQ(part(0, 0, 1), Error::kOutOfRange);
  EXPECT_EQ(part(1, 0, 0), Error::kOutOfRange);
  EXPECT_EQ(part(1, 1, 1), Error::kOutOfRange);
  EXPECT_EQ(part(1, 0, kSnapshotPartsMax + 1), Error::kOutOfRange);
}

TEST(MessageRange, SnapshotNumbersMustBeFinite) {
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (int field = 0; field < 10; ++field) {
      BodyState body;
      body.id = std::uint64_t{1} << 32;
      float* const fields[] = {&body.rotation.x,        &body.rotation.y,         &body.rotation.z,
                               &body.rotation.w,        &body.linear_velocity.x,  &body.linear_velocity.y,
                               &body.linear_velocity.z, &body.angular_velocity.x, &body.angular_velocity.y,
                               &body.angular_velocity.z};
      *fields[field] = bad;
      SnapshotPart part;
      part.serial = 1;
      part.bodies = {body};
      MessageReader reader;
      EXPECT_EQ(reader.read(written(part), MessageClass::kDatagram).error(), Error::kNotFinite) << field;
    }
  }
}

TEST(MessageRange, InputsOfMoversMustBeFinite) {
  for (float const bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()}) {
    for (int field = 0; field < 4; ++field) {
      MoverInput input{std::uint64_t{1} << 32, {}, 0, 0};
      float* const fields[] = {&input.velocity.x, &input.velocity.y, &input.velocity.z, &input.turn};
      *fields[field] = bad;
      SnapshotPart part;
      part.serial = 1;
      part.movers = {input};
      MessageReader reader;
      EXPECT_EQ(reader.read(written(part), MessageClass::kDatagram).error(), Error::kNotFinite) << field;
    }
  }
}

TEST(MessageRange, JoinSlicesMustLieWithinTheirImage) {
  auto const slice = [](std::uint64_t total, std::uint64_t offset, std::size_t bytes) {
    return error_of([&](auto& b) {
      auto const vector = b.CreateVector(std::vector<std::uint8_t>(bytes));
      return std::pair(wire::Message::JoinImage,
                       wire::CreateJoinImage(b, 1, total, 1, offset, vector).Union());
    });
  };
  EXPECT_EQ(slice(10, 11, 0), Error::kOutOfRange);
  EXPECT_EQ(slice(10, 5, 6), Error::kOutOfRange);
  EXPECT_EQ(slice(10, std::numeric_limits<std::uint64_t>::max(), 2), Error::kOutOfRange);
  EXPECT_EQ(slice(1 << 20, 0, kJoinSliceBytes + 1), Error::kOutOfRange);
}

TEST(MessageRange, CountsAreCapped) {
  EXPECT_EQ(error_of([](auto& b) {
              auto const ids = b.CreateVector(std::vector<std::uint64_t>(kRemovedPerMessage + 1, 1));
              return std::pair(wire::Message::BodiesRemoved, wire::CreateBodiesRemoved(b, 1, ids).Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              auto const bytes = b.CreateVector(std::vector<std::uint8_t>(kCustomBytesMax + 1));
              return std::pair(wire::Message::GameEvent, wire::CreateGameEvent(b, 1, bytes).Union());
            }),
            Error::kOutOfRange);
  EXPECT_EQ(error_of([](auto& b) {
              std::vector<flatbuffers::Offset<wire::BodyInfo>> infos;
              for (std::size_t i = 0; i <= kBodyInfosPerMessage; ++i)
                infos.push_back(wire::CreateBodyInfo(b, 1));
              auto const vector = b.CreateVector(infos);
              return std::pair(wire::Message::BodiesAdded, wire::CreateBodiesAdded(b, 1, vector).Union());
            }),
            Error::kOutOfRange);
}

TEST(MessageRange, InputsAreCappedAndAscend) {
  MessageWriter writer;
  MessageReader reader;
  std::vector<Input> many(kInputsPerMessage, Input{1, 0, ReleaseCommand{}});
  for (std::size_t i = 0; i < many.size(); ++i) many[i].sequence = static_cast<std::uint32_t>(i + 1);
  EXPECT_TRUE(reader.read(writer.write(many), MessageClass::kDatagram)
                  .ok());  // the table limit leaves room for a full message
  std::swap(many[3], many[4]);
  EXPECT_EQ(reader.read(writer.write(many), MessageClass::kDatagram).error(), Error::kOutOfRange);
  many.resize(1);
  many[0].sequence = 0;
  EXPECT_EQ(reader.read(writer.write(many), MessageClass::kDatagram).error(), Error::kOutOfRange);
}

TEST(MessageRange, ABadCommandFailsItsInputNotTheOthers) {
  std::vector<Input> inputs{{1, 1, ReleaseCommand{}}, {1, 2, DespawnCommand{0}}, {1, 3, ReleaseCommand{}}};
  MessageWriter writer;
  MessageReader reader;
  auto const read = reader.read(writer.write(inputs), MessageClass::kDatagram);
  ASSERT_TRUE(read.ok());
  auto const& got = std::get<Inputs>(*read);
  ASSERT_EQ(got.inputs.size(), 2u);
  EXPECT_EQ(got.inputs[0].sequence, 1u);
  EXPECT_EQ(got.inputs[1].sequence, 3u);
  EXPECT_EQ(got.invalid_sequences, std::vector<std::uint32_t>{2});
}

TEST(MessageRange, UnknownCommandsAndMissingStructsAreInvalidInputs) {
  flatbuffers::FlatBufferBuilder b;
  auto const impulse = wire::CreateImpulse(b, std::uint64_t{1} << 32);  // no impulse
  auto const first = wire::CreateInput(b, 1, 1, wire::Command::Impulse, impulse.Union());
  auto const second = wire::CreateInput(b, 1, 2, static_cast<wire::Command>(77), impulse.Union());
  auto const third = wire::CreateInput(b, 1, 3);  // no command at all
  auto const vector = b.CreateVector(std::vector{first, second, third});
  wire::FinishPacketBuffer(
      b, wire::CreatePacket(b, wire::Message::Inputs, wire::CreateInputs(b, vector).Union()));
  MessageReader reader;
  auto const read = reader.read({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()},
                                MessageClass::kDatagram);
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(std::get<Inputs>(*read).inputs.empty());
  EXPECT_EQ(std::get<Inputs>(*read).invalid_sequences, (std::vector<std::uint32_t>{1, 2, 3}));
}

// Found by the property test under UBSan: the FlatBuffers verifier lets a vector of 64-bit elements lie at
// any multiple of 4.
TEST(MessageRange, MisalignedVectorsOf64BitElementsAreRefused) {
  int misaligned = 0;
  for (std::size_t pad = 0; pad < 8; pad += 4) {
    for (bool const snapshot : {true, false}) {
      flatbuffers::FlatBufferBuilder b;
      b.CreateVector(std::vector<std::uint8_t>(16 + pad));  // room behind, and the shift
      flatbuffers::Offset<flatbuffers::Vector<std::uint64_t>> const ids(
          b.CreateVector(std::vector<std::uint32_t>{1, 1}).o);
      if (snapshot) {
        wire::FinishPacketBuffer(
            b, wire::CreatePacket(b, wire::Message::Snapshot,
                                  wire::CreateSnapshot(b, 1, 1, 0, 1, 0, 0, 0, ids).Union()));
      } else {
        wire::FinishPacketBuffer(b, wire::CreatePacket(b, wire::Message::BodiesRemoved,
                                                       wire::CreateBodiesRemoved(b, 1, ids).Union()));
      }
      auto const* packet = wire::GetPacket(b.GetBufferPointer());
      auto const* vector =
          snapshot ? packet->message_as_Snapshot()->removed() : packet->message_as_BodiesRemoved()->ids();
      bool const bad =
          (reinterpret_cast<const std::uint8_t*>(vector->Data()) - b.GetBufferPointer()) % 8 != 0;
      misaligned += bad ? 1 : 0;
      MessageReader reader;
      auto const read = reader.read({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()},
                                    MessageClass::kDatagram);
      EXPECT_EQ(read.ok(), !bad);
      if (bad) {
        EXPECT_EQ(read.error(), Error::kVerifierFailed);
      }
    }
  }
  EXPECT_EQ(misaligned, 2);
}

TEST(MessageRange, TooManyTablesForADatagramAreRefused) {
  MessageWriter writer;
  std::vector<BodyInfo> infos(kVerifierTablesDatagram, BodyInfo{std::uint64_t{1} << 32, 0, 0, {}});
  auto const bytes = bytes_of(writer.write(1, infos));
  ASSERT_LE(bytes.size(), kReliableBytesMax);
  MessageReader reader;
  EXPECT_TRUE(reader.read(bytes, MessageClass::kReliable).ok());
  flatbuffers::FlatBufferBuilder b;
  std::vector<flatbuffers::Offset<wire::Input>> offsets;
  auto const release = wire::CreateRelease(b).Union();
  for (std::uint32_t i = 1; i <= 40; ++i)
    offsets.push_back(wire::CreateInput(b, 0, i, wire::Command::Release, release));
  auto const vector = b.CreateVector(offsets);
  wire::FinishPacketBuffer(
      b, wire::CreatePacket(b, wire::Message::Inputs, wire::CreateInputs(b, vector).Union()));
  ASSERT_LE(b.GetSize(), kDatagramBytesMax);
  EXPECT_EQ(reader
                .read({reinterpret_cast<const std::byte*>(b.GetBufferPointer()), b.GetSize()},
                      MessageClass::kDatagram)
                .error(),
            Error::kVerifierFailed);
}

// ---------------------------------------------------------------- commands

TEST(CommandCheck, TakesEverySample) {
  for (auto const& command : test::sample_commands()) EXPECT_TRUE(check(command).ok()) << command.index();
}

TEST(CommandCheck, RefusesNonFiniteAndAbsurdNumbers) {
  float const nan = std::numeric_limits<float>::quiet_NaN();
  float const inf = std::numeric_limits<float>::infinity();
  constexpr BodyId kBody = std::uint64_t{1} << 32;
  EXPECT_EQ(check(ImpulseCommand{kBody, {nan, 0, 0}, {}}).error(), Error::kNotFinite);
  EXPECT_EQ(check(ImpulseCommand{kBody, {0, inf, 0}, {}}).error(), Error::kNotFinite);
  EXPECT_EQ(check(ImpulseCommand{kBody, {0, 0, 2e9f}, {}}).error(), Error::kOutOfRange);
  EXPECT_EQ(check(ImpulseCommand{kBody, {}, Vec3f{0, -inf, 0}}).error(), Error::kNotFinite);
  EXPECT_EQ(check(ForceCommand{kBody, {}, {nan, 0, 0}, 1}).error(), Error::kNotFinite);
  EXPECT_EQ(check(ForceCommand{kBody, {}, {}, 0}).error(), Error::kOutOfRange);
  EXPECT_EQ(check(ForceCommand{kBody, {}, {}, kForceTicksMax + 1}).error(), Error::kOutOfRange);
  EXPECT_EQ(check(GrabCommand{kBody, {}, {}, -1}).error(), Error::kOutOfRange);
  EXPECT_EQ(check(GrabCommand{kBody, {}, {}, nan}).error(), Error::kNotFinite);
  TeleportCommand teleport{kBody, {}, {0, 0, 0, 0}, {}, {}};
  EXPECT_EQ(check(teleport).error(), Error::kOutOfRange);
  teleport.rotation = {1e38f, 1e38f, 1e38f, 1e38f};
  EXPECT_EQ(check(teleport).error(), Error::kOutOfRange);
  teleport.rotation = {0, 0, 0, nan};
  EXPECT_EQ(check(teleport).error(), Error::kNotFinite);
  EXPECT_EQ(check(CustomCommand{std::vector<std::byte>(kCustomBytesMax + 1)}).error(), Error::kOutOfRange);
}

TEST(CommandCheck, RefusesTheNullBody) {
  EXPECT_EQ(check(DespawnCommand{0}).error(), Error::kOutOfRange);
  EXPECT_EQ(check(DespawnCommand{5}).error(), Error::kOutOfRange);  // generation 0
}

TEST(CommandCheck, SpawnedShapesMustHaveASize) {
  auto const spawn = [](ShapeKind kind, Vec3f dimensions) {
    SpawnCommand command;
    command.shape = {kind, dimensions, {}, {}};
    return check(command).ok();
  };
  EXPECT_TRUE(spawn(ShapeKind::kSphere, {1, 0, 0}));
  EXPECT_FALSE(spawn(ShapeKind::kSphere, {0, 0, 0}));
  EXPECT_FALSE(spawn(ShapeKind::kSphere, {-1, 0, 0}));
  EXPECT_FALSE(spawn(ShapeKind::kSphere, {kDimensionMax * 2, 0, 0}));
  EXPECT_TRUE(spawn(ShapeKind::kCapsule, {1, 0, 0}));
  EXPECT_FALSE(spawn(ShapeKind::kCapsule, {1, -1, 0}));
  EXPECT_TRUE(spawn(ShapeKind::kBox, {1, 1, 1}));
  EXPECT_FALSE(spawn(ShapeKind::kBox, {1, 0, 1}));
  EXPECT_FALSE(spawn(ShapeKind::kHalfSpace, {0, 1, 0}));
  EXPECT_TRUE(spawn(ShapeKind::kCylinder, {1, 1, 0}));
  EXPECT_FALSE(spawn(ShapeKind::kCylinder, {1, 0, 0}));
  EXPECT_TRUE(spawn(ShapeKind::kCone, {1, 1, 0}));
  EXPECT_FALSE(spawn(ShapeKind::kHull, {1, 1, 1})) << "a command has no place for its corners";
  EXPECT_FALSE(spawn(static_cast<ShapeKind>(9), {1, 1, 1}));
  SpawnCommand command;
  command.shape.dimensions = {1, 0, 0};
  command.density = 0;
  EXPECT_FALSE(check(command).ok());
  command.density = 1;
  command.restitution = 1.5f;
  EXPECT_FALSE(check(command).ok());
  command.restitution = 0;
  command.friction = -0.1f;
  EXPECT_FALSE(check(command).ok());
}

}  // namespace
}  // namespace takt::protocol
