// Limits of the protocol for a client on a stream: sizes, windows, times. protocol/wire/limits.h has all
// limits and their reasons; test/unit/layout_test.mjs compares the two.

export const kProtocolVersion = 5;

export const kUnreliableBytesMax = 1160;
export const kDatagramBytesMax = 1200;
export const kReliableBytesMax = 65536;
export const kFrameBytesMax = 65537;
export const kFramePrefixBytes = 4;

export const kVerifierDepthMax = 8;
export const kVerifierTablesDatagram = 64;
export const kVerifierTablesReliable = 1024;

export const kPlayerNameBytesMax = 32;
export const kProofBytes = 16;
export const kNamedProofBytes = 49;
export const kConnectTokenBytesMax = 912;
export const kSealedAcceptBytesMax = 512;
export const kReasonTextBytesMax = 200;
export const kCustomBytesMax = 1000;
export const kBodyInfosPerMessage = 256;
export const kShapesPerBodyMax = 64;
export const kRemovedPerMessage = 4096;
export const kCommandOutcomesPerMessage = 256;
export const kInputsPerMessage = 30;
export const kInputWindow = 256;
export const kJoinSliceBytes = 32768;

export const kGeometrySliceBytes = 32768;
export const kConfirmedSliceBytes = 32768;
export const kConfirmedBytesMax = 8388608;
export const kDesyncPathBytesMax = 160;
export const kDesyncAnswerBytesMax = 11264;
export const kGeometryBytesMax = 4194304;
export const kGeometryTotalBytesMax = 33554432;
export const kGeometriesMax = 4096;
export const kHullCornersMax = 255;

export const kClientMessageBytesMax = 12288;
export const kQueriesPerRequest = 32;
export const kQueryIgnoredMax = 8;
export const kQueryHitsMax = 512;
export const kQueryLengthMax = 1e7;

export const kBodyIndexMax = 262144;
export const kBodyStateBytes = 80;
export const kSnapshotPartsMax = 1024;
export const kSnapshotAgeMax = 512;

// Microseconds.
export const kMillisecond = 1000;
export const kSecond = 1_000_000;
export const kKeepAliveInterval = 500 * kMillisecond;

// Room control and inspection (schemas/protocol.fbs).
export const kSceneNameBytesMax = 64;
export const kTitleBytesMax = 200;
export const kScenesMax = 256;
export const kTimelineMarksMax = 2048;
export const kControlStepsMax = 1000;
export const kControlSpeedMin = Math.fround(0.01);
export const kControlSpeedMax = 100;
export const kContactPointsPerMessage = 14;
export const kContactPointsMax = 512;
export const kJointFramesPerMessage = 8;
export const kJointFramesMax = 512;
export const kRopeNodesMax = 4096;
export const kRopeIndexMax = 65_536;
export const kRopeNodesPerWorld = 65_536;
/** Nodes that a client stores. It has more than the server lists while ropes are being removed or cut. */
export const kRopeNodesPerClient = 2 * kRopeNodesPerWorld;
