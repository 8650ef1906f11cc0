// The constants of the protocol: version, sizes, counts, windows and times. protocol/ refuses bytes of a peer
// by them; server/, sim/ and net/ stay within them. docs/PROTOCOL.md repeats those that another
// implementation needs, and tests/unit/protocol/document_test.cpp compares the two. ServerOptions and
// ClientOptions (protocol/session/) have the values that a host may tune.
#pragma once

#include <cstddef>
#include <cstdint>

namespace takt::protocol {

/// Raised when a peer of the earlier version would misunderstand. Both ends must agree exactly.
inline constexpr std::uint32_t kProtocolVersion = 2;

// ---------------------------------------------------------------- datagrams

/// First four bytes of every datagram, "TKT1" in little-endian order. Drops scans and strays before anything
/// is computed.
inline constexpr std::uint32_t kDatagramMagic = 0x31544B54u;
/// Greatest datagram, header included. 1,200 + 48 bytes of IPv6 and UDP headers stay under the smallest MTU
/// of IPv6, 1,280.
inline constexpr std::size_t kDatagramBytesMax = 1200;
/// Fixed header of every datagram; protocol/wire/datagram.h has the layout.
inline constexpr std::size_t kDatagramHeaderBytes = 32;
/// Header of a section that holds one unreliable message.
inline constexpr std::size_t kMessageSectionBytes = 4;
/// Header of a section that holds one fragment of the reliable channel.
inline constexpr std::size_t kFragmentSectionBytes = 8;
/// Sections that a sender puts into one datagram, and that a server accepts in one of a client: each costs an
/// allocation and a verifier run, and 233 would fit.
inline constexpr std::size_t kSectionsPerDatagramMax = 16;
/// Greatest unreliable message: what fits in one datagram.
inline constexpr std::size_t kUnreliableBytesMax =
    kDatagramBytesMax - kDatagramHeaderBytes - kMessageSectionBytes;
/// Greatest fragment of the reliable channel over UDP.
inline constexpr std::size_t kFragmentBytesMax =
    kDatagramBytesMax - kDatagramHeaderBytes - kFragmentSectionBytes;
/// A ConnectRequest datagram is padded to exactly this; smaller ones are refused unanswered, and no answer
/// before the challenge is larger. The full 1,200 bytes also prove that the path carries full datagrams.
inline constexpr std::size_t kConnectRequestBytes = kDatagramBytesMax;

// ---------------------------------------------------------------- messages

/// Greatest message of the reliable channel. Larger things (the join image) travel as several messages.
inline constexpr std::size_t kReliableBytesMax = 64 * 1024;
/// Slice of the join image per message; leaves room for the table around it.
inline constexpr std::size_t kJoinSliceBytes = 32 * 1024;
/// Greatest frame of a TCP stream after its length prefix: one reliable message and its one-byte kind.
inline constexpr std::size_t kFrameBytesMax = kReliableBytesMax + 1;
/// Length prefix of a TCP frame.
inline constexpr std::size_t kFramePrefixBytes = 4;

/// FlatBuffers Verifier limits. Nesting of our deepest message (Packet > Inputs > Input > Impulse) is 4.
inline constexpr std::uint32_t kVerifierDepthMax = 8;
/// Tables in a message of a datagram: Packet + Inputs + 2 for each of kInputsPerMessage = 62.
inline constexpr std::uint32_t kVerifierTablesDatagram = 64;
/// Tables in a message of the reliable channel: Packet + BodiesAdded + up to kBodyInfosPerMessage.
inline constexpr std::uint32_t kVerifierTablesReliable = 1024;

inline constexpr std::size_t kPlayerNameBytesMax = 32;
inline constexpr std::size_t kReasonTextBytesMax = 200;
inline constexpr std::size_t kCustomBytesMax = 1000;
inline constexpr std::size_t kBodyInfosPerMessage = 256;
inline constexpr std::size_t kShapesPerBodyMax = 64;
inline constexpr std::size_t kRemovedPerMessage = 4096;
inline constexpr std::size_t kCommandOutcomesPerMessage = 256;

// ---------------------------------------------------------------- geometry

/// Slice of a geometry per message, as of the join image.
inline constexpr std::size_t kGeometrySliceBytes = 32 * 1024;
/// Greatest geometry that is sent: the largest height field (2 MiB), or a mesh of 230,000 triangles. A larger
/// one is drawn as its box.
inline constexpr std::size_t kGeometryBytesMax = 4 * 1024 * 1024;
/// All geometry of an epoch, which bounds a client's memory against a hostile server; what comes after it is
/// drawn as its box.
inline constexpr std::size_t kGeometryTotalBytesMax = 32 * 1024 * 1024;
/// Geometries of an epoch.
inline constexpr std::size_t kGeometriesMax = 4096;
/// Corners of a hull; indices of them are bytes.
inline constexpr std::size_t kHullCornersMax = 255;

// ---------------------------------------------------------------- rooms

/// A scene's name: the stem of its file.
inline constexpr std::size_t kSceneNameBytesMax = 64;
/// A room's title.
inline constexpr std::size_t kTitleBytesMax = 200;
/// Scenes in a RoomState. With names of full length and kTimelineMarksMax marks the message stays under
/// kReliableBytesMax: 256 x 76 + 2,048 x 16 + 500 = 53 kB.
inline constexpr std::size_t kScenesMax = 256;
/// Marks in a RoomState, 16 bytes each.
inline constexpr std::size_t kTimelineMarksMax = 2048;
/// Ticks of one Control step.
inline constexpr std::uint64_t kControlStepsMax = 1000;
/// Ticks run per tick of real time.
inline constexpr float kControlSpeedMin = 0.01f;
inline constexpr float kControlSpeedMax = 100.0f;
/// 64 bytes each; 14 and the tables around them fit kUnreliableBytesMax.
inline constexpr std::size_t kContactPointsPerMessage = 14;
/// Contact points sent of one tick: 37 messages.
inline constexpr std::size_t kContactPointsMax = 512;
/// 88 + 40 bytes each.
inline constexpr std::size_t kJointFramesPerMessage = 8;
/// Joint frames sent of one tick: 64 messages.
inline constexpr std::size_t kJointFramesMax = 512;
/// An Inspect replaces the one before it; a server reports at most one of a session in this time.
inline constexpr std::uint64_t kInspectInterval = 100'000;
/// Nodes of one rope: the engine's.
inline constexpr std::size_t kRopeNodesMax = 4096;
/// Ropes have an index below this, and together at most so many nodes; a world's further ropes are not told.
/// Bounds what one server can make a client hold.
inline constexpr std::uint32_t kRopeIndexMax = 65'536;
inline constexpr std::size_t kRopeNodesPerWorld = 65'536;
/// Nodes that a client keeps: of ropes whose removal or shortening is still under way it has more than the
/// server tells of.
inline constexpr std::size_t kRopeNodesPerClient = 2 * kRopeNodesPerWorld;
/// Bytes of one slice of a rope; two fill a part. Some 300 nodes of a rope that swings, 13 of the wildest.
inline constexpr std::size_t kRopeSliceBytesMax = 512;

// ---------------------------------------------------------------- queries

/// Greatest message of a client: a full QueryRequest. A longer message closes its stream.
inline constexpr std::size_t kClientMessageBytesMax = 12 * 1024;
/// Questions of one request: at most 320 bytes each.
inline constexpr std::size_t kQueriesPerRequest = 32;
/// Bodies that a question leaves out.
inline constexpr std::size_t kQueryIgnoredMax = 8;
/// Hits of one result, 80 bytes each: 41 kB.
inline constexpr std::size_t kQueryHitsMax = 512;
/// Longest way or distance, m: the engine's.
inline constexpr double kQueryLengthMax = 1e7;
/// Requests of one player that wait for the next tick's budget; more are refused as busy.
inline constexpr std::size_t kQueryRequestsWaiting = 8;
/// Questions that are answered between two ticks, for all players together, and the hits after which no
/// further request is begun: what bounds the time that questions take from the simulation.
inline constexpr std::size_t kQueriesPerTick = 256;
inline constexpr std::size_t kQueryHitsPerTick = 8192;
/// Hits that the questions of one request may find; those behind are refused as busy.
inline constexpr std::size_t kQueryHitsPerRequest = 4096;

// ---------------------------------------------------------------- inputs

/// Inputs in one message; the verifier's table limit follows from it.
inline constexpr std::size_t kInputsPerMessage = 30;
/// Inputs a client may have unacknowledged; send_input refuses more. 256 at 60 Hz is over four seconds of one
/// input a tick.
inline constexpr std::size_t kInputWindow = 256;

// ---------------------------------------------------------------- snapshots

/// Body indices (the lower half of an id) a snapshot may carry. Both ends index tables by them, so this
/// bounds a client's memory against a hostile server: about 32 MB.
inline constexpr std::uint32_t kBodyIndexMax = 262'144;
/// Bodies in one part: 13 x 80 bytes and the tables around them (under 124 bytes) fit kUnreliableBytesMax.
inline constexpr std::size_t kSnapshotBodiesPerPart = 13;
/// Parts of one snapshot: at most 13 x 1,024 bodies; the budget is reached long before.
inline constexpr std::uint16_t kSnapshotPartsMax = 1024;
/// A part this many snapshots older than the newest is refused: no interpolator wants it, and a decoder
/// tracks no more.
inline constexpr std::uint32_t kSnapshotAgeMax = 512;

// ---------------------------------------------------------------- confirmed ticks

/// Slice of confirmed ticks per reliable message, as of the join image.
inline constexpr std::size_t kConfirmedSliceBytes = 32 * 1024;
/// Confirmed ticks that travel together in slices. Bounds a client's memory, and what it keeps of ticks that
/// came too early.
inline constexpr std::size_t kConfirmedBytesMax = 8 * 1024 * 1024;
/// Batches of ticks that a client keeps because earlier ticks are missing: over a minute at 60 Hz.
inline constexpr std::size_t kConfirmedBatchesMax = 4096;

// ---------------------------------------------------------------- sequence windows

/// Datagrams behind the newest that an ack field still reports: the ack itself and 64 bits.
inline constexpr std::uint32_t kAckBits = 64;
/// Datagrams in flight that the sender remembers.
inline constexpr std::uint32_t kSentWindow = 8192;
/// Reliable fragments a server may have in flight towards a client: 1,024 x 1,160 bytes per round trip.
inline constexpr std::uint32_t kFragmentWindowToClient = 1024;
/// And a client towards a server, which bounds the fragments that one client makes a server hold out of order
/// to 74 kB.
inline constexpr std::uint32_t kFragmentWindowToServer = 64;

// ---------------------------------------------------------------- times, in microseconds

inline constexpr std::uint64_t kMicrosecond = 1;
inline constexpr std::uint64_t kMillisecond = 1'000;
inline constexpr std::uint64_t kSecond = 1'000'000;

/// An ack waits at most this long for something to ride on. The header carries the wait, so RTT is not
/// inflated.
inline constexpr std::uint64_t kAckDelayMax = 20 * kMillisecond;
/// ... and at most this many datagrams: a quarter of the ack bits, so that three of four acks may be lost.
inline constexpr std::uint32_t kAckEvery = 16;
/// Between two handshake datagrams of a client that has no answer.
inline constexpr std::uint64_t kHandshakeRetry = 250 * kMillisecond;
/// A challenge cookie is honoured this long.
inline constexpr std::uint64_t kCookieLifetime = 10 * kSecond;
/// Copies of a Disconnect over UDP. At 30 % loss one in 4,500 disconnects goes unheard and costs the other
/// end its time-out.
inline constexpr std::uint32_t kDisconnectCopies = 7;
/// Between the copies.
inline constexpr std::uint64_t kDisconnectSpacing = 20 * kMillisecond;
/// Nothing sent for this long: say KeepAlive.
inline constexpr std::uint64_t kKeepAliveInterval = 500 * kMillisecond;

}  // namespace takt::protocol
