#include "server/web/http_connection.h"

#include <boost/asio/dispatch.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/web/web_origin.h"
#include "server/web/web_pipe.h"
#include "server/web/web_stream.h"

namespace takt::server {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using Request = http::request<http::string_body>;
using Response = http::response<http::span_body<const char>>;

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

// True for the viewer's page itself.
bool is_index(std::string_view target) {
  std::string_view const path = target.substr(0, target.find('?'));
  return path == "/" || path == "/index.html";
}

// True when the first entry of an X-Forwarded-Proto header, the scheme of the browser, has no TLS.
bool is_forwarded_without_tls(std::string_view schemes) {
  std::string_view const first = schemes.substr(0, schemes.find_first_of(", \t"));
  return beast::iequals({first.data(), first.size()}, "http") ||
         beast::iequals({first.data(), first.size()}, "ws");
}

/// Scripts and connections of this server alone; inline ones because the viewer's page names its modules in
/// one.
constexpr char kContentPolicy[] =
    "default-src 'self'; script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; style-src 'self' "
    "'unsafe-inline'; img-src 'self' data: blob:; "
    "media-src 'self' blob:; worker-src 'self' blob:; connect-src 'self' ws: wss:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'";

/// For an HTTP request on a port that speaks TLS.
constexpr std::string_view kPlainAnswer =
    "HTTP/1.1 400 Bad Request\r\nServer: takt\r\nContent-Type: text/plain; charset=utf-8\r\n"
    "Cache-Control: no-store\r\nConnection: close\r\nContent-Length: 43\r\n\r\n"
    "this port speaks TLS: write https:// here.\n";

class Connection final : public HttpConnection {
 public:
  Connection(Socket socket, const Ends& ends, HttpSite& site, WebBridge& bridge, HttpPages pages,
             const TlsContext* tls, std::function<void()> on_closed)
      : stream_(std::move(socket), tls),
        remote_(ends.remote),
        is_of_this_machine_(ends.remote.is_loopback() || ends.remote.ip == ends.local.ip),
        site_(&site),
        bridge_(&bridge),
        pages_(pages),
        on_closed_(std::move(on_closed)) {}

  void start() override {
    if (!stream_.is_tls()) return read_request();
    in_handshake_ = true;
    tcp().expires_after(std::chrono::milliseconds(options().handshake_timeout_ms));
    stream_.tls().handshake(
        [me = self()](beast::error_code code, std::size_t) { me->handle_handshake(code); });
  }

  [[nodiscard]] bool is_in_handshake() const override { return in_handshake_; }

  void abort() override {
    on_closed_ = nullptr;
    finish();
  }

 private:
  [[nodiscard]] std::shared_ptr<Connection> self() {
    return std::static_pointer_cast<Connection>(shared_from_this());
  }

  [[nodiscard]] const HttpOptions& options() const { return site_->options(); }

  void finish() {
    if (std::exchange(over_, true)) return;
    if (pipe_ != nullptr) {
      pipe_->close_from_web();
      bridge_->touch(pipe_);
    }
    tcp().close();
    if (auto const on_closed = std::exchange(on_closed_, nullptr)) on_closed();
  }

  [[nodiscard]] WebStream::Tcp& tcp() { return (web_ ? web_->next_layer() : stream_).next_layer(); }

  // ------------------------------------------------------------ TLS

  void handle_handshake(beast::error_code code) {
    in_handshake_ = false;
    if (over_) return;
    if (!code) return read_request();
    if (code == beast::error::timeout) {
      site_->count(HttpCounter::kTlsTimeout);
    } else if (TlsLayer::is_plain_http(code)) {
      site_->count(HttpCounter::kTlsPlain);
      return asio::async_write(tcp(), asio::buffer(kPlainAnswer),
                               [me = self()](beast::error_code, std::size_t) {
                                 if (!me->over_) me->linger();
                               });
    } else {
      site_->count(HttpCounter::kTlsFailed);
    }
    finish();
  }

  // True for a client whose bytes nobody on the path reads, as far as this server can know. A proxy tells how
  // the browser reached it, and a proxy that is not trusted speaks for another machine.
  [[nodiscard]] bool is_sealed() const {
    if (stream_.is_tls() || options().allow_plain) return true;
    if (is_from_proxy()) return !is_forwarded_without_tls(view_of(request_["X-Forwarded-Proto"]));
    return is_of_this_machine_ && !is_forwarded();
  }

  [[nodiscard]] bool is_from_proxy() const { return protocol::contains(site_->proxies(), remote_); }

  // True when a header shows a proxy that forwards for another client.
  [[nodiscard]] bool is_forwarded() const {
    return request_.count(http::field::forwarded) > 0 || request_.count("X-Forwarded-For") > 0;
  }

  // ------------------------------------------------------------ requests

  void read_request() {
    parser_.emplace();
    parser_->header_limit(static_cast<std::uint32_t>(options().header_bytes_max));
    parser_->body_limit(options().body_bytes_max);
    // For the whole of it: a byte now and then does not extend it.
    tcp().expires_after(std::chrono::milliseconds(options().request_timeout_ms));
    http::async_read(stream_, buffer_, *parser_,
                     [me = self()](beast::error_code code, std::size_t) { me->handle_request(code); });
  }

  void handle_request(beast::error_code code) {
    if (over_) return;
    if (code == http::error::end_of_stream) return finish();
    if (code == beast::error::timeout) {
      // A browser that keeps its connection for later has done no wrong.
      if (answered_ == 0 || parser_->got_some()) site_->count(HttpCounter::kRequestTimeout);
      return finish();
    }
    if (code == http::error::header_limit || code == http::error::buffer_overflow)
      return refuse(431, HttpCounter::kHeaderTooLarge, "header too large");
    if (code == http::error::body_limit)
      return refuse(413, HttpCounter::kBodyTooLarge, "nothing here takes a body");
    if (code) {
      // The parser's own complaints get an answer; a connection that broke does not.
      if (code.category() == http::make_error_code(http::error::bad_method).category() &&
          code != http::error::partial_message)
        return refuse(400, HttpCounter::kRequestMalformed, code.message());
      return finish();
    }
    request_ = parser_->release();
    if (websocket::is_upgrade(request_)) return upgrade();
    bool const is_head = request_.method() == http::verb::head;
    if (!is_head && request_.method() != http::verb::get)
      return refuse(405, HttpCounter::kMethodRefused, "GET and HEAD only");
    // RFC 9112, 3.2.
    std::size_t const host_count = request_.count(http::field::host);
    if (host_count > 1) return refuse(400, HttpCounter::kRequestMalformed, "more than one Host header");
    if (request_.version() >= 11 && host_count == 0)
      return refuse(400, HttpCounter::kRequestMalformed, "no Host header");
    if (pages_ != HttpPages::kOperator && is_index(view_of(request_.target())) && !is_sealed())
      return respond(site_->refuse_plain(remote_), is_head, false);
    site_->count(HttpCounter::kRequests);
    respond(site_->answer(pages_, view_of(request_.target()), view_of(request_[http::field::if_none_match])),
            is_head, request_.keep_alive());
  }

  void refuse(unsigned status, HttpCounter counter, std::string_view why) {
    site_->count(counter);
    respond({status, "text/plain; charset=utf-8", {}, {}, std::string(why) + "\n", nullptr}, false, false);
  }

  void respond(HttpReply answer, bool is_head, bool keep_alive) {
    reply_ = std::move(answer);
    HttpReply const& reply = reply_;
    response_ = Response(static_cast<http::status>(reply.status), 11);
    response_.set(http::field::server, "takt");
    response_.set(http::field::content_type, reply.content_type);
    response_.set(http::field::cache_control, reply.cache_control.empty() ? "no-store" : reply.cache_control);
    response_.set("X-Content-Type-Options", "nosniff");
    response_.set("Referrer-Policy", "no-referrer");
    response_.set("Content-Security-Policy", kContentPolicy);
    if (!reply.etag.empty()) response_.set(http::field::etag, reply.etag);
    if (reply.status == 405) response_.set(http::field::allow, "GET, HEAD");
    if (reply.status == 426) response_.set(http::field::upgrade, "websocket");
    response_.keep_alive(keep_alive);
    if (!is_head) response_.body() = {reply.content().data(), reply.content().size()};
    if (reply.status != 304) response_.content_length(reply.content().size());
    tcp().expires_after(std::chrono::milliseconds(options().response_timeout_ms));
    http::async_write(stream_, response_, [me = self(), keep_alive](beast::error_code code, std::size_t) {
      me->handle_written(code, keep_alive);
    });
  }

  void handle_written(beast::error_code code, bool keep_alive) {
    if (over_) return;
    if (code == beast::error::timeout) site_->count(HttpCounter::kResponseTimeout);
    ++answered_;
    response_ = Response{};
    reply_ = HttpReply{};
    if (!code && keep_alive) return read_request();
    if (code) return finish();
    if (!stream_.is_tls()) return linger();
    tcp().expires_after(std::chrono::milliseconds(kLingerMs));
    stream_.tls().shut_down([me = self()](beast::error_code, std::size_t) {
      if (!me->over_) me->linger();
    });
  }

  // A refused request may still be arriving; closing at once would reset the connection under the answer.
  void linger() {
    beast::error_code ignored;
    tcp().socket().shutdown(asio::socket_base::shutdown_send, ignored);
    tcp().expires_after(std::chrono::milliseconds(kLingerMs));
    drain(kLingerBytesMax);
  }

  void drain(std::size_t bytes_left) {
    drained_.resize(4096);
    tcp().async_read_some(asio::buffer(drained_),
                          [me = self(), bytes_left](beast::error_code code, std::size_t bytes) {
                            if (me->over_) return;
                            if (code || bytes >= bytes_left) return me->finish();
                            me->drain(bytes_left - bytes);
                          });
  }

  // ------------------------------------------------------------ web socket

  // The entries of several headers are one list.
  void find_client() {
    std::string list;
    auto const [first, last] = request_.equal_range("X-Forwarded-For");
    for (auto header = first; header != last; ++header) {
      if (!list.empty()) list += ',';
      list += view_of(header->value());
    }
    if (auto const client = protocol::forwarded_client(site_->proxies(), list)) client_ = *client;
  }

  void upgrade() {
    std::string_view const target = view_of(request_.target());
    if (pages_ == HttpPages::kOperator || target.substr(0, target.find('?')) != "/ws")
      return respond({404,
                      "text/plain; charset=utf-8",
                      {},
                      {},
                      "web sockets are at /ws of the viewer's port\n",
                      nullptr},
                     false, false);
    std::string_view const origin = view_of(request_[http::field::origin]);
    std::string_view const host = view_of(request_[http::field::host]);
    bool const is_one_origin =
        request_.count(http::field::origin) <= 1 && request_.count(http::field::host) == 1;
    if (!is_one_origin || !is_origin_allowed(origin, host, options().origins))
      return refuse(403, HttpCounter::kOriginRefused,
                    "pages of this origin may not connect; takt serve --origin allows more");
    if (!is_sealed()) return respond(site_->refuse_plain(remote_), false, false);
    // Sixteen bytes in base64; Beast takes anything.
    std::string_view const key = view_of(request_[http::field::sec_websocket_key]);
    if (key.size() != 24 || !key.ends_with("=="))
      return refuse(400, HttpCounter::kUpgradeMalformed, "Sec-WebSocket-Key is not one");
    // A proxy on this machine makes everybody look local; it says so.
    is_trusted_ = is_local_page(origin, host) && !is_forwarded() && !is_from_proxy();
    if (is_from_proxy()) find_client();
    tcp().expires_never();
    web_.emplace(std::move(stream_));
    websocket::stream_base::timeout timeouts{};
    timeouts.handshake_timeout = std::chrono::milliseconds(options().handshake_timeout_ms);
    timeouts.idle_timeout = std::chrono::milliseconds(options().idle_timeout_ms);
    timeouts.keep_alive_pings = true;
    web_->set_option(timeouts);
    web_->read_message_max(options().message_bytes_max);
    web_->auto_fragment(false);
    web_->binary(true);
    web_->set_option(websocket::stream_base::decorator(
        [](websocket::response_type& answer) { answer.set(http::field::server, "takt"); }));
    web_->async_accept(request_, [me = self()](beast::error_code code) { me->handle_accepted(code); });
  }

  void handle_accepted(beast::error_code code) {
    if (over_) return;
    if (code) {
      site_->count(code == beast::error::timeout ? HttpCounter::kRequestTimeout
                                                 : HttpCounter::kUpgradeMalformed);
      return finish();
    }
    site_->count(HttpCounter::kUpgrades);
    request_ = {};
    // The network thread wakes us; the connection may be gone by then.
    auto const wake = [weak = std::weak_ptr<Connection>(self()), executor = web_->get_executor()] {
      asio::post(executor, [weak] {
        if (auto const me = weak.lock()) me->handle_wake();
      });
    };
    pipe_ = std::make_shared<WebPipe>(client_, is_trusted_, wake);
    bridge_->touch(pipe_);
    read_message();
  }

  void read_message() {
    reading_ = true;
    web_->async_read(buffer_,
                     [me = self()](beast::error_code code, std::size_t) { me->handle_message(code); });
  }

  void handle_message(beast::error_code code) {
    reading_ = false;
    if (over_) return;
    if (code) {
      count_ending(code);
      return finish();
    }
    if (web_->got_text()) {
      site_->count(HttpCounter::kTextMessage);
      return close(websocket::close_code::unknown_data, "binary messages only");
    }
    auto const data = buffer_.cdata();
    bool const may_read = pipe_->give_inbound({static_cast<const std::byte*>(data.data()), data.size()});
    buffer_.consume(buffer_.size());
    bridge_->touch(pipe_);
    if (may_read && !closing_) read_message();
  }

  void count_ending(beast::error_code code) {
    if (code == websocket::error::closed || code == asio::error::operation_aborted) return;
    if (code == beast::error::timeout) return site_->count(HttpCounter::kSocketTimeout);
    if (code == websocket::error::message_too_big || code == websocket::error::buffer_overflow)
      return site_->count(HttpCounter::kMessageTooLarge);
    if (code == websocket::error::bad_unmasked_frame) return site_->count(HttpCounter::kUnmaskedFrame);
    if (code.category() == websocket::make_error_code(websocket::error::bad_opcode).category())
      site_->count(HttpCounter::kFrameMalformed);
  }

  void handle_wake() {
    if (over_) return;
    write_chunk();
    if (!reading_ && !closing_ && pipe_->may_read()) read_message();
  }

  void write_chunk() {
    if (writing_ || closing_) return;
    if (!pipe_->take_outbound(chunk_)) {
      if (pipe_->is_ended()) close(websocket::close_code::normal, "");
      return;
    }
    writing_ = true;
    web_->async_write(asio::buffer(chunk_), [me = self()](beast::error_code code, std::size_t) {
      me->writing_ = false;
      if (me->over_) return;
      if (code) {
        if (code == beast::error::timeout) me->site_->count(HttpCounter::kSocketTimeout);
        return me->finish();
      }
      me->pipe_->finish_outbound();
      me->bridge_->touch(me->pipe_);
    });
  }

  // The other end has the handshake's time to answer; a read that is under way ends with it.
  void close(websocket::close_code code, const char* why) {
    if (std::exchange(closing_, true)) return;
    web_->async_close(websocket::close_reason(code, why), [me = self()](beast::error_code) { me->finish(); });
  }

  static constexpr int kLingerMs = 2'000;
  static constexpr std::size_t kLingerBytesMax = 256 * 1024;

  WebStream stream_;
  protocol::Address remote_;
  bool is_of_this_machine_;  // by its addresses; a forwarder on this machine is, too
  HttpSite* site_;
  WebBridge* bridge_;
  HttpPages pages_;
  std::function<void()> on_closed_;
  beast::flat_buffer buffer_{kBufferBytesMax};
  std::optional<http::request_parser<http::string_body>> parser_;
  Request request_;
  HttpReply reply_;  // what response_ shows
  Response response_;
  std::vector<char> drained_;
  std::optional<websocket::stream<WebStream>> web_;
  std::shared_ptr<WebPipe> pipe_;
  std::vector<std::byte> chunk_;
  std::uint64_t answered_ = 0;
  bool in_handshake_ = false;
  bool is_trusted_ = false;
  protocol::Address client_ = remote_;  // of the web socket, or whom a trusted proxy names
  bool reading_ = false;
  bool writing_ = false;
  bool closing_ = false;
  bool over_ = false;

  /// Largest header and body of a request, or message; the limits of each are below it.
  static constexpr std::size_t kBufferBytesMax = 256 * 1024;
};

}  // namespace

std::shared_ptr<HttpConnection> HttpConnection::create(Socket socket, const Ends& ends, HttpSite& site,
                                                       WebBridge& bridge, HttpPages pages,
                                                       const TlsContext* tls,
                                                       std::function<void()> on_closed) {
  return std::make_shared<Connection>(std::move(socket), ends, site, bridge, pages, tls,
                                      std::move(on_closed));
}

}  // namespace takt::server
