// The constants of the protocol: version, sizes, counts, windows and times. protocol/ refuses bytes of a peer
// by them; server/, sim/ and net/ stay within them. docs/PROTOCOL.md repeats those that another
// implementation needs, and tests/unit/protocol/document_test.cpp compares the two. ServerOptions and
// ClientOptions (protocol/session/) have the values that a host may tune.
#pragma once

#include <cstddef>
#include <cstdint>

namespace takt::protocol {

/// Version of the protocol; it rises when a peer of the earlier version would misread a message. A server
/// refuses a client of any other version.
inline constexpr std::uint32_t kProtocolVersion = 5;

// ---------------------------------------------------------------- datagrams

/// First four bytes of a handshake datagram, "TKT1" in little-endian order. Datagrams of scanners and
/// strangers lack it and are dropped before anything is computed.
inline constexpr std::uint32_t kDatagramMagic = 0x31544B54u;
/// Greatest datagram, header included. 1,200 + 48 bytes of IPv6 and UDP headers stay under the smallest MTU
/// of IPv6, 1,280.
inline constexpr std::size_t kDatagramBytesMax = 1200;
/// Header of a handshake datagram; protocol/wire/datagram.h has the layout. It has the size of version 2, so
/// that clients of version 2 can read why they are refused.
inline constexpr std::size_t kHandshakeHeaderBytes = 32;
/// Bytes of a sealed datagram around its sections, at most: header (9), ack block (11) and tag (16). While
/// the peer acknowledges and nothing is lost they are 27: header 7, ack block 4.
inline constexpr std::size_t kSealedDatagramBytes = 36;
/// Header of a section that holds one unreliable message.
inline constexpr std::size_t kMessageSectionBytes = 4;
/// Header of a section that holds one fragment of the reliable channel.
inline constexpr std::size_t kFragmentSectionBytes = 8;
/// Greatest number of sections that a sender puts into one datagram. A server drops a client's datagram with
/// more: each section costs an allocation and a verifier run, and 233 would fit.
inline constexpr std::size_t kSectionsPerDatagramMax = 16;
/// Greatest unreliable message: what fits in one datagram.
inline constexpr std::size_t kUnreliableBytesMax =
    kDatagramBytesMax - kSealedDatagramBytes - kMessageSectionBytes;
/// Greatest fragment of the reliable channel over UDP.
inline constexpr std::size_t kFragmentBytesMax =
    kDatagramBytesMax - kSealedDatagramBytes - kFragmentSectionBytes;
/// Size of a ConnectRequest datagram, padding included. A smaller one gets no answer. No answer of a
/// handshake is larger, so a server amplifies nothing. The size also proves that the path carries full
/// datagrams.
inline constexpr std::size_t kConnectRequestBytes = kDatagramBytesMax;

// ---------------------------------------------------------------- messages

/// Greatest message of the reliable channel. Larger things (the join image) travel as several messages.
inline constexpr std::size_t kReliableBytesMax = 64 * 1024;
/// Slice of the join image per message; leaves room for the table around it.
inline constexpr std::size_t kJoinSliceBytes = 32 * 1024;
/// Greatest frame of a TCP stream after its length prefix: one reliable message and its one-byte kind.
inline constexpr std::size_t kFrameBytesMax = kReliableBytesMax + 1;
/// Length prefix of a TCP frame. A sealed frame has a tag of 16 bytes more.
inline constexpr std::size_t kFramePrefixBytes = 4;

/// Limit of the FlatBuffers verifier for nested tables. The deepest message (Packet > Inputs > Input >
/// Impulse) has 4 levels.
inline constexpr std::uint32_t kVerifierDepthMax = 8;
/// Tables in a message of a datagram: Packet + Inputs + 2 for each of kInputsPerMessage = 62.
inline constexpr std::uint32_t kVerifierTablesDatagram = 64;
/// Tables in a message of the reliable channel: Packet + BodiesAdded + up to kBodyInfosPerMessage.
inline constexpr std::uint32_t kVerifierTablesReliable = 1024;

/// Name of a player, UTF-8.
inline constexpr std::size_t kPlayerNameBytesMax = 32;
/// Proof in a ChallengeResponse with a token: the tag of an empty text (crypto/handshake_seal.h).
inline constexpr std::size_t kProofBytes = 16;
/// Proof without a token. Its text is a name of any length in 33 bytes (protocol/session/sealed_name.h), so
/// the wire does not show the length either.
inline constexpr std::size_t kNamedProofBytes = 1 + kPlayerNameBytesMax + kProofBytes;
/// Sealed token in a ConnectRequest (docs/TOKENS.md); with it a ChallengeResponse fills a datagram.
inline constexpr std::size_t kConnectTokenBytesMax = 912;
/// Sealed bytes of a SealedAccept: an Accept takes some 110 of them, and later fields have room.
inline constexpr std::size_t kSealedAcceptBytesMax = 512;
/// Text for a person in Refuse, Disconnect, ControlResult and CommandOutcome, UTF-8.
inline constexpr std::size_t kReasonTextBytesMax = 200;
/// Bytes of a CustomCommand or a GameEvent; both fit one datagram.
inline constexpr std::size_t kCustomBytesMax = 1000;
inline constexpr std::size_t kBodyInfosPerMessage = 256;  ///< bodies of a BodiesAdded
inline constexpr std::size_t kShapesPerBodyMax = 64;
/// Ids of a BodiesRemoved or a JointsBroken, 8 bytes each.
inline constexpr std::size_t kRemovedPerMessage = 4096;
inline constexpr std::size_t kCommandOutcomesPerMessage = 256;  ///< outcomes of an InputAck

// ---------------------------------------------------------------- geometry

/// Slice of a geometry per message, as of the join image.
inline constexpr std::size_t kGeometrySliceBytes = 32 * 1024;
/// Greatest encoded geometry: the largest height field has 2 MiB, a mesh of 230,000 triangles has this size.
/// A server does not send a larger one, and clients draw its bounding box.
inline constexpr std::size_t kGeometryBytesMax = 4 * 1024 * 1024;
/// Encoded bytes of all geometries of an epoch together, which bounds a client's memory against a hostile
/// server. A server sends no geometry above the sum, and clients draw its bounding box.
inline constexpr std::size_t kGeometryTotalBytesMax = 32 * 1024 * 1024;
/// Number of geometries of an epoch; a server sends no further one.
inline constexpr std::size_t kGeometriesMax = 4096;
/// Vertices of a hull; their indices on the wire are bytes.
inline constexpr std::size_t kHullCornersMax = 255;

// ---------------------------------------------------------------- rooms

/// Bytes of a scene's name, which is its file name without extension.
inline constexpr std::size_t kSceneNameBytesMax = 64;
/// Bytes of a room's title.
inline constexpr std::size_t kTitleBytesMax = 200;
/// Scenes in a RoomState. With names of full length and kTimelineMarksMax marks the message stays under
/// kReliableBytesMax: 256 x 76 + 2,048 x 16 + 500 = 53 kB.
inline constexpr std::size_t kScenesMax = 256;
/// Marks in a RoomState, 16 bytes each.
inline constexpr std::size_t kTimelineMarksMax = 2048;
/// Ticks that one Control of kind step may ask for, and that a room owes at most.
inline constexpr std::uint64_t kControlStepsMax = 1000;
/// Range of a room's speed: simulated time per real time.
inline constexpr float kControlSpeedMin = 0.01f;
inline constexpr float kControlSpeedMax = 100.0f;
/// Contact points of a Contacts message, 64 bytes each: they and the tables around them fit
/// kUnreliableBytesMax.
inline constexpr std::size_t kContactPointsPerMessage = 14;
/// Contact points sent of one tick: 37 messages.
inline constexpr std::size_t kContactPointsMax = 512;
/// Joint frames of a JointFrames message, 88 + 40 bytes each.
inline constexpr std::size_t kJointFramesPerMessage = 8;
/// Joint frames sent of one tick: 64 messages.
inline constexpr std::size_t kJointFramesMax = 512;
/// Microseconds between two InspectArrived events of one session. A newer Inspect replaces one that waits.
inline constexpr std::uint64_t kInspectInterval = 100'000;
/// Microseconds from a change of a session's mode until its client may ask for a mode with an image.
inline constexpr std::uint64_t kModeSwitchInterval = 10'000'000;
/// Nodes of one rope, the engine's limit.
inline constexpr std::size_t kRopeNodesMax = 4096;
/// Ropes with an index of this or more are not sent. The limit bounds the memory of a client.
inline constexpr std::uint32_t kRopeIndexMax = 65'536;
/// Nodes of all ropes that a server sends; the list ends before the rope, in order of ids, that exceeds it.
inline constexpr std::size_t kRopeNodesPerWorld = 65'536;
/// Nodes that a client stores. A client may have more than a server sends, because removals of ropes arrive
/// late. Slices of ropes above the limit are dropped.
inline constexpr std::size_t kRopeNodesPerClient = 2 * kRopeNodesPerWorld;
/// Bytes of one slice of a rope; two fill a part. A slice has some 300 nodes of a swinging rope, and 13 nodes
/// in the worst case.
inline constexpr std::size_t kRopeSliceBytesMax = 512;

// ---------------------------------------------------------------- queries

/// Greatest message of a client: a full QueryRequest. A longer message closes its stream.
inline constexpr std::size_t kClientMessageBytesMax = 12 * 1024;
/// Queries of one request, at most 320 bytes each.
inline constexpr std::size_t kQueriesPerRequest = 32;
/// Bodies that one query may ignore.
inline constexpr std::size_t kQueryIgnoredMax = 8;
/// Hits of one result, 80 bytes each: 41 kB.
inline constexpr std::size_t kQueryHitsMax = 512;
/// Greatest length of a ray or cast and greatest distance of a closest point, m; the engine's limit.
inline constexpr double kQueryLengthMax = 1e7;
/// Requests of one player that may wait for their turn; further ones are refused as busy.
inline constexpr std::size_t kQueryRequestsWaiting = 8;
/// Queries that a server answers between two ticks, for all players together, and the number of hits after
/// which no further request is begun. Both bound the time that queries take from the simulation.
inline constexpr std::size_t kQueriesPerTick = 256;
inline constexpr std::size_t kQueryHitsPerTick = 8192;
/// Hits of one request after which its further queries are refused as busy.
inline constexpr std::size_t kQueryHitsPerRequest = 4096;

// ---------------------------------------------------------------- inputs

/// Inputs in one message; the verifier's table limit follows from it.
inline constexpr std::size_t kInputsPerMessage = 30;
/// Inputs that a client may have unacknowledged; ClientEndpoint::send_input() refuses more. At one input a
/// tick and 60 Hz they last over four seconds.
inline constexpr std::size_t kInputWindow = 256;

// ---------------------------------------------------------------- snapshots

/// Bodies with an index (lower half of the id) of this or more are not sent. Both ends index tables by it, so
/// the limit bounds a client's memory: 25 MB of SnapshotDecoder::Slot.
inline constexpr std::uint32_t kBodyIndexMax = 262'144;
/// Bodies in one part of a snapshot: 13 x 80 bytes and the tables around them (under 124 bytes) fit
/// kUnreliableBytesMax.
inline constexpr std::size_t kSnapshotBodiesPerPart = 13;
/// Parts of one snapshot, with at most 13 x 1,024 bodies. SnapshotBudget keeps snapshots far below it.
inline constexpr std::uint16_t kSnapshotPartsMax = 1024;
/// A decoder refuses a part whose serial is this much or more below the newest. It tracks no more snapshots,
/// and no interpolator needs an older one.
inline constexpr std::uint32_t kSnapshotAgeMax = 512;

// ---------------------------------------------------------------- confirmed ticks

/// Slice of confirmed ticks per reliable message, as of the join image.
inline constexpr std::size_t kConfirmedSliceBytes = 32 * 1024;
/// Confirmed ticks that travel together in slices. Bounds a client's memory, and what it keeps of ticks that
/// came too early.
inline constexpr std::size_t kConfirmedBytesMax = 8 * 1024 * 1024;
/// Batches of ticks that a client keeps because earlier ticks are missing: over a minute at 60 Hz.
inline constexpr std::size_t kConfirmedBatchesMax = 4096;

// ---------------------------------------------------------------- desyncs

/// Path of a node of the hash tree: five words, of which a list's name has up to 64 bytes.
inline constexpr std::size_t kDesyncPathBytesMax = 160;
/// Answer to a path, as text: some 550 blocks of 64 bodies. With the path it fits kClientMessageBytesMax.
inline constexpr std::size_t kDesyncAnswerBytesMax = 11 * 1024;

// ---------------------------------------------------------------- sequence windows

/// Packet numbers before the newest that an ack block reports, at most 7 bytes of them.
inline constexpr std::uint32_t kAckBits = 56;
/// Datagrams in flight that a sender remembers; with more, the oldest counts as lost.
inline constexpr std::uint32_t kSentWindow = 8192;
/// Reliable fragments a server may have in flight towards a client: 1,024 x 1,156 bytes per round trip.
inline constexpr std::uint32_t kFragmentWindowToClient = 1024;
/// Reliable fragments a client may have in flight towards a server. The limit bounds the fragments that one
/// client makes a server store out of order to 74 kB.
inline constexpr std::uint32_t kFragmentWindowToServer = 64;

// ---------------------------------------------------------------- times, in microseconds

inline constexpr std::uint64_t kMicrosecond = 1;
inline constexpr std::uint64_t kMillisecond = 1'000;
inline constexpr std::uint64_t kSecond = 1'000'000;

/// Longest time that an ack waits for a datagram that carries it anyway. The header states the wait, so the
/// measured round trip does not include it.
inline constexpr std::uint64_t kAckDelayMax = 20 * kMillisecond;
/// Least time between two InputAcks over datagrams. An input goes out three times in 32 ms, and again at the
/// retransmission time-out, which is a round trip and kAckDelayMax after the third or later: its ack is there
/// by then. An InputAck at each ack was 40 % of the bytes to a client that acts in every tick.
inline constexpr std::uint64_t kInputAckInterval = 48 * kMillisecond;
/// An ack goes at once when this many datagrams ask for it. Two of three acks may be lost, because an ack
/// block reports more than three times as many.
inline constexpr std::uint32_t kAckEvery = 16;
/// Time between two handshake datagrams of a client that has no answer.
inline constexpr std::uint64_t kHandshakeRetry = 250 * kMillisecond;
/// A challenge cookie is valid for this long after its issue.
inline constexpr std::uint64_t kCookieLifetime = 10 * kSecond;
/// Copies of a Disconnect over UDP. At 30 % loss one in 4,500 disconnects does not arrive, and the other end
/// waits for its time-out.
inline constexpr std::uint32_t kDisconnectCopies = 7;
/// Time between two copies.
inline constexpr std::uint64_t kDisconnectSpacing = 20 * kMillisecond;
/// An end that sent nothing for this long sends a KeepAlive.
inline constexpr std::uint64_t kKeepAliveInterval = 500 * kMillisecond;

}  // namespace takt::protocol
