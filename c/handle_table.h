// HandleTable maps the handles of takt.h to the objects behind them. A handle is a number: kind, generation
// and slot. So the table recognises null, destroyed and foreign handles without reading memory behind them. A
// slot counts its users: one exclusive user, or several shared ones. A call fails at once if it or a present
// user is exclusive; shared users do not exclude one another. The table never waits for a user. Use holds an
// object for the time of a call. HandleTable reads no object; each HandleKind has one class, such as
// WorldObject.
//
// acquire and release take no lock. insert and retire lock a mutex.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace takt::c {

/// Frozen values: they are part of handles, and 0 is none.
enum class HandleKind : std::uint8_t {
  kScene = 1,
  kWorld,
  kBatch,
  kSnapshot,
  kArray,
  kRecording,
  kService,
  kRemoteWorld,
  kRemoteBatch,
  kRemoteSnapshot
};

/// The kind in the bits of a handle, which may be of any value.
[[nodiscard]] inline HandleKind kind_of(const void* handle) noexcept {
  return static_cast<HandleKind>(reinterpret_cast<std::uintptr_t>(handle) >> 60u);
}

enum class Access : std::uint8_t { kExclusive, kShared };

enum class AcquireFault : std::uint8_t { kNone, kNull, kUnknown, kBusy };

class HandleTable {
 public:
  /// The table of the process. It is never destroyed: calls may come from destructors of other libraries.
  static HandleTable& instance();

  /// Returns the new handle. Throws std::bad_alloc; nothing has changed then.
  [[nodiscard]] std::uint64_t insert(HandleKind kind, void* object);
  /// Marks the object as used. With kNone, `object` is set and release() must follow; after exclusive use,
  /// retire() may follow instead.
  [[nodiscard]] AcquireFault acquire(std::uint64_t handle, HandleKind kind, Access access, void*& object);
  void release(std::uint64_t handle, Access access) noexcept;
  /// Ends a handle that the caller has acquired exclusively; release() must not follow.
  void retire(std::uint64_t handle) noexcept;

 private:
  // A slot's state: generation and kind of its handle, and its users.
  struct Slot {
    std::atomic<std::uint64_t> state{0};
    std::atomic<void*> object{nullptr};
  };
  static constexpr std::uint32_t kChunkSlots = 4096;
  static constexpr std::uint32_t kChunks = 4096;  // 2^24 slots
  [[nodiscard]] Slot* find(std::uint64_t handle) const noexcept;

  std::atomic<Slot*> chunks_[kChunks]{};
  std::mutex mutex_;
  std::uint32_t slot_count_ = 0;  // under mutex_
  std::vector<std::uint32_t>
      free_;  // under mutex_; capacity for all slots, so that retire() does not allocate
};

/// An object in use, for the scope of a call.
template <class Object>
class Use {
 public:
  /// Object::kKind is the kind of its handles.
  Use(const void* handle, Access access)
      : handle_(reinterpret_cast<std::uintptr_t>(handle)), access_(access) {
    void* object = nullptr;
    fault_ = HandleTable::instance().acquire(handle_, Object::kKind, access, object);
    object_ = static_cast<Object*>(object);
  }
  ~Use() {
    if (object_ != nullptr) HandleTable::instance().release(handle_, access_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  [[nodiscard]] AcquireFault fault() const noexcept { return fault_; }
  [[nodiscard]] Object& operator*() const noexcept { return *object_; }
  [[nodiscard]] Object* operator->() const noexcept { return object_; }
  /// Ends the handle and destroys the object. The use must be exclusive.
  void destroy() noexcept {
    HandleTable::instance().retire(handle_);
    delete object_;
    object_ = nullptr;
  }
  /// Ends the handle and leaves the object to its owner. The use must be exclusive.
  void retire() noexcept {
    HandleTable::instance().retire(handle_);
    object_ = nullptr;
  }

 private:
  std::uint64_t handle_;
  Access access_;
  AcquireFault fault_;
  Object* object_ = nullptr;
};

/// Returns a handle in the form of takt.h: a pointer that is never followed.
template <class Handle>
[[nodiscard]] Handle* pointer_of(std::uint64_t handle) noexcept {
  return reinterpret_cast<Handle*>(static_cast<std::uintptr_t>(handle));  // NOLINT(performance-no-int-to-ptr)
}

/// Returns a new handle that owns the object. Handle is takt_world and so on.
template <class Handle, class Object>
[[nodiscard]] Handle* make_handle(std::unique_ptr<Object> object) {
  std::uint64_t const handle = HandleTable::instance().insert(Object::kKind, object.get());
  (void)object.release();
  return pointer_of<Handle>(handle);
}

/// A new handle of an object that a service is about to have: nothing allocates once it has it. The handle
/// ends with this scope unless it is given away.
template <class Handle, class Object>
class NewHandle {
 public:
  explicit NewHandle(std::unique_ptr<Object> object)
      : object_(object.get()), handle_(make_handle<Handle>(std::move(object))) {}
  ~NewHandle() {
    if (handle_ == nullptr) return;
    Use<Object> use(handle_, Access::kExclusive);
    if (use.fault() == AcquireFault::kNone) use.destroy();
  }
  NewHandle(const NewHandle&) = delete;
  NewHandle& operator=(const NewHandle&) = delete;

  [[nodiscard]] Object* operator->() const noexcept { return object_; }
  /// Gives the handle to the caller of takt.h after a call that has succeeded. Returns the status.
  [[nodiscard]] std::int32_t give(std::int32_t status, Handle*& out) noexcept {
    if (status == 0) out = std::exchange(handle_, nullptr);
    return status;
  }

 private:
  Object* object_;
  Handle* handle_;
};

}  // namespace takt::c
