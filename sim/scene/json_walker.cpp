#include "sim/scene/json_walker.h"

#include <vector>

namespace takt::sim {
namespace {

bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
bool is_letter(char c) noexcept { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

class Walker {
 public:
  Walker(std::string_view text, JsonVisitor& visitor) : text_(text), visitor_(&visitor) {}

  std::optional<JsonFault> run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark, as some editors write
    if (value() && space() && at_ < text_.size())
      fail("there is more text after the end of the scene: expected the end of the file");
    return std::move(fault_);
  }

 private:
  // Every step returns true to go on; false after a fault or when the visitor has seen enough.
  bool fail(std::string text) {
    if (!fault_) fault_ = JsonFault{line_, std::move(text)};
    return false;
  }
  [[nodiscard]] char peek() const noexcept { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool next_is(std::string_view word) const noexcept {
    return text_.substr(at_).starts_with(word);
  }

  // Names the present element for messages.
  [[nodiscard]] std::string found() const {
    if (at_ >= text_.size()) return "end of the file";
    char const c = text_[at_];
    if (is_letter(c) || is_digit(c)) {
      std::size_t end = at_;
      while (end < text_.size() && end - at_ < 24 && (is_letter(text_[end]) || is_digit(text_[end]))) ++end;
      return "'" + std::string(text_.substr(at_, end - at_)) + "'";
    }
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7E)
      return "unprintable character";
    return std::string("'") + c + "'";
  }

  bool space() {
    for (;;) {
      char const c = peek();
      if (c == '\n') {
        ++line_;
        ++at_;
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (next_is("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (next_is("/*")) {
        std::uint32_t const begin = line_;
        std::size_t const end = text_.find("*/", at_ + 2);
        if (end == std::string_view::npos) {
          line_ = begin;
          return fail("the comment that begins here does not end: expected */");
        }
        for (; at_ < end + 2; ++at_) line_ += text_[at_] == '\n' ? 1u : 0u;
      } else {
        return true;
      }
    }
  }

  bool value() {
    if (!space()) return false;
    switch (peek()) {
      case '{': return container('}', JsonKind::kObject);
      case '[': return container(']', JsonKind::kArray);
      case '"': {
        std::uint32_t const line = line_;
        std::string_view token;
        return string(token) && visitor_->enter(path_, JsonKind::kString, token, line);
      }
      default: break;
    }
    if (peek() == '-' || peek() == '+' || is_digit(peek()) || peek() == '.') return number();
    for (std::string_view const word : {"true", "false", "null"}) {
      if (next_is(word) && !(at_ + word.size() < text_.size() &&
                             (is_letter(text_[at_ + word.size()]) || is_digit(text_[at_ + word.size()])))) {
        at_ += word.size();
        return visitor_->enter(path_, word == "null" ? JsonKind::kNull : JsonKind::kBoolean,
                               text_.substr(at_ - word.size(), word.size()), line_);
      }
    }
    if (is_letter(peek()))
      return fail("unexpected " + found() +
                  ": words stand in double quotes, and nan, infinity and functions are not allowed");
    return fail("unexpected " + found() + ": expected a value");
  }

  bool container(char closing, JsonKind kind) {
    if (path_.size() >= kMaxJsonDepth)
      return fail("nested too deeply: at most " + std::to_string(kMaxJsonDepth) + " levels");
    std::uint32_t const opened = line_;
    if (!visitor_->enter(path_, kind, text_.substr(at_, 1), line_)) return false;
    ++at_;
    std::uint32_t count = 0;
    for (;;) {
      if (!space()) return false;
      if (peek() == closing) break;
      if (count > 0) {
        if (peek() != ',') return fail(unclosed(closing, opened));
        ++at_;
        if (!space()) return false;
        if (peek() == closing) break;  // a trailing comma
      }
      if (!member(kind, count)) return false;
      ++count;
    }
    ++at_;
    return visitor_->leave(path_, kind, count, line_);
  }

  [[nodiscard]] std::string unclosed(char closing, std::uint32_t opened) const {
    return "unexpected " + found() + ": expected ',' or '" + closing + "' (opened on line " +
           std::to_string(opened) + ")";
  }

  bool member(JsonKind kind, std::uint32_t index) {
    JsonSegment segment{{}, index, kind == JsonKind::kArray};
    if (kind == JsonKind::kObject) {
      if (peek() != '"') return fail("unexpected " + found() + ": expected a name in double quotes");
      if (!string(segment.name) || !space()) return false;
      if (peek() != ':')
        return fail("unexpected " + found() + ": expected ':' after \"" + std::string(segment.name) + "\"");
      ++at_;
    }
    path_.push_back(segment);
    bool const go_on = value();
    path_.pop_back();
    return go_on;
  }

  bool string(std::string_view& token) {
    std::size_t const begin = ++at_;
    for (; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (static_cast<unsigned char>(text_[at_]) < 0x20) break;
      if (text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size() || text_[at_] != '"')
      return fail("the string that begins here does not end on its line: expected '\"'");
    token = text_.substr(begin, at_ - begin);
    ++at_;
    return true;
  }

  bool digits() {
    std::size_t const begin = at_;
    while (is_digit(peek())) ++at_;
    return at_ > begin;
  }

  bool number() {
    std::size_t const begin = at_;
    if (peek() == '-') ++at_;
    bool sound = digits();
    if (sound && peek() == '.') {
      ++at_;
      sound = digits();
    }
    if (sound && (peek() == 'e' || peek() == 'E')) {
      ++at_;
      if (peek() == '-' || peek() == '+') ++at_;
      sound = digits();
    }
    if (!sound || is_letter(peek()) || peek() == '.') {
      at_ = begin;
      return fail("a number that begins with " + found() +
                  " is not written as one: expected a form such as -12.5 or 3e-4");
    }
    return visitor_->enter(path_, JsonKind::kNumber, text_.substr(begin, at_ - begin), line_);
  }

  std::string_view text_;
  JsonVisitor* visitor_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::vector<JsonSegment> path_;
  std::optional<JsonFault> fault_;
};

class PathFinder final : public JsonVisitor {
 public:
  explicit PathFinder(std::string_view wanted) : wanted_(wanted) {}
  bool enter(std::span<const JsonSegment> path, JsonKind, std::string_view, std::uint32_t line) override {
    std::string const here = to_string(path);
    bool const is_ancestor =
        here.empty() ||
        (wanted_.starts_with(here) &&
         (wanted_.size() == here.size() || wanted_[here.size()] == '.' || wanted_[here.size()] == '['));
    if (is_ancestor && here.size() >= best_size_) {
      best_size_ = here.size();
      best_line_ = line;
    }
    return here != wanted_;
  }
  bool leave(std::span<const JsonSegment>, JsonKind, std::uint32_t, std::uint32_t) override { return true; }
  [[nodiscard]] std::uint32_t line() const noexcept { return best_line_; }

 private:
  std::string_view wanted_;
  std::size_t best_size_ = 0;
  std::uint32_t best_line_ = 1;
};

}  // namespace

std::string to_string(std::span<const JsonSegment> path) {
  std::string text;
  for (const JsonSegment& segment : path) {
    if (segment.in_array) {
      text += '[' + std::to_string(segment.index) + ']';
    } else {
      if (!text.empty()) text += '.';
      text += segment.name;
    }
  }
  return text;
}

std::optional<JsonFault> walk_json(std::string_view text, JsonVisitor& visitor) {
  return Walker(text, visitor).run();
}

std::uint32_t line_of_path(std::string_view text, std::string_view path) {
  PathFinder finder(path);
  (void)walk_json(text, finder);
  return finder.line();
}

}  // namespace takt::sim
