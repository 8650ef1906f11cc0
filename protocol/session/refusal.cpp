#include "protocol/session/refusal.h"

namespace takt::protocol {

Counter counter_of_header(Error error) noexcept {
  switch (error) {
    case Error::kTooShort: return Counter::kDatagramShort;
    case Error::kTooLong: return Counter::kDatagramOversize;
    case Error::kBadType: return Counter::kDatagramBadType;
    default: return Counter::kDatagramBadMagic;
  }
}

Counter counter_of_message(Error error) noexcept {
  switch (error) {
    case Error::kVerifierFailed:
    case Error::kTooShort:
    case Error::kTooLong:
    case Error::kBadType: return Counter::kVerifierFailed;
    default: return Counter::kMessageBadField;
  }
}

std::string_view text_of_token_refusal(RefuseReason reason) noexcept {
  switch (reason) {
    case RefuseReason::kTokenRequired:
      return "this server asks for a connect token: get one from the back end";
    case RefuseReason::kTokenMalformed: return "the token has another layout: mint it with Takt's format";
    case RefuseReason::kTokenWrongVersion: return "this server does not know the token's version";
    case RefuseReason::kTokenExpired: return "the token has expired: get a new one";
    case RefuseReason::kTokenTooLongLived: return "the token lives too long: mint it for at most 400 days";
    case RefuseReason::kTokenWrongKey:
      return "this server does not have the token's key: give it the key file";
    case RefuseReason::kTokenWrongServer: return "the token is for other servers: mint it for this one";
    case RefuseReason::kTokenForged: return "the token does not verify: mint it with a key of this server";
    case RefuseReason::kTokenReused: return "another session holds the token: get a token for each session";
    case RefuseReason::kTokenWrongRoom: return "the token is for another room";
    case RefuseReason::kTokenWrongRole: return "the token is for spectators: join as a spectator";
    case RefuseReason::kTokenWrongMode: return "the token does not allow this replication mode";
    default: return "";
  }
}

}  // namespace takt::protocol
