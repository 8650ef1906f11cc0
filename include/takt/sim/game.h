// Game is the base class of a host program's own rules; an object of it belongs to a Simulation, live or in
// replay. Simulation::create calls on_start with the scene's names (SceneNames). Simulation::step calls the
// Game when players join or leave, for their spawns and custom commands, before physics and after physics.
// Game changes the world and sends messages to players by WorldAccess. State of the rules that outlives a
// tick must be named in visit_state() by a StateVisitor, because it is hashed with the world's. A Game must
// not read clocks, files, memory addresses or random devices; WorldAccess::random() and random_below() give
// random numbers. A Simulation may run without a Game. docs/GAME.md has examples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "takt/core/bytes.h"
#include "takt/core/id.h"
#include "takt/core/result.h"
#include "takt/core/state_fields.h"
#include "takt/physics/vector.h"
#include "takt/sim/any_world.h"
#include "takt/sim/command.h"
#include "takt/sim/error.h"

namespace takt::sim {

struct Scene;
struct TickScope;

inline constexpr std::size_t kMaxGameMessageBytes = 1000;    ///< of one GameMessage; the protocol's limit
inline constexpr std::size_t kMaxGameMessagesPerTick = 256;  ///< a message to all players counts once
inline constexpr std::size_t kMaxRefusalTextBytes = 200;     ///< of WorldAccess::refuse; the protocol's limit

/// Bytes from a Game for players. Messages are neither hashed nor recorded; a replay computes them again.
struct GameMessage {
  std::uint64_t tick = 0;        ///< of the state after the step
  PlayerId player = 0;           ///< kServerPlayer = all players
  std::vector<std::byte> bytes;  ///< at most kMaxGameMessageBytes
  friend bool operator==(const GameMessage&, const GameMessage&) = default;
};

/// The input that created a body: a spawn command, or a custom command during which the Game created the body
/// for the same player. Client::spawn and Client::send return the sequence.
struct SpawnTicket {
  BodyId body;
  PlayerId player = 0;         ///< the player that sent the command and owns the body
  std::uint32_t sequence = 0;  ///< of the input
  friend bool operator==(const SpawnTicket&, const SpawnTicket&) = default;
};

/// Ids of a scene's named bodies, shapes, joints and ropes, generated ones included. Valid during
/// Game::on_start; a Game that needs an id later saves it.
class SceneNames {
 public:
  /// Return the id of that name; null if nothing or more than one thing has the name. A mover's name gives
  /// its body. shape() and shapes() require that the Game has destroyed no body yet (asserted).
  [[nodiscard]] BodyId body(std::string_view name) const;
  [[nodiscard]] ShapeId shape(std::string_view name) const;
  [[nodiscard]] JointId joint(std::string_view name) const;
  [[nodiscard]] RopeId rope(std::string_view name) const;

  /// Return all ids of that name, in order of creation; none for an empty name.
  [[nodiscard]] std::vector<BodyId> bodies(std::string_view name) const;
  [[nodiscard]] std::vector<ShapeId> shapes(std::string_view name) const;
  [[nodiscard]] std::vector<JointId> joints(std::string_view name) const;
  [[nodiscard]] std::vector<RopeId> ropes(std::string_view name) const;

 private:
  friend class Simulation;
  SceneNames(const Scene& scene, const AnyWorld& world) noexcept : scene_(&scene), world_(&world) {}
  const Scene* scene_;
  const AnyWorld* world_;
  std::vector<BodyId> bodies_;  // of the scene's lists, in their order, as the others
  std::vector<JointId> joints_;
  std::vector<RopeId> ropes_;
};

/// The calls of a Game on its world, in either numbers mode. An object is valid during the call of the Game
/// that received it. The command policy does not apply to games. Ropes and joints have no owner.
class WorldAccess : public WorldEdits<WorldAccess> {
 public:
  /// Tick of the state before this step; in Game::after_tick, of the state after it.
  [[nodiscard]] std::uint64_t tick() const noexcept;
  [[nodiscard]] std::uint32_t tick_rate_hz() const noexcept;
  /// The whole world, for reading.
  [[nodiscard]] const AnyWorld& world() const noexcept { return *world_; }

  /// Creates a body that `owner` owns. Nobody owns it if `owner` is kServerPlayer or has not joined. Errors:
  /// as World::create_body.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(const BodyDef& def, PlayerId owner = kServerPlayer);
  /// Creates a body of one shape that `owner` owns; `def.shapes` is not read. Errors: as World::create_body.
  [[nodiscard]] Result<BodyId, PhysicsError> create_body(BodyDef def, const ShapeDef& shape,
                                                         PlayerId owner = kServerPlayer) {
    def.shapes = {&shape, 1};
    return create_body(def, owner);
  }
  /// Creates a mover whose body `owner` owns. Errors: as World::create_mover.
  [[nodiscard]] Result<MoverId, PhysicsError> create_mover(const MoverDef& def,
                                                           PlayerId owner = kServerPlayer);
  /// Destroys a body, whoever owns it (World::destroy_body). Errors: kUnknownBody.
  EditResult destroy_body(BodyId body);
  /// Returns the player that owns the body; kServerPlayer if nobody does or the body is gone.
  [[nodiscard]] PlayerId owner(BodyId body) const noexcept;
  /// The body of a shape that an event names; null when the shape is no longer alive.
  [[nodiscard]] BodyId body_of(ShapeId shape) const noexcept { return world_->body_of(shape); }

  /// A random integer in [0, bound), each with equal probability; 0 for a bound of 0. Like random(), which
  /// returns 32 uniform bits, it draws from the world's stream: saved, hashed and equal in each replay.
  [[nodiscard]] std::uint32_t random_below(std::uint32_t bound);

  /// Sends bytes or text to a joined player, in order and without loss. The client receives them as an event
  /// GameMessage. Errors (nothing is sent then): kUnknownPlayer, kMessageTooLong, kTooManyMessages. A message
  /// sent in Game::on_start reaches nobody.
  Result<Unit, SimError> send(PlayerId player, std::span<const std::byte> bytes);
  Result<Unit, SimError> send(PlayerId player, std::string_view text);
  /// Sends to all players that are joined at the end of the tick; without players it has no effect. Errors:
  /// kMessageTooLong, kTooManyMessages.
  Result<Unit, SimError> send_to_all(std::span<const std::byte> bytes);
  Result<Unit, SimError> send_to_all(std::string_view text);

  /// Sets the text of a refusal and returns false, for `return world.refuse("...")`. From Game::on_command
  /// the player's client receives the text, from Game::on_start the caller of Simulation::create; elsewhere
  /// it has no effect. The text is cut to kMaxRefusalTextBytes between two UTF-8 characters. The last call
  /// counts.
  bool refuse(std::string_view text);

  /// As AnyWorld's; create_assembly() and control_vehicle() (takt/physics/assembly.h) call them on a
  /// WorldAccess. The joint must be alive (asserted) for joint_def.
  [[nodiscard]] bool contains(JointId joint) const noexcept { return world_->contains(joint); }
  [[nodiscard]] JointDef joint_def(JointId joint) const { return world_->joint_def(joint); }

 private:
  friend class Simulation;
  friend class WorldEdits<WorldAccess>;
  template <class Call>
  decltype(auto) visit(Call&& call) {
    return world_->visit(std::forward<Call>(call));
  }
  explicit WorldAccess(TickScope& scope) noexcept;
  AnyWorld* world_;
  TickScope* scope_;
};

/// The name of a field or list: a literal of 1 to 24 lower-case letters, digits and underscores. Another name
/// does not compile.
class StateName {
 public:
  template <std::size_t size>
  consteval StateName(const char (&literal)[size])  // NOLINT: implicit on purpose
      : text_(literal, size - 1) {
    if (!is_valid(text_)) a_state_name_has_1_to_24_lower_case_letters_digits_or_underscores();
  }
  [[nodiscard]] constexpr std::string_view text() const noexcept { return text_; }

 private:
  static constexpr bool is_valid(std::string_view text) noexcept {
    if (text.empty() || text.size() > 24) return false;
    for (char const c : text)
      if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
    return true;
  }
  static void a_state_name_has_1_to_24_lower_case_letters_digits_or_underscores() {}  // not constexpr

  std::string_view text_;
};

/// A number that a field may have: an integer of 8 to 64 bits, bool, float or double.
template <class T>
concept StateNumber = LittleEndianEncodable<T> && !std::is_const_v<T>;

/// Receives the fields of a Game's state from Game::visit_state, by name and type. One call writes the fields
/// for images, hashes and snapshots, reads them back, or names them where two states differ (`replay diff`,
/// `bisect`, SyncTest, `lockstep-test`): a field is in all of these or in none. Containers need a maximum
/// size, because the bytes of an image are untrusted. Unordered containers, pointers and numbers of other
/// types do not compile.
///
/// A state is encoded as its values in the order of the calls, little-endian, without names
/// (docs/RECORDING.md). The hash depends on these bytes.
class StateVisitor {
 public:
  StateVisitor(const StateVisitor&) = delete;
  StateVisitor& operator=(const StateVisitor&) = delete;
  virtual ~StateVisitor() = default;

  /// True while the state is read: the call replaces each value. Otherwise no value changes. A Game that
  /// keeps derived values computes them again after its last field if is_loading().
  [[nodiscard]] bool is_loading() const noexcept { return is_loading_; }

  /// A number. Every NaN is saved as one pattern of bits, so that equal states have equal bytes.
  template <StateNumber T>
  void field(StateName name, T& value) {
    number(name, {}, value);
  }
  /// An enumeration whose values are 0 to `last`. Loading refuses others.
  template <class E>
  requires std::is_enum_v<E>
  void field(StateName name, E& value, E last) {
    auto bits = static_cast<std::underlying_type_t<E>>(value);
    number(name, {}, bits);
    if (!is_loading_) return;
    bool const is_known = bits >= 0 && bits <= static_cast<std::underlying_type_t<E>>(last);
    require(is_known, name, "the value is not one of its enumeration");
    value = is_known ? static_cast<E>(bits) : E{};
  }
  /// The id of a body, shape, joint, rope or mover; it may be null. Loading does not look it up in the world.
  template <class Tag>
  void field(StateName name, Id<Tag>& id) {
    number(name, "index", id.index);
    number(name, "generation", id.generation);
  }
  template <StateNumber T>
  void field(StateName name, Vec3<T>& v) {
    number(name, "x", v.x);
    number(name, "y", v.y);
    number(name, "z", v.z);
  }
  template <StateNumber T>
  void field(StateName name, Quat<T>& q) {
    number(name, "x", q.x);
    number(name, "y", q.y);
    number(name, "z", q.z);
    number(name, "w", q.w);
  }
  void field(StateName name, Position& p) {
    number(name, "x", p.x_raw);
    number(name, "y", p.y_raw);
    number(name, "z", p.z_raw);
  }
  /// A string of at most `max_bytes`: a longer one is not saved (asserted) and not loaded (refused).
  void text(StateName name, std::string& value, std::size_t max_bytes) { visit_text(name, value, max_bytes); }

  /// A list of at most `max_count` elements (asserted when saved, refused when loaded). `fields` is called as
  /// fields(T& element, StateVisitor& visitor). A list may lie in the elements of a list, not deeper
  /// (asserted).
  template <class T, class Fields>
  void list(StateName name, std::vector<T>& elements, std::uint32_t max_count, Fields&& fields) {
    std::uint32_t const count = begin_list(name, checked_size(elements.size()), max_count);
    if (is_loading_) elements.clear();
    for (std::uint32_t i = 0; i < count && !has_failed(); ++i) {
      begin_element();
      fields(is_loading_ ? elements.emplace_back() : elements[i], *this);
    }
    end_list();
  }
  /// A list of numbers or ids, with the field "value" each.
  template <class T>
  void list(StateName name, std::vector<T>& elements, std::uint32_t max_count) {
    list(name, elements, max_count, [](T& element, StateVisitor& in) { in.field("value", element); });
  }
  /// An array: a list whose size is not saved.
  template <class T, std::size_t size, class Fields>
  void list(StateName name, std::array<T, size>& elements, Fields&& fields) {
    begin_array(name);
    for (T& element : elements) {
      if (has_failed()) break;
      begin_element();
      fields(element, *this);
    }
    end_list();
  }
  template <class T, std::size_t size>
  void list(StateName name, std::array<T, size>& elements) {
    list(name, elements, [](T& element, StateVisitor& in) { in.field("value", element); });
  }
  /// A map as a list in the order of its keys, which are numbers or ids; each element has the field "key".
  /// `fields` is called as fields(T& value, StateVisitor& visitor). Loading refuses keys that do not ascend.
  template <class K, class T, class Fields>
  void map(StateName name, std::map<K, T>& elements, std::uint32_t max_count, Fields&& fields) {
    std::uint32_t const count = begin_list(name, checked_size(elements.size()), max_count);
    if (is_loading_) {
      elements.clear();
      for (std::uint32_t i = 0; i < count && !has_failed(); ++i) {
        begin_element();
        K key{};
        field("key", key);
        require(elements.empty() || elements.rbegin()->first < key, "key", "the keys do not ascend");
        if (!has_failed()) fields(elements[key], *this);
      }
    } else {
      for (auto& [key, value] : elements) {
        begin_element();
        K saved_key = key;
        field("key", saved_key);
        fields(value, *this);
      }
    }
    end_list();
  }

  /// Refuses the state while it is loaded if `holds` is false, such as for an index beyond its list. `name`
  /// and `problem` are in the error. Only the first refusal counts; the values after it are 0 and empty.
  void require(bool holds, StateName name, std::string_view problem) {
    if (is_loading_ && !holds) refuse(name.text(), problem);
  }

 protected:
  explicit StateVisitor(bool is_loading) noexcept : is_loading_(is_loading) {}

  /// `part` is "x", "index" and the like, empty for a plain number. The texts live for the whole program.
  virtual void visit_number(std::string_view name, std::string_view part, FieldKind kind,
                            std::uint64_t& bits) = 0;
  virtual void visit_text(StateName name, std::string& value, std::size_t max_bytes) = 0;
  /// Returns the number of elements to visit: `count` when saving, that of the bytes when loading.
  [[nodiscard]] virtual std::uint32_t begin_list(StateName name, std::uint32_t count,
                                                 std::uint32_t max_count) = 0;
  virtual void begin_array(StateName name) = 0;
  virtual void begin_element() = 0;
  virtual void end_list() = 0;
  virtual void refuse(std::string_view name, std::string_view problem) = 0;
  [[nodiscard]] virtual bool has_failed() const noexcept = 0;

 private:
  template <StateNumber T>
  void number(StateName name, std::string_view part, T& value) {
    std::uint64_t bits = number_field({}, value).bits;
    visit_number(name.text(), part, field_kind_of<T>(), bits);
    if (!is_loading_) return;
    std::array<std::byte, 8> bytes{};
    store_little_endian(bytes.data(), bits);
    value = load_little_endian<T>(bytes.data());
  }
  static std::uint32_t checked_size(std::size_t size) noexcept {
    return size > UINT32_MAX ? UINT32_MAX : static_cast<std::uint32_t>(size);
  }

  bool is_loading_;
};

/// The rules of a host program. The default of each call does nothing, and on_command refuses. No call may
/// throw: a server whose Game throws ends its ticks, closes its recording and reports HostStatus::failure. A
/// replay of the recording reports the tick and the text (kGameThrew).
class Game {
 public:
  virtual ~Game() = default;

  /// Name and version such as "balloons/3", equal in every call and at most 256 bytes long (asserted).
  /// Recordings and images carry the name; Simulation::restore refuses an image of another name.
  [[nodiscard]] virtual std::string_view name() const = 0;

  /// Called when the scene has been created at tick 0 and nobody is joined; not called after restore(). False
  /// refuses the scene, with a reason by world.refuse(): Simulation::create then returns kSceneRefusedByGame.
  [[nodiscard]] virtual bool on_start(WorldAccess& world, const SceneNames& names);
  /// Called after a player was added.
  virtual void on_join(WorldAccess& world, PlayerId player);
  /// Called before a player, its grab and its bodies are removed.
  virtual void on_leave(WorldAccess& world, PlayerId player);
  /// Called when a player's spawn command has created a body. The Game may change or destroy the body.
  virtual void on_spawn(WorldAccess& world, const SpawnTicket& spawned);
  /// Called for a CustomCommand of a player or, with kServerPlayer, of the server. The bytes are untrusted.
  /// False reports the command as refused (kGameRefused), with the text of world.refuse(). It undoes nothing:
  /// the Game must check before it changes the world.
  [[nodiscard]] virtual bool on_command(WorldAccess& world, PlayerId player,
                                        std::span<const std::byte> bytes);
  /// Called after this tick's inputs and before physics.
  virtual void before_tick(WorldAccess& world);
  /// Called after physics, inside the tick: changes here are part of the tick's result, and world.tick() is
  /// the new tick. `events` are those of this step. Events are not state: after a restore, before_tick finds
  /// none of the step before.
  virtual void after_tick(WorldAccess& world, const StepEvents& events);

  /// Names each field of the game's canonical state: all that outlives a tick, in a fixed order. Images,
  /// hashes, snapshots, rollback and comparisons call it, to read the fields and to replace them. It changes
  /// nothing by itself. A game whose fields change gets another version in its name.
  virtual void visit_state(StateVisitor& state) = 0;
};

}  // namespace takt::sim
