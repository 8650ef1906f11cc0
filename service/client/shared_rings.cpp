#include "service/client/shared_rings.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <new>

#include "service/client/futex.h"

namespace takt::service {
namespace {

constexpr std::size_t kHeadBytes = 4096;  // a page, so that the rings begin at pages
constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

RingHead* head_at(void* mapping, std::size_t index) noexcept {
  return std::launder(
      reinterpret_cast<RingHead*>(static_cast<std::byte*>(mapping) + index * sizeof(RingHead)));
}
std::span<std::byte> requests_of(void* mapping, const RingSizes& sizes) noexcept {
  return {static_cast<std::byte*>(mapping) + kHeadBytes, sizes.request_bytes};
}
std::span<std::byte> replies_of(void* mapping, const RingSizes& sizes) noexcept {
  return {static_cast<std::byte*>(mapping) + kHeadBytes + sizes.request_bytes, sizes.reply_bytes};
}

RingFault system_fault(const char* call) {
  int const error = errno;
  return {std::string(call) + ": " + std::strerror(error), error};
}

// tmpfs gives up when a signal comes.
int reserve(int memory, off_t bytes) noexcept {
  int result = -1;
  do result = ::fallocate(memory, 0, 0, bytes);
  while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

takt_status status_of(const RingFault& fault) noexcept {
  if (fault.error == EDQUOT || fault.error == EMFILE || fault.error == ENFILE) return TAKT_ERROR_LIMIT;
  if (fault.error == ENOMEM || fault.error == ENOSPC) return TAKT_ERROR_MEMORY;
  return TAKT_ERROR_UNSUPPORTED;
}

std::size_t RingSizes::memory_bytes() const noexcept {
  return kHeadBytes + std::size_t{request_bytes} + reply_bytes;
}

SharedRings::SharedRings(int memory, void* mapping, const RingSizes& sizes, int socket) noexcept
    : memory_(memory),
      socket_(socket),
      mapping_(mapping),
      size_bytes_(sizes.memory_bytes()),
      reader_(*head_at(mapping, socket < 0 ? 0 : 1),
              socket < 0 ? requests_of(mapping, sizes) : replies_of(mapping, sizes)),
      writer_(*head_at(mapping, socket < 0 ? 1 : 0),
              socket < 0 ? replies_of(mapping, sizes) : requests_of(mapping, sizes)) {}

Result<std::unique_ptr<SharedRings>, RingFault> SharedRings::create(const RingSizes& sizes) {
  int const memory = ::memfd_create("takt-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return system_fault("memfd_create");
  // The client cannot take pages away below this process by a smaller size. All pages exist from the start:
  // a system without memory refuses here. A client may punch holes (fallocate, madvise), which no seal
  // forbids to one that may write: the service finds zeros there, in pages that the system must have then.
  auto const bytes = static_cast<off_t>(sizes.memory_bytes());
  void* mapping = MAP_FAILED;
  const char* call = "fallocate";
  if (::ftruncate(memory, bytes) == 0 && reserve(memory, bytes) == 0) {
    call = "fcntl(F_ADD_SEALS)";
    if (::fcntl(memory, F_ADD_SEALS, kSeals) == 0) {
      call = "mmap";
      mapping =
          ::mmap(nullptr, sizes.memory_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory, 0);
    }
  }
  if (mapping == MAP_FAILED) {
    RingFault fault = system_fault(call);
    ::close(memory);
    return fault;
  }
  for (std::size_t i = 0; i < 2; ++i) new (static_cast<std::byte*>(mapping) + i * sizeof(RingHead)) RingHead;
  std::unique_ptr<SharedRings> rings(new (std::nothrow) SharedRings(memory, mapping, sizes, -1));
  if (rings != nullptr) return rings;
  (void)::munmap(mapping, sizes.memory_bytes());
  ::close(memory);
  return RingFault{"new: out of memory", ENOMEM};
}

Result<std::unique_ptr<SharedRings>, RingFault> SharedRings::open(int memory, const RingSizes& sizes,
                                                                  int socket) {
  struct Closer {
    int memory;
    ~Closer() {
      if (memory >= 0) ::close(memory);
    }
  } const closer{memory};
  if (memory < 0 || !sizes.is_valid()) return RingFault{"the service sent no memory of rings"};
  struct stat status {};
  int const seals = ::fcntl(memory, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || ::fstat(memory, &status) != 0 ||
      status.st_size != static_cast<off_t>(sizes.memory_bytes()))
    return RingFault{"the memory of rings has another size, or may lose it"};
  void* const mapping = ::mmap(nullptr, sizes.memory_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
  if (mapping == MAP_FAILED) return system_fault("mmap");
  std::unique_ptr<SharedRings> rings(new (std::nothrow) SharedRings(-1, mapping, sizes, socket));
  if (rings != nullptr) return rings;
  (void)::munmap(mapping, sizes.memory_bytes());
  return RingFault{"new: out of memory", ENOMEM};
}

SharedRings::~SharedRings() {
  close_memory();
  (void)::munmap(mapping_, size_bytes_);
}

void SharedRings::remove_memory() noexcept {
  writer_.withdraw();
  (void)::madvise(mapping_, size_bytes_, MADV_REMOVE);
}

void SharedRings::close_memory() noexcept {
  if (memory_ >= 0) ::close(memory_);
  memory_ = -1;
}

// A service that reads the socket gets a byte there, which says no more than that something is to do. A full
// socket has such bytes.
void SharedRings::wake(RingWait wait, std::atomic<std::uint32_t>& word) const noexcept {
  if (wait == RingWait::kAwake) return;
  if (wait == RingWait::kSocket && socket_ >= 0) {
    char const byte = 0;
    (void)!::send(socket_, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  wake_at(word);
}

std::size_t SharedRings::read(std::span<std::byte> out) noexcept {
  std::size_t const count = reader_.read(out);
  if (socket_ >= 0 && !reader_.is_present()) return 0;
  if (count > 0) wake(reader_.take_writer_wait(), reader_.writer_wait_word());
  return count;
}

std::size_t SharedRings::write(std::span<const std::byte> in) noexcept {
  std::size_t const count = writer_.write(in);
  if (count > 0) wake(writer_.take_reader_wait(), writer_.reader_wait_word());
  return count;
}

void SharedRings::wake_other() noexcept {
  wake_at(reader_.writer_wait_word());
  wake_at(writer_.reader_wait_word());
}

void SharedRings::sleep_for_bytes(std::chrono::nanoseconds limit) noexcept {
  if (!reader_.begin_wait(RingWait::kFutex)) return;
  wait_at(reader_.wait_word(), static_cast<std::uint32_t>(RingWait::kFutex), limit);
  reader_.end_wait();
}

bool SharedRings::wait_for_bytes(std::chrono::nanoseconds limit) noexcept {
  auto const nap = spin_.begin();
  if (nap.count() > 0) sleep_for_bytes(std::min(nap, limit));
  if (spin_.spin([&] { return reader_.has_bytes(); })) return true;
  sleep_for_bytes(limit);
  bool const has_bytes = reader_.has_bytes();
  if (has_bytes) spin_.end_sleep();
  return has_bytes;
}

bool SharedRings::wait_for_room(std::chrono::nanoseconds limit) noexcept {
  if (writer_.begin_wait(RingWait::kFutex)) {
    wait_at(writer_.wait_word(), static_cast<std::uint32_t>(RingWait::kFutex), limit);
    writer_.end_wait();
  }
  return writer_.has_room();
}

ssize_t send_with(int socket, std::span<const std::byte> bytes, int descriptor) noexcept {
  iovec part{const_cast<std::byte*>(bytes.data()), bytes.size()};  // NOLINT: sendmsg reads it alone
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  cmsghdr* const head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &descriptor, sizeof descriptor);
  return ::sendmsg(socket, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
}

ssize_t receive_with(int socket, std::span<std::byte> room, int& descriptor) noexcept {
  descriptor = -1;
  iovec part{room.data(), room.size()};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(4 * sizeof(int))> control{};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  ssize_t const count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (count < 0) return count;
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head != nullptr; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    std::size_t const descriptors = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < descriptors; ++i) {
      int one = -1;
      std::memcpy(&one, CMSG_DATA(head) + i * sizeof(int), sizeof one);
      if (descriptor < 0)
        descriptor = one;
      else
        ::close(one);
    }
  }
  return count;
}

}  // namespace takt::service
