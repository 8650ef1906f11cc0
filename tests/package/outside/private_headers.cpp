// Fails to compile if a target of Takt brings one of its private headers, or a library of its sources, in
// reach of a project that links it.
#if __has_include("server/app/server.h") ||                                             \
                  __has_include(                                                        \
                      "server/room.h") ||                                               \
                      __has_include(                                                    \
                          "cli/subcommand.h") ||                                        \
                          __has_include(                                                \
                              "sim/replication/replication.h") ||                       \
                              __has_include(                                            \
                                  "protocol/wire/datagram.h") ||                        \
                                  __has_include("net/clock.h") ||                       \
                                                __has_include("physics/step/step.h") || \
                                                              __has_include("client_sdk/cpp/session.h")
#error "a private header of Takt is in reach"
#endif
#if __has_include("schemas/protocol_generated.h")
#error "a generated header of Takt is in reach"
#endif

// A source with nothing in it would be a warning.
extern const int kPrivateHeadersAreOutOfReach;
const int kPrivateHeadersAreOutOfReach = 1;
