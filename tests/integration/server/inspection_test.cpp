// Inspection of a running server by the C++ client: contacts, joints and ropes. The ids that it receives are
// those that commands take.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "takt/client/client.h"
#include "tests/integration/server/program.h"
#include "tests/integration/server/serve.h"

namespace takt::server::test {
namespace {

// A rope between two points, a propeller on a post with nothing that brakes it, a load on a rod that breaks
// at ten times its weight, and a ball at rest.
constexpr const char* kMachine = R"({"players": {"despawn": "anything"}, "bodies": [
    {"name": "post", "type": "static", "position": [0, 2, 0], "shapes": [{"box": {"size": [0.2, 4, 0.2]}}]},
    {"name": "propeller", "position": [0, 4.2, 0], "shapes": [{"box": {"size": [2, 0.1, 0.2]}}]},
    {"name": "load", "position": [3, 2, 0], "shapes": [{"sphere": {"radius": 0.2}}]},
    {"type": "static", "shapes": [{"half_space": {}}]},
    {"position": [9, 0.5, 0], "can_sleep": false, "shapes": [{"sphere": {"radius": 0.5}}]}],
  "ropes": [{"start": [-4, 5, 0], "end": [-1, 5, 0], "nodes": 20, "segment_length": 0.2, "pins": [{}, {"node": 19}]}],
  "joints": [
    {"kind": "revolute", "a": "post", "b": "propeller", "anchor": [0, 4.2, 0], "axis": [0, 1, 0]},
    {"kind": "distance", "a": "post", "b": "load", "anchor": [0, 4, 0], "anchor_b": [3, 2, 0], "break_force": 3500}]})";

double metres(std::int64_t raw) { return static_cast<double>(raw) * 0x1p-32; }

// A client that keeps what happened to it.
struct Viewer {
  explicit Viewer(const std::string& url) : opened(client::Client::connect(url)) {}
  client::Client& client() { return *opened; }
  template <class Done>
  bool until(Done done) {
    for (int i = 0; i < 3000; ++i) {
      if (done()) return true;
      client().wait(10);
      while (auto event = client().next_event())
        if (auto const* one = std::get_if<client::JointBroken>(&*event)) broken = *one;
    }
    return false;
  }
  [[nodiscard]] std::size_t joint_count() { return client().joints() ? client().joints()->joints.size() : 0; }
  [[nodiscard]] const client::Joint& joint(std::size_t i) { return client().joints()->joints[i]; }

  Result<client::Client, client::Failure> opened;
  std::optional<client::JointBroken> broken;
};

class Inspection : public testing::TestWithParam<std::string> {
 protected:
  Inspection() : scene_(temporary_file("machine.json")) {
    std::FILE* const file = std::fopen(scene_.c_str(), "w");
    if (file == nullptr) throw std::runtime_error("no temporary file");
    std::fputs(kMachine, file);
    std::fclose(file);
  }
  ~Inspection() override { std::remove(scene_.c_str()); }
  std::string scene_;
};

TEST_P(Inspection, JointsAndRopesAreToldAndTheirIdsAreThoseOfCommands) {
  Serve server({"--scene", scene_});
  Viewer viewer(GetParam() + server.address());
  ASSERT_TRUE(viewer.opened.ok());
  client::Client& client = viewer.client();
  client.inspect({.joints = true, .ropes = true});  // before it has joined
  ASSERT_TRUE(viewer.until([&] { return viewer.joint_count() == 2 && client.bodies().size() == 5; }));
  EXPECT_FALSE(client.contacts());
  client::Joint const hinge = viewer.joint(0);
  client::Joint const rod = viewer.joint(1);
  EXPECT_EQ(hinge.kind, JointKind::kRevolute);
  EXPECT_EQ(rod.kind, JointKind::kDistance);
  EXPECT_EQ(hinge.body_a, client.bodies()[0].id);
  EXPECT_EQ(hinge.body_b, client.bodies()[1].id);
  EXPECT_NEAR(hinge.anchor_a.y_m(), 4.2, 1e-6);
  EXPECT_TRUE(hinge.enabled && !hinge.broken && !hinge.is_grab());
  // The frame's x axis is the hinge's, up.
  Quat<float> const q = hinge.rotation_a;
  EXPECT_NEAR(2 * (q.x * q.y + q.w * q.z), 1, 1e-5);
  ASSERT_TRUE(viewer.until([&] {
    return std::abs(viewer.joint(0).force_n / (0.04f * 1000 * 9.81f) - 1) < 0.02f;
  })) << viewer.joint(0).force_n;

  ASSERT_TRUE(
      viewer.until([&] { return client.ropes().size() == 1 && client.ropes()[0].nodes[10].y_m() < 4.99; }));
  client::Rope const rope = client.ropes()[0];
  ASSERT_EQ(rope.nodes.size(), 20u);
  ASSERT_EQ(rope.tensions_n.size(), 19u);
  EXPECT_NEAR(rope.nodes[0].x_m(), -4, 1e-3);
  EXPECT_NEAR(rope.nodes[19].x_m(), -1, 1e-3);
  for (std::size_t i = 0; i + 1 < rope.nodes.size(); ++i) {
    auto const x = metres(rope.nodes[i + 1].x_raw - rope.nodes[i].x_raw);
    auto const y = metres(rope.nodes[i + 1].y_raw - rope.nodes[i].y_raw);
    EXPECT_LT(std::sqrt(x * x + y * y), 0.201) << i << ": as long as the scene says, or slack";
  }

  sim::ChangeJointCommand drive;
  drive.joint = hinge.id;
  drive.motor = sim::ChangeJointCommand::Motor{6, 1e4};
  ASSERT_TRUE(client.send(drive).ok());
  ASSERT_TRUE(viewer.until(
      [&] { return std::abs(std::abs(client.bodies()[1].angular_velocity_rad_s.y) - 6) < 0.1f; }));
  ASSERT_TRUE(client.send(sim::ImpulseCommand{rod.body_b, {2000, 0, 0}, {}}).ok());
  ASSERT_TRUE(viewer.until([&] { return viewer.broken.has_value() && viewer.joint(1).broken; }));
  EXPECT_EQ(viewer.broken->joint, rod.id);
  sim::ChangeJointCommand off;
  off.joint = hinge.id;
  off.enabled = false;
  ASSERT_TRUE(client.send(off).ok());
  ASSERT_TRUE(viewer.until([&] { return !viewer.joint(0).enabled; }));
  ASSERT_TRUE(client.send(sim::DestroyJointCommand{rod.id}).ok());
  ASSERT_TRUE(viewer.until([&] { return viewer.joint_count() == 1; }));

  ASSERT_TRUE(client.send(sim::CutCommand{rope.id, 4}).ok());
  ASSERT_TRUE(viewer.until([&] { return client.ropes().size() == 2; }));
  EXPECT_EQ(client.ropes()[0].nodes.size(), 5u);
  EXPECT_EQ(client.ropes()[1].nodes.size(), 15u);
  client.inspect({});
  EXPECT_TRUE(client.ropes().empty());
  EXPECT_FALSE(client.joints());
  client.leave();
  client.poll();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

TEST_P(Inspection, ContactsAndGrabsAreTold) {
  Serve server({"--scene", scene_});
  Viewer viewer(GetParam() + server.address());
  ASSERT_TRUE(viewer.opened.ok());
  client::Client& client = viewer.client();
  ASSERT_TRUE(viewer.until([&] { return client.bodies().size() == 5; }));
  BodyId const ball = client.bodies()[4].id;
  client.inspect({.contacts = true, .joints = true});
  auto const contact_of_ball = [&]() -> const client::Contact* {
    if (!client.contacts()) return nullptr;
    auto const& all = client.contacts()->contacts;
    auto const at = std::ranges::find_if(
        all, [&](const client::Contact& one) { return one.body_a == ball || one.body_b == ball; });
    return at != all.end() ? &*at : nullptr;
  };
  ASSERT_TRUE(viewer.until([&] { return contact_of_ball() != nullptr; }));
  client::Contact const contact = *contact_of_ball();
  EXPECT_NEAR(contact.position.x_m(), 9, 1e-3);
  EXPECT_NEAR(std::abs(contact.normal.y), 1, 1e-5);
  // Its weight for a substep of 1/240 s.
  EXPECT_NEAR(contact.impulse_n_s, 1000 * 4.0 / 3 * 3.14159265 * 0.125 * 9.81 / 240, 0.5);
  EXPECT_EQ(client.contacts()->total, client.contacts()->contacts.size());

  ASSERT_TRUE(client.send(sim::GrabCommand{ball, {}, Position::from_metres(9, 3, 0), 20000}).ok());
  ASSERT_TRUE(viewer.until([&] { return viewer.joint_count() == 3; }));
  client::Joint const grab = viewer.joint(0);
  EXPECT_TRUE(grab.is_grab());
  EXPECT_EQ(grab.body_a, ball);
  EXPECT_TRUE(grab.body_b.is_null());
  EXPECT_EQ(grab.anchor_b.y_m(), 3);
  client.inspect({.joints = true});
  EXPECT_FALSE(client.contacts());
  EXPECT_EQ(viewer.joint_count(), 3u) << "what is still asked for stays";
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

INSTANTIATE_TEST_SUITE_P(Transports, Inspection, testing::Values("udp://", "tcp://"),
                         [](const auto& at) { return at.param == "udp://" ? "Udp" : "Tcp"; });

TEST(Bot, SaysWhatItIsToldWhenItInspects) {
  Serve server({"--scene", kScenes + "ropes.json"});
  Program bot(kTakt, server.bot({"--for", "3", "--inspect", "ropes,contacts"}));
  EXPECT_EQ(bot.wait(kPatienceS), 0) << bot.output();
  std::size_t const last = bot.output().rfind("{\"event\":\"stop\"");
  ASSERT_NE(last, std::string::npos) << bot.output();
  EXPECT_GE(bot.number_after("\"ropes\":", last), 16) << bot.output();
  EXPECT_GT(bot.number_after("\"contacts\":", last), 0) << bot.output();
  EXPECT_EQ(bot.number_after("\"joints\":", last), 0) << bot.output();
  EXPECT_EQ(server.interrupt(), 0) << server.program.output();
}

}  // namespace
}  // namespace takt::server::test
