// The trials of joints: a grid, a heap of ragdolls, a chain with a heavy end.
#include <string>

#include "sim/scene/random_rotation.h"
#include "takt/core/random.h"
#include "takt/physics/assembly.h"
#include "tests/physics/trial_builder.h"

namespace takt::test {
namespace {

/// A ball and socket at `anchor` between two bodies of the trial.
void add_socket(Trial& trial, std::size_t a, std::size_t b, const Position& anchor) {
  sim::SceneJoint& joint = trial.scene.joints.emplace_back();
  joint.def = point_joint({}, {}, {}, {});
  joint.body_a = a;
  joint.body_b = b;
  joint.world = sim::SceneJoint::WorldFrames{anchor, anchor, {}};
}

}  // namespace

Trial joint_grid_trial(std::uint32_t width) {
  Trial made = named_trial("joint grid " + std::to_string(width));
  made.low_m = {-1e9, -3.0 * width, -1e9};
  ShapeDef ball = sphere(0.4);
  ball.filter.mask = 0;
  auto const position_of = [width](std::uint32_t column, std::uint32_t row) {
    return at(row, 0, column - 0.5 * (width - 1));
  };
  for (std::uint32_t row = 0; row < width; ++row) {
    for (std::uint32_t column = 0; column < width; ++column) {
      std::size_t const here = made.scene.bodies.size();
      add(made, row == 0 ? BodyType::kStatic : BodyType::kDynamic, ball, position_of(column, row));
      if (row == 0) continue;
      Vec3<double> const before{-0.5, 0, 0};
      Vec3<double> const beside{0, 0, -0.5};
      add_socket(made, here - width, here, moved(position_of(column, row), before));
      if (column > 0) add_socket(made, here - 1, here, moved(position_of(column, row), beside));
    }
  }
  return made;
}

Trial ragdoll_heap_trial(std::uint32_t count) {
  Trial made = named_trial("ragdolls " + std::to_string(count));
  add_pit(made, 4.0, 30.0);
  Random random(9);
  for (std::uint32_t i = 0; i < count; ++i) {
    RagdollDef def;
    def.position = at(2.2 * (i % 3) - 2.2, 1.0 + 2.0 * (i / 9), 2.2 * (i / 3 % 3) - 2.2);
    def.rotation = sim::random_rotation(random);
    Assembly const person = ragdoll(def).value();
    auto const kept = [](std::size_t part) {
      return part != static_cast<std::size_t>(RagdollPart::kLeftFoot) &&
             part != static_cast<std::size_t>(RagdollPart::kRightFoot);
    };
    std::vector<std::size_t> indices(person.bodies.size());
    for (std::size_t part = 0; part < person.bodies.size(); ++part) {
      if (!kept(part)) continue;
      indices[part] = made.scene.bodies.size();
      sim::SceneBody& body = made.scene.bodies.emplace_back();
      body.def = person.bodies[part].def;
      body.shapes = person.bodies[part].shapes;
    }
    for (const AssemblyJoint& of_person : person.joints) {
      if (!kept(of_person.a_index) || !kept(of_person.b_index)) continue;
      sim::SceneJoint& joint = made.scene.joints.emplace_back();
      joint.def = of_person.def;
      joint.body_a = indices[of_person.a_index];
      joint.body_b = indices[of_person.b_index];
    }
  }
  return made;
}

Trial loaded_chain_trial(std::uint32_t links, double ratio) {
  Trial made = named_trial("chain " + std::to_string(links));
  made.low_m = {-1e9, -1e9, -1e9};
  add(made, BodyType::kStatic, sphere(0.1), {});
  for (std::uint32_t i = 0; i <= links; ++i) {
    ShapeDef shape = capsule(0.1, 0.4);
    shape.filter.mask = 0;
    shape.local_rotation = about_z(90 * kDegree);
    double const mass_kg = i == links ? ratio : 1.0;
    sim::SceneBody& link = add(made, BodyType::kDynamic, shape, at(i + 0.5, 0, 0));
    link.def.mass =
        MassOverride{.mass_kg = mass_kg, .inertia_kg_m2 = {mass_kg / 200, mass_kg / 12, mass_kg / 12}};
    add_socket(made, i, i + 1, at(i, 0, 0));
  }
  made.watched = links + 1;
  return made;
}

}  // namespace takt::test
