#include "protocol/wire/network_prefix.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>

namespace takt::protocol {
namespace {

template <class T>
std::optional<T> number_of(std::string_view text, int base, T max) {
  T value{};
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size() || value > max)
    return std::nullopt;
  return value;
}

std::optional<Address> parse_ipv4(std::string_view text) {
  std::array<std::uint8_t, 4> bytes{};
  for (std::size_t i = 0; i < 4; ++i) {
    std::size_t const end = i < 3 ? text.find('.') : text.size();
    if (end == std::string_view::npos) return std::nullopt;
    auto const part = number_of<std::uint32_t>(text.substr(0, end), 10, 255);
    if (!part) return std::nullopt;
    bytes[i] = static_cast<std::uint8_t>(*part);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return Address::from_ipv4(bytes[0], bytes[1], bytes[2], bytes[3], 0);
}

// Groups of hexadecimal digits, at most 8; an IPv4 address may stand for the last two.
bool read_groups(std::string_view text, std::array<std::uint8_t, 16>& out, std::size_t& count) {
  count = 0;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(':'), text.size());
    std::string_view const group = text.substr(0, end);
    if (end == text.size() && group.find('.') != std::string_view::npos) {
      auto const tail = parse_ipv4(group);
      if (!tail || count > 12) return false;
      std::copy_n(tail->ip.begin() + 12, 4, out.begin() + static_cast<std::ptrdiff_t>(count));
      count += 4;
      return true;
    }
    auto const value = number_of<std::uint32_t>(group, 16, 0xffff);
    if (!value || count > 14) return false;
    out[count++] = static_cast<std::uint8_t>(*value >> 8);
    out[count++] = static_cast<std::uint8_t>(*value);
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
    if (text.empty()) return false;  // a colon at the end
  }
  return true;
}

std::optional<Address> parse_ipv6(std::string_view text) {
  Address out;
  std::array<std::uint8_t, 16> head{};
  std::array<std::uint8_t, 16> tail{};
  std::size_t head_count = 0;
  std::size_t tail_count = 0;
  std::size_t const gap = text.find("::");
  if (gap == std::string_view::npos) {
    if (!read_groups(text, out.ip, head_count) || head_count != 16) return std::nullopt;
    return out;
  }
  if (!read_groups(text.substr(0, gap), head, head_count) ||
      !read_groups(text.substr(gap + 2), tail, tail_count) || head_count + tail_count > 14)
    return std::nullopt;
  std::copy_n(head.begin(), head_count, out.ip.begin());
  std::copy_n(tail.begin(), tail_count, out.ip.end() - static_cast<std::ptrdiff_t>(tail_count));
  return out;
}

}  // namespace

bool NetworkPrefix::contains(const Address& address) const noexcept {
  for (unsigned bit = 0; bit < bits; bit += 8) {
    unsigned const rest = std::min(8u, bits - bit);
    unsigned const mask = 0xffu & (0xffu << (8 - rest));
    if (((address.ip[bit / 8] ^ network.ip[bit / 8]) & mask) != 0) return false;
  }
  return true;
}

std::optional<Address> parse_ip(std::string_view text) {
  if (text.starts_with('[')) {
    std::size_t const end = text.find(']');
    if (end == std::string_view::npos) return std::nullopt;
    return parse_ipv6(text.substr(1, end - 1));
  }
  if (std::ranges::count(text, ':') > 1) return parse_ipv6(text);
  return parse_ipv4(text.substr(0, text.find(':')));
}

std::optional<NetworkPrefix> parse_prefix(std::string_view text) {
  std::size_t const slash = text.find('/');
  auto const network = parse_ip(text.substr(0, slash));
  if (!network) return std::nullopt;
  NetworkPrefix prefix{*network, 128};
  if (slash != std::string_view::npos) {
    unsigned const most = network->is_ipv4() ? 32 : 128;
    auto const bits = number_of<std::uint32_t>(text.substr(slash + 1), 10, most);
    if (!bits) return std::nullopt;
    prefix.bits = static_cast<std::uint8_t>(*bits + 128 - most);
  }
  for (unsigned bit = prefix.bits; bit < 128; ++bit)
    if (((network->ip[bit / 8] >> (7 - bit % 8)) & 1) != 0) return std::nullopt;
  return prefix;
}

bool contains(std::span<const NetworkPrefix> networks, const Address& address) noexcept {
  return std::ranges::any_of(networks, [&](const NetworkPrefix& one) { return one.contains(address); });
}

std::optional<Address> forwarded_client(std::span<const NetworkPrefix> proxies,
                                        std::string_view forwarded_for) {
  for (;;) {
    std::size_t const comma = forwarded_for.rfind(',');
    std::string_view entry =
        comma == std::string_view::npos ? forwarded_for : forwarded_for.substr(comma + 1);
    while (entry.starts_with(' ')) entry.remove_prefix(1);
    while (entry.ends_with(' ')) entry.remove_suffix(1);
    auto const address = parse_ip(entry);
    if (!address) return std::nullopt;  // nobody honest writes that, and what is before it proves nothing
    if (!contains(proxies, *address)) return address;
    if (comma == std::string_view::npos) return std::nullopt;
    forwarded_for = forwarded_for.substr(0, comma);
  }
}

}  // namespace takt::protocol
