#include "physics/joints/joint_pose.h"

#include "physics/joints/joint_pose_steps.h"

namespace takt {

template class PoseOf<double>;

}  // namespace takt
