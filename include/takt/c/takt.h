/* The C interface of Takt: scenes, worlds, batches of worlds, snapshots, queries and recordings, in C99 and
   C++20. libtakt.so exports these functions and nothing else. The interface has no viewer and no
   games; the C++ modules have them. takt_connect alone opens a socket: worlds of a service have the same
   functions (docs/SERVICE.md).

   Handles. A handle (takt_world* and the others) is a number that takt looks up, not an address. A null
   handle, a destroyed one and any other number give TAKT_ERROR_NULL or TAKT_ERROR_HANDLE. One thread at a
   time uses a handle; a second one gets TAKT_ERROR_BUSY at once. Threads may share scenes and snapshots.

   Results. Each function returns a takt_status but those without a way to fail. takt_last_error() is the text
   of the last failure on this thread. A failed call changes nothing, unless its comment says otherwise. An
   edit that fails with TAKT_ERROR_REFUSED + n changes no body, but its running number may stay in the state
   hash. Edits of batches stop at the first failure. No exception leaves a function. Out of memory is a
   status.

   Structs. A struct that begins with `size` may get more fields at its end in later versions. The caller sets
   `size` to its own sizeof; zero in all other bytes selects defaults. Structs without `size` are elements of
   arrays and never change.

   Numbers. SI units, doubles, world axes; quaternions are x y z w. Edits (from takt_world_impulse on) are
   commands of player 0, which act at once and stand in a recording with their tick. Their numbers are rounded
   to binary32, as in recordings, but positions and numbers of joints, ropes, tunings and changes. Ids of
   bodies, shapes, joints and ropes are 64 bits, index and generation, 0 = none. Texts are UTF-8 with a
   length, without a final zero. */
#ifndef TAKT_C_TAKT_H
#define TAKT_C_TAKT_H
/* NOLINTBEGIN(readability-identifier-naming, modernize-redundant-void-arg): names and forms of C */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAKT_API __attribute__((visibility("default")))

/* Version of this interface: rises when a function, constant or field is added. None is ever removed. */
#define TAKT_ABI_VERSION 6

typedef struct takt_scene takt_scene;         /* a loaded scene, which never changes */
typedef struct takt_world takt_world;         /* a world with its tick */
typedef struct takt_batch takt_batch;         /* n worlds of one scene that step together */
typedef struct takt_snapshot takt_snapshot;   /* states of a world or a batch in memory */
typedef struct takt_array takt_array;         /* keeps the memory of a takt_view */
typedef struct takt_recording takt_recording; /* a recording file, open for reading */
typedef struct takt_service takt_service;     /* a connection to `takt service` */

typedef int32_t takt_status;
enum {
  TAKT_OK = 0,
  TAKT_ERROR_NULL = 1,      /* a handle or pointer is null */
  TAKT_ERROR_HANDLE = 2,    /* a handle that names nothing, or a thing of another kind */
  TAKT_ERROR_BUSY = 3,      /* another thread uses the handle: give each thread a world of its own */
  TAKT_ERROR_SIZE = 4,      /* `size` of a struct is not its sizeof, or fields beyond this version are set */
  TAKT_ERROR_RANGE = 5,     /* a number is outside of the range that its comment states, or not finite */
  TAKT_ERROR_MEMORY = 6,    /* out of memory */
  TAKT_ERROR_FILE = 7,      /* a file cannot be opened, read or written */
  TAKT_ERROR_SCENE = 8,     /* a scene is wrong; the text has file, line and reason */
  TAKT_ERROR_RECORDING = 9, /* the world is recording, or is not: start or stop the recording first */
  TAKT_ERROR_BROKEN = 10,   /* a call ran out of memory midway: roll back, restore or destroy the world */
  TAKT_ERROR_MISMATCH = 11, /* a state of another scene or numbers mode, or another number of worlds */
  TAKT_ERROR_SYSTEM = 12,   /* the system refused a thread */
  TAKT_ERROR_INTERNAL = 13, /* an error of takt itself: report it */
  TAKT_ERROR_NAME = 14,     /* the scene has no body or joint of this name, or more than one, or it is gone */
  TAKT_ERROR_BORROWED = 15, /* the world belongs to a batch: destroy the batch */
  TAKT_ERROR_REMOTE = 16,   /* no service, or the connection is lost: connect again and make new worlds */
  TAKT_ERROR_LIMIT = 17,    /* a limit of the service, which the text names: "limit worlds-max: ..." */
  TAKT_ERROR_TOKEN = 18,    /* the service wants a token, or another one */
  TAKT_ERROR_UNSUPPORTED = 19, /* worlds of a service do not have this function */
  TAKT_ERROR_STOPPED = 20,     /* a call ended early: a step between two ticks (takt_service_set_stop) */
  TAKT_ERROR_PHYSICS = 1000,   /* + the number of a PhysicsError (takt/physics/error.h) */
  TAKT_ERROR_SIM = 2000,       /* + the number of a SimError (takt/sim/error.h) */
  TAKT_ERROR_REFUSED = 3000 /* + the number of a Refusal (takt/sim/error.h): an edit that changed nothing */
};

enum { TAKT_NUMBERS_FLOAT = 1, TAKT_NUMBERS_FIXED = 2 };

/* Returns TAKT_ABI_VERSION of the library. */
TAKT_API uint32_t takt_abi_version(void);
/* Returns the version of takt, such as "0.2.0". */
TAKT_API const char* takt_version(void);
/* Returns the text of the last failed call on this thread, with the function and the remedy; empty before the
   first. Valid until the next failure on this thread. Never null. */
TAKT_API const char* takt_last_error(void);

/* --- scenes --- */
/* Reads a scene from JSON text or its binary form, at most 16 MiB. `name` stands in error texts. */
TAKT_API takt_status takt_scene_parse(const char* text, size_t text_bytes, const char* name,
                                      size_t name_bytes, takt_scene** scene);
/* Reads a scene file and the files that it names. */
TAKT_API takt_status takt_scene_load(const char* path, size_t path_bytes, takt_scene** scene);
/* Destroys a scene; its worlds stay. Each destroy function accepts null and does nothing then. */
TAKT_API takt_status takt_scene_destroy(takt_scene* scene);

/* --- worlds --- */
typedef struct takt_world_options {
  uint32_t size;
  uint32_t numbers; /* 0 = TAKT_NUMBERS_FLOAT */
  uint32_t threads; /* of a step, [1, 64]; 0 = 1. Changes no bit */
  uint32_t lanes;   /* constraints solved at a time: 0 = automatic, 1, 4, 8 or 16. Changes no bit */
} takt_world_options;

typedef struct takt_world_info {
  uint32_t size;
  uint32_t numbers;
  uint64_t tick;
  uint64_t scene_hash;
  uint32_t body_count;
  uint32_t rope_count;
  uint32_t tick_rate_hz;
  uint32_t substeps;
  double gravity[3];     /* m/s^2 */
  uint32_t is_recording; /* 1 = takt_world_record is active */
  uint32_t is_borrowed;  /* 1 = the world belongs to a batch */
} takt_world_info;

/* Creates the scene's world at tick 0. `options` may be null. */
TAKT_API takt_status takt_world_create(takt_scene* scene, const takt_world_options* options,
                                       takt_world** world);
/* Creates a world from an image of takt_world_save, in the image's numbers mode: `numbers` of the options is
   0 or that mode. `scene` may be null; it only gives names to bodies and joints. Errors: TAKT_ERROR_SIM + n
   for a bad image. */
TAKT_API takt_status takt_world_from_image(const void* image, size_t image_bytes, takt_scene* scene,
                                           const takt_world_options* options, takt_world** world);
/* Creates a second world with equal state and future. It records nothing. */
TAKT_API takt_status takt_world_fork(takt_world* world, takt_world** fork);
/* Destroys a world and ends its recording. Held arrays stay. */
TAKT_API takt_status takt_world_destroy(takt_world* world);
/* Advances by `ticks` and refreshes the arrays of the world. When the disk of a recording is full, all ticks
   are stepped, the recording ends, and TAKT_ERROR_FILE is returned; without memory for a recording it is
   TAKT_ERROR_MEMORY. */
TAKT_API takt_status takt_world_step(takt_world* world, uint32_t ticks);
/* takt_world_step that ends early, with TAKT_ERROR_STOPPED, when is_stopped(context) is not 0 between two
   ticks. Arrays and events are those of the ticks that were made. Not for worlds of a service, which have
   takt_service_set_stop. */
typedef uint32_t (*takt_stop_function)(void* context);
TAKT_API takt_status takt_world_step_until(takt_world* world, uint32_t ticks, takt_stop_function is_stopped,
                                           void* context);
TAKT_API takt_status takt_world_get_info(takt_world* world, takt_world_info* info);
/* Returns the state hash, as `takt run` prints it: XXH3-64. Edits are part of it by their running number. */
TAKT_API takt_status takt_world_hash(takt_world* world, uint64_t* hash);
/* Finds a body of the scene by its name; a mover's name gives its body. */
TAKT_API takt_status takt_world_find_body(takt_world* world, const char* name, size_t name_bytes,
                                          uint64_t* body);
TAKT_API takt_status takt_world_find_joint(takt_world* world, const char* name, size_t name_bytes,
                                           uint64_t* joint);
/* List living joints and ropes in id order. `count` is their number; `ids` gets the first `capacity` of them
   and may be null for a capacity of 0. */
TAKT_API takt_status takt_world_list_joints(takt_world* world, uint64_t* ids, size_t capacity, size_t* count);
TAKT_API takt_status takt_world_list_ropes(takt_world* world, uint64_t* ids, size_t capacity, size_t* count);
/* Reads a coordinate of a joint (m or rad) and its rate (m/s or rad/s). `axis` as in takt_world_joint_motor.
 */
TAKT_API takt_status takt_world_joint_state(takt_world* world, uint64_t joint, uint32_t axis, double* value,
                                            double* rate);

/* --- arrays: one row for each living body, in id order --- */
enum {
  TAKT_BODY_IDS = 0,           /* u64 [rows] */
  TAKT_POSITIONS = 1,          /* f64 [rows][3], of the origin, m */
  TAKT_POSITIONS_RAW = 2,      /* i64 [rows][3], exact: 2^32 is one metre */
  TAKT_ROTATIONS = 3,          /* f64 [rows][4], x y z w */
  TAKT_LINEAR_VELOCITIES = 4,  /* f64 [rows][3], of the centre of mass, m/s */
  TAKT_ANGULAR_VELOCITIES = 5, /* f64 [rows][3], rad/s */
  TAKT_BODY_FLAGS = 6          /* u8 [rows]: TAKT_FLAG bits, and the type in bits 4 and 5 */
};
enum { TAKT_FLAG_ASLEEP = 1, TAKT_FLAG_DISABLED = 2, TAKT_FLAG_QUARANTINED = 4 };
enum { TAKT_BODY_STATIC = 0, TAKT_BODY_KINEMATIC = 1, TAKT_BODY_DYNAMIC = 2 };
enum { TAKT_TYPE_F64 = 1, TAKT_TYPE_I64 = 2, TAKT_TYPE_U64 = 3, TAKT_TYPE_U8 = 4 };

typedef struct takt_view {
  uint32_t size;
  uint32_t type;       /* TAKT_TYPE_F64 and so on */
  uint32_t dimensions; /* of `shape` and `strides`: 1 or 2 of a world, 2 or 3 of a batch */
  uint32_t reserved;
  uint64_t shape[4];
  int64_t strides[4]; /* bytes */
  const void* data;   /* owned by takt; never write to it */
} takt_view;

/* Describes an array of the world. From the first call on, takt refreshes the array in each call that changes
   the world. The memory lives until the number of bodies changes or the world is destroyed. `hold` may be
   null; else it gets a handle that keeps the memory until takt_array_destroy. A held array whose shape no
   longer fits keeps its last values; a new call gives the new array. */
TAKT_API takt_status takt_world_array(takt_world* world, uint32_t field, takt_view* view, takt_array** hold);
TAKT_API takt_status takt_array_destroy(takt_array* array);

/* --- edits --- */
/* Changes the velocities of a dynamic body, N s. `local_point` is where it acts, in the body's frame, m; null
   = the centre of mass. Vectors of edits are within +-1e9. */
TAKT_API takt_status takt_world_impulse(takt_world* world, uint64_t body, const double impulse[3],
                                        const double* local_point);
/* A force (N) and torque (N m) on a dynamic body in the next `ticks` steps, [1, 3600]. `torque` may be null.
 */
TAKT_API takt_status takt_world_force(takt_world* world, uint64_t body, const double force[3],
                                      const double* torque, uint32_t ticks);
/* Sets pose and velocities of a body. A null pointer keeps the present value; velocities of a static body are
   ignored. Positions are within +-5e8 m. */
TAKT_API takt_status takt_world_teleport(takt_world* world, uint64_t body, const double* position,
                                         const double* rotation, const double* linear_velocity,
                                         const double* angular_velocity);

enum {
  TAKT_SHAPE_SPHERE = 1,   /* dimensions: radius */
  TAKT_SHAPE_CAPSULE = 2,  /* radius, half length of the segment on y */
  TAKT_SHAPE_BOX = 3,      /* half extents */
  TAKT_SHAPE_CYLINDER = 5, /* radius, half height on y */
  TAKT_SHAPE_CONE = 6      /* radius, half height on y */
};
typedef struct takt_spawn {
  uint32_t size;
  uint32_t shape; /* TAKT_SHAPE_SPHERE and so on */
  double dimensions[3];
  double position[3];
  double rotation[4]; /* unit within 1 % */
  double linear_velocity[3];
  double angular_velocity[3];
  double density; /* kg/m^3 */
  double friction;
  double restitution;
  uint32_t tag; /* the body's user tag */
  uint32_t reserved;
} takt_spawn;
/* Fills in the defaults: a sphere of radius 0.5 m at the origin at rest, density 1000, friction 0.6. */
TAKT_API takt_status takt_spawn_defaults(takt_spawn* spawn);
/* Creates a dynamic body of one shape. */
TAKT_API takt_status takt_world_spawn(takt_world* world, const takt_spawn* spawn, uint64_t* body);
/* Destroys a body of any type with its joints. */
TAKT_API takt_status takt_world_despawn(takt_world* world, uint64_t body);
/* The input of a mover (a character) until the next one: velocity relative to the ground (m/s, at most 1000
   long, y ignored), turn of the heading (rad/s, within +-100). `in_heading_frame` and `jump` are 0 or 1. */
TAKT_API takt_status takt_world_move(takt_world* world, uint64_t body, const double velocity[3], double turn,
                                     uint32_t in_heading_frame, uint32_t jump);
/* Cuts a rope between node `segment` and the next. */
TAKT_API takt_status takt_world_cut_rope(takt_world* world, uint64_t rope, uint32_t segment);
/* Axes of joints: 0 to 2 linear x y z (m), 3 to 5 angular x y z (rad), 6 distance (m), 7 swing (rad).
   A motor keeps a speed (m/s or rad/s) with at most `max` (N or N m); a `max` of 0 ends it. */
TAKT_API takt_status takt_world_joint_motor(takt_world* world, uint64_t joint, uint32_t axis, double speed,
                                            double max);
/* A drive is a spring to a target coordinate: natural frequency (Hz), damping ratio (1 = critical), and a
   maximum force or torque, infinity = none. `on` 0 ends the drive and ignores the rest. */
TAKT_API takt_status takt_world_joint_drive(takt_world* world, uint64_t joint, uint32_t axis, uint32_t on,
                                            double target, double frequency, double damping_ratio,
                                            double max);
/* Bounds of a coordinate; infinite bounds mean no limit. */
TAKT_API takt_status takt_world_joint_limit(takt_world* world, uint64_t joint, uint32_t axis, double lower,
                                            double upper);
/* Friction of a coordinate, N or N m. */
TAKT_API takt_status takt_world_joint_friction(takt_world* world, uint64_t joint, uint32_t axis,
                                               double friction);
/* Disables (0) or enables (1) a joint; enabling repairs a broken one. */
TAKT_API takt_status takt_world_joint_enable(takt_world* world, uint64_t joint, uint32_t enabled);
TAKT_API takt_status takt_world_destroy_joint(takt_world* world, uint64_t joint);
/* Members that takt_world_change_joint changes. Both members of a softness and of a frame belong together. */
enum {
  TAKT_JOINT_COLLIDE_CONNECTED = 1,
  TAKT_JOINT_LOCKED = 2,
  TAKT_JOINT_FRAME_A = 4,
  TAKT_JOINT_FRAME_B = 8,
  TAKT_JOINT_LINEAR = 16,
  TAKT_JOINT_ANGULAR = 32,
  TAKT_JOINT_MAX_FORCE = 64,
  TAKT_JOINT_MAX_TORQUE = 128,
  TAKT_JOINT_BREAK_FORCE = 256,
  TAKT_JOINT_BREAK_TORQUE = 512,
  TAKT_JOINT_RATIO = 1024,
  TAKT_JOINT_LENGTH = 2048,
  TAKT_JOINT_DIRECT = 4096,
  TAKT_JOINT_LIMIT = 8192
};
typedef struct takt_joint_change {
  uint32_t size;
  uint32_t fields;            /* TAKT_JOINT_COLLIDE_CONNECTED and so on; all others keep their values */
  uint32_t collide_connected; /* 1 = the bodies of the joint collide with each other, 0 = they do not */
  uint32_t locked;            /* bit 1 << axis for each of the axes 0 to 5 that is locked */
  double position_a[3];       /* frame A: m, in the frame of body A */
  double rotation_a[4];       /* unit within 1 % */
  double position_b[3];       /* frame B: in the frame of body B */
  double rotation_b[4];
  double linear_frequency;     /* Hz, of the locked linear axes; 0 = rigid */
  double linear_damping_ratio; /* 1 = critical */
  double angular_frequency;    /* likewise of the locked angular axes */
  double angular_damping_ratio;
  double max_force;    /* N, of the locked linear axes, 0 or more; infinity = none */
  double max_torque;   /* N m, of the locked angular axes */
  double break_force;  /* N, above 0; beyond it the joint breaks; infinity = never */
  double break_torque; /* N m */
  double ratio;        /* of gears and pulleys */
  double length;       /* m, of pulleys */
  uint32_t direct;     /* 1 = solved directly with its joint tree, 0 = by sequential impulses */
  uint32_t axis;       /* of the limit */
  double lower;        /* limit: m or rad; infinite bounds mean no limit */
  double upper;
  double limit_frequency; /* Hz, of the spring at the bounds; 0 = rigid */
  double limit_damping_ratio;
} takt_joint_change;
/* Changes a joint from the next step on. Other values of a joint are those of takt_world_joint_motor and so
   on. A change that the joint cannot have is TAKT_ERROR_REFUSED + n and changes nothing. */
TAKT_API takt_status takt_world_change_joint(takt_world* world, uint64_t joint,
                                             const takt_joint_change* change);

/* Kinds of joints. */
enum {
  TAKT_JOINT_GENERIC = 1,   /* `locked` alone */
  TAKT_JOINT_POINT = 2,     /* ball and socket */
  TAKT_JOINT_REVOLUTE = 3,  /* hinge about the frames' x axis */
  TAKT_JOINT_PRISMATIC = 4, /* slider along frame A's x axis */
  TAKT_JOINT_WELD = 5,
  TAKT_JOINT_DISTANCE = 6, /* keeps the origins `length` apart */
  TAKT_JOINT_ANGLE = 7,    /* keeps the relative orientation */
  TAKT_JOINT_WHEEL = 8,    /* B moves along A's x axis on a suspension and spins about its own z axis */
  TAKT_JOINT_PARALLEL = 9, /* keeps the x axes parallel */
  TAKT_JOINT_MOTOR = 10,   /* drives frame B to frame A with max_force and max_torque */
  TAKT_JOINT_TARGET = 11,  /* pulls B's origin to A's with max_force */
  TAKT_JOINT_PULLEY = 12,  /* a rope from A over ground_a and ground_b to B */
  TAKT_JOINT_GEAR = 13     /* couples a coordinate of joint_1 to one of joint_2 */
};
typedef struct takt_joint_def {
  uint32_t size;
  uint32_t kind;   /* TAKT_JOINT_GENERIC and so on */
  uint64_t body_a; /* at least one of the two is dynamic */
  uint64_t body_b;
  double position_a[3]; /* frames as in takt_joint_change */
  double rotation_a[4];
  double position_b[3];
  double rotation_b[4];
  uint32_t locked; /* bit 1 << axis for each of the axes 0 to 5 that is locked */
  uint32_t collide_connected;
  uint32_t enabled;
  uint32_t direct;
  double linear_frequency; /* Hz, of the locked linear axes, of a distance, a suspension or a pulley; 0 =
                              rigid */
  double linear_damping_ratio;
  double angular_frequency; /* of the locked angular axes */
  double angular_damping_ratio;
  double max_force; /* N, of what linear_frequency is of; infinity = none */
  double max_torque;
  double break_force;
  double break_torque;
  double length;    /* m, above 0, of a distance or pulley */
  uint64_t joint_1; /* of a gear */
  uint64_t joint_2;
  uint32_t axis_1; /* coordinates 0 to 5 that the gear couples */
  uint32_t axis_2;
  double ratio;       /* of a gear or pulley, not 0 */
  double ground_a[3]; /* m, world, of a pulley */
  double ground_b[3];
  uint64_t tag;
} takt_joint_def;
/* Fills in a kind and its defaults: its locked axes, unit rotations, no bounds of forces, ratio 1, enabled,
   solved directly. */
TAKT_API takt_status takt_joint_defaults(uint32_t kind, takt_joint_def* def);
/* Creates a joint. Motors, drives, limits and friction come from takt_world_joint_motor and so on. */
TAKT_API takt_status takt_world_create_joint(takt_world* world, const takt_joint_def* def, uint64_t* joint);

/* Members that takt_world_change_body changes. */
enum {
  TAKT_BODY_TYPE = 1,
  TAKT_BODY_ENABLED = 2,
  TAKT_BODY_LOCKED = 4,
  TAKT_BODY_GRAVITY_SCALE = 8,
  TAKT_BODY_DAMPING = 16, /* both */
  TAKT_BODY_TAG = 32
};
typedef struct takt_body_change {
  uint32_t size;
  uint32_t fields;  /* TAKT_BODY_TYPE and so on; all others keep their values */
  uint32_t type;    /* TAKT_BODY_STATIC and so on; a mover's body keeps its type */
  uint32_t enabled; /* 0 = takes no part */
  uint32_t locked;  /* world axes that stay still: bit 1 << axis, 0 to 2 linear x y z, 3 to 5 angular */
  uint32_t reserved;
  double gravity_scale;   /* within +-1000 */
  double linear_damping;  /* 1/s, [0, 1000] */
  double angular_damping; /* 1/s */
  uint64_t tag;
} takt_body_change;
/* Changes a body from the next step on and wakes it, unless the tag alone changes. A dynamic body needs a
   mass: shapes with density. */
TAKT_API takt_status takt_world_change_body(takt_world* world, uint64_t body, const takt_body_change* change);
/* Moves a kinematic body to a pose within the next step; it pushes what is in its way. */
TAKT_API takt_status takt_world_set_target(takt_world* world, uint64_t body, const double position[3],
                                           const double rotation[4]);
/* Lists the shapes of a body in order of creation; as takt_world_list_joints. */
TAKT_API takt_status takt_world_list_shapes(takt_world* world, uint64_t body, uint64_t* ids, size_t capacity,
                                            size_t* count);
/* Members that takt_world_change_shape changes. */
enum {
  TAKT_SHAPE_FILTER = 1,
  TAKT_SHAPE_FRICTION = 2,
  TAKT_SHAPE_RESTITUTION = 4,
  TAKT_SHAPE_SURFACE_VELOCITY = 8
};
typedef struct takt_shape_change {
  uint32_t size;
  uint32_t fields;   /* TAKT_SHAPE_FILTER and so on; all others keep their values */
  uint32_t category; /* filter: bits that the shape has. Two shapes collide when each mask has a bit of the */
  uint32_t mask;     /* other's category; shapes of one group always do if it is above 0, never if below */
  int32_t group;     /* 0 = none */
  uint32_t reserved;
  double friction;            /* Coulomb, [0, 100] */
  double restitution;         /* [0, 1] */
  double surface_velocity[3]; /* m/s in the shape's frame, as of a conveyor belt, each within +-1000 */
} takt_shape_change;
/* Changes a shape from the next step on and wakes its body. Triangles with materials of their own keep them.
 */
TAKT_API takt_status takt_world_change_shape(takt_world* world, uint64_t shape,
                                             const takt_shape_change* change);
/* Members of takt_mover_tuning, in the order of the struct. */
enum {
  TAKT_MOVER_MAX_SLOPE = 1,
  TAKT_MOVER_STEP_HEIGHT = 2,
  TAKT_MOVER_STICK_DISTANCE = 4,
  TAKT_MOVER_SKIN = 8,
  TAKT_MOVER_MAX_SPEED = 16,
  TAKT_MOVER_ACCELERATION = 32,
  TAKT_MOVER_AIR_ACCELERATION = 64,
  TAKT_MOVER_JUMP_SPEED = 128,
  TAKT_MOVER_MAX_FALL_SPEED = 256,
  TAKT_MOVER_GRAVITY_SCALE = 512,
  TAKT_MOVER_PUSH_FORCE = 1024,
  TAKT_MOVER_MASS = 2048,
  TAKT_MOVER_RECOVERY_SPEED = 4096
};
typedef struct takt_mover_tuning {
  uint32_t size;
  uint32_t fields;         /* TAKT_MOVER_MAX_SLOPE and so on; all others keep their values */
  double max_slope;        /* rad, [0, 1.4]: steepest ground that it stands on */
  double step_height;      /* m, [0, 10] */
  double stick_distance;   /* m, [0, 10]: ground that falls away by no more in a tick keeps it */
  double skin;             /* m, [0.006, 0.018]: distance from all shapes */
  double max_speed;        /* m/s, [0, 100] */
  double acceleration;     /* m/s^2 on the ground, [0, 1e4] */
  double air_acceleration; /* m/s^2, [0, 1e4] */
  double jump_speed;       /* m/s, [0, 100] */
  double max_fall_speed;   /* m/s, [0, 1000] */
  double gravity_scale;    /* [0, 100] */
  double push_force;       /* N on all that it walks against, [0, 1e6] */
  double mass;             /* kg: weight on a dynamic body under it, [0, 1e5] */
  double recovery_speed;   /* m/s out of overlap, [0, 100] */
} takt_mover_tuning;
/* Changes the tuning of a mover, given by its body. */
TAKT_API takt_status takt_world_tune_mover(takt_world* world, uint64_t body, const takt_mover_tuning* tuning);
typedef struct takt_mover_def {
  uint32_t size;
  uint32_t category; /* filter as in takt_shape_change */
  uint32_t mask;
  int32_t group;
  double position[3]; /* m, world: of the capsule's centre */
  double heading;     /* rad about +y, within +-1000; 0 looks along +z */
  double radius;      /* m, [0.005, 100] */
  double half_length; /* m of the axis without the caps, [0.005, 100] */
  double friction;    /* of the capsule, [0, 100] */
  double restitution; /* [0, 1] */
  uint64_t tag;
} takt_mover_def;
/* Fills in the defaults: radius 0.4 m, half length 0.5 m, friction 0.6, meets all shapes. */
TAKT_API takt_status takt_mover_defaults(takt_mover_def* def);
/* Creates a mover, a character on a kinematic body of its own, and gives the id of the body. takt_world_move
   moves it, takt_world_despawn destroys both. `tuning` may be null; members that its `fields` do not select
   have the defaults of docs/MOVER.md. */
TAKT_API takt_status takt_world_create_mover(takt_world* world, const takt_mover_def* def,
                                             const takt_mover_tuning* tuning, uint64_t* body);

typedef struct takt_rope_def {
  uint32_t size;
  uint32_t node_count; /* [2, 4096] */
  double start[3];     /* m, world: nodes stand on the straight line to `end` */
  double end[3];
  double segment_length;         /* m at rest, [0.005, 1000]; 0 = the mean distance of the nodes */
  double radius;                 /* m, [0.005, 10] */
  double mass;                   /* kg of the whole rope */
  double linear_density;         /* kg/m in place of the mass; 0 = none */
  uint32_t compliant;            /* 0 = inextensible (stiffness), 1 = springs (compliance) */
  uint32_t passes;               /* of the solver in a substep, [1, 64] */
  double stiffness;              /* (0, 1]: part of a length error that a pass corrects */
  double compliance;             /* m/N of a segment, [0, 1] */
  double damping;                /* N s/m of a segment, [0, 1e6] */
  double drag;                   /* 1/s, [0, 1000] */
  double gravity_scale;          /* within +-1000 */
  double friction;               /* [0, 100] */
  uint32_t collides;             /* 1 = with shapes that the filter selects */
  uint32_t collides_with_pinned; /* 1 = also with the bodies that it is pinned to */
  uint32_t can_sleep;
  uint32_t category; /* filter as in takt_shape_change */
  uint32_t mask;
  int32_t group;
  uint64_t tag;
} takt_rope_def;
/* Fills in the defaults: 16 nodes, radius 0.02 m, 1 kg, inextensible, 4 passes; `end` is 1 m below `start`.
 */
TAKT_API takt_status takt_rope_defaults(takt_rope_def* def);
/* Creates a rope. `points` has node_count x 3 coordinates in place of the line from start to end; null = the
   line. */
TAKT_API takt_status takt_world_create_rope(takt_world* world, const takt_rope_def* def, const double* points,
                                            uint64_t* rope);
TAKT_API takt_status takt_world_destroy_rope(takt_world* world, uint64_t rope);
/* Sets the rest length of each segment, as a winch does, m, [0.005, 1000]. */
TAKT_API takt_status takt_world_rope_length(takt_world* world, uint64_t rope, double segment_length);
/* Pins a node, counted from 0, to a body or to the world (`body` 0), or moves its pin. `point` is in the
   body's frame, null = its origin; or of the world, null = where the node is. */
TAKT_API takt_status takt_world_pin_rope(takt_world* world, uint64_t rope, uint32_t node, uint64_t body,
                                         const double* point);
TAKT_API takt_status takt_world_unpin_rope(takt_world* world, uint64_t rope, uint32_t node);

/* Pulls a point of a dynamic body (its frame, m; null = its origin) to a target of the world by a critically
   damped 5 Hz spring with at most `max_force`, N, (0, 1e9]. A world has one grab at a time; joints of the
   kind TAKT_JOINT_TARGET are others. */
TAKT_API takt_status takt_world_grab(takt_world* world, uint64_t body, const double* local_point,
                                     const double target[3], double max_force);
TAKT_API takt_status takt_world_move_grab(takt_world* world, const double target[3]);
/* Ends the grab; the body keeps its velocities. */
TAKT_API takt_status takt_world_release(takt_world* world);

/* --- state --- */
/* Captures the state in memory; it is valid for this world and others of equal scene and numbers mode. */
TAKT_API takt_status takt_world_capture(takt_world* world, takt_snapshot** snapshot);
/* Captures into an existing snapshot and reuses its memory. */
TAKT_API takt_status takt_world_capture_into(takt_world* world, takt_snapshot* snapshot);
/* Returns to a captured state. A recording world refuses this and takt_world_restore. */
TAKT_API takt_status takt_world_rollback(takt_world* world, takt_snapshot* snapshot);
TAKT_API takt_status takt_snapshot_destroy(takt_snapshot* snapshot);
/* Tick of the first captured state, and the number of captured worlds. Both pointers may be null. */
TAKT_API takt_status takt_snapshot_info(takt_snapshot* snapshot, uint64_t* tick, size_t* world_count);
/* Returns the portable image of the state. The memory belongs to the world, until the next save. */
TAKT_API takt_status takt_world_save(takt_world* world, const void** image, size_t* image_bytes);
/* Replaces the state by that of an image of equal scene and numbers mode; TAKT_ERROR_MISMATCH names what
   differs. takt_world_from_image makes a world of any image. */
TAKT_API takt_status takt_world_restore(takt_world* world, const void* image, size_t image_bytes);

/* --- queries --- */
enum { TAKT_QUERY_RAY = 1, TAKT_QUERY_CAST = 2, TAKT_QUERY_OVERLAP = 3, TAKT_QUERY_CLOSEST = 4 };
enum { TAKT_MODE_CLOSEST = 1, TAKT_MODE_ALL = 2, TAKT_MODE_ANY = 3 };
enum { TAKT_QUERY_SENSORS = 1, TAKT_QUERY_NO_SURFACES = 2 };
typedef struct takt_query {
  uint32_t kind;
  uint32_t mode;
  uint32_t shape; /* cast, overlap: TAKT_SHAPE_SPHERE and so on */
  uint32_t flags; /* TAKT_QUERY_SENSORS: find sensors. TAKT_QUERY_NO_SURFACES: skip meshes, height fields */
  double position[3];
  double translation[3]; /* ray, cast: at most 1e7 m long */
  double rotation[4];    /* cast, overlap */
  double dimensions[3];  /* cast, overlap */
  double max_distance;   /* closest, m, [0, 1e7] */
  uint64_t ignore;       /* a body that is not found; 0 = none */
} takt_query;
typedef struct takt_answer {
  takt_status status; /* TAKT_OK, or why this query was refused */
  uint32_t found;     /* 1 = something was found */
  uint32_t first_hit; /* index of its first hit among all hits of the call */
  uint32_t hit_count;
} takt_answer;
typedef struct takt_hit {
  uint64_t body;
  uint64_t shape;
  double position[3]; /* on the surface */
  double normal[3];   /* unit, outward */
  double fraction;    /* ray, cast: of the translation, [0, 1] */
  double distance;    /* overlap, closest: separation, m; below 0 the depth */
  uint32_t triangle;  /* of a mesh, or cell of a height field; UINT32_MAX = none */
  uint32_t query;     /* index of its query */
} takt_hit;
/* Runs independent queries. `answers` has one element for each. `hit_count` is the number of all hits, and
   `hits` gets the first `hit_capacity` of them, in the order of their queries. */
TAKT_API takt_status takt_world_query(takt_world* world, const takt_query* queries, size_t query_count,
                                      takt_answer* answers, takt_hit* hits, size_t hit_capacity,
                                      size_t* hit_count);

/* --- contacts and events --- */
typedef struct takt_contact {
  uint64_t body_a;
  uint64_t body_b;
  double position[3];
  double normal[3];  /* unit, from a to b */
  double impulse;    /* along the normal in the last substep, N s */
  double separation; /* m; below 0 the shapes overlap */
} takt_contact;
/* Lists the contact points of the last step, sorted by shapes. `count` and `capacity` as in
   takt_world_list_joints. */
TAKT_API takt_status takt_world_contacts(takt_world* world, takt_contact* contacts, size_t capacity,
                                         size_t* count);

enum {
  TAKT_EVENT_CONTACT_BEGIN = 1,
  TAKT_EVENT_CONTACT_END = 2,
  TAKT_EVENT_HIT = 3,          /* with position, normal, impulse and speed */
  TAKT_EVENT_SENSOR_BEGIN = 4, /* a is the sensor */
  TAKT_EVENT_SENSOR_END = 5,
  TAKT_EVENT_QUARANTINED = 6, /* body_a left the world or the finite numbers and is frozen */
  TAKT_EVENT_SLEPT = 7,       /* body_a */
  TAKT_EVENT_WOKEN = 8,       /* body_a */
  TAKT_EVENT_JOINT_BROKEN = 9 /* joint */
};
typedef struct takt_event {
  uint64_t tick; /* after the step in which it happened */
  uint32_t kind;
  uint32_t reserved;
  uint64_t body_a; /* 0 when the body is gone */
  uint64_t body_b;
  uint64_t shape_a;
  uint64_t shape_b;
  uint64_t joint;
  double position[3];
  double normal[3];
  double impulse; /* N s */
  double speed;   /* of approach, m/s */
} takt_event;
/* Lists the events of the last call that stepped the world, of all its ticks, at most 1,000,000. */
TAKT_API takt_status takt_world_events(takt_world* world, takt_event* events, size_t capacity, size_t* count);

/* --- batches --- */
typedef struct takt_batch_options {
  uint32_t size;
  uint32_t numbers;     /* 0 = TAKT_NUMBERS_FLOAT */
  uint32_t world_count; /* [1, 65536] */
  uint32_t threads;     /* worlds stepped at a time, [1, 64]; 0 = 1. Changes no bit */
  uint32_t lanes;       /* as in takt_world_options */
  uint32_t reserved;
} takt_batch_options;

/* Creates n worlds of the scene at tick 0. A batch uses `where`, n bytes or null, in the calls below: a world
   whose byte is 0 is left out; null selects all. */
TAKT_API takt_status takt_batch_create(takt_scene* scene, const takt_batch_options* options,
                                       takt_batch** batch);
TAKT_API takt_status takt_batch_destroy(takt_batch* batch);
/* Returns the handle of one world, which belongs to the batch. It is valid for each takt_world function but
   takt_world_destroy, until the batch is destroyed. */
TAKT_API takt_status takt_batch_world(takt_batch* batch, size_t index, takt_world** world);
TAKT_API takt_status takt_batch_step(takt_batch* batch, uint32_t ticks, const uint8_t* where);
/* takt_world_step_until for a batch: is_stopped is called by all threads of the batch, between ticks and
   between worlds. After TAKT_ERROR_STOPPED the worlds may have different ticks. */
TAKT_API takt_status takt_batch_step_until(takt_batch* batch, uint32_t ticks, const uint8_t* where,
                                           takt_stop_function is_stopped, void* context);
/* Writes the n state hashes. */
TAKT_API takt_status takt_batch_hashes(takt_batch* batch, uint64_t* hashes);
/* As takt_world_array, with a first axis of n worlds. The second axis has room for the largest world; rows
   past the end of a smaller world are 0. */
TAKT_API takt_status takt_batch_array(takt_batch* batch, uint32_t field, takt_view* view, takt_array** hold);
/* Captures all n worlds. */
TAKT_API takt_status takt_batch_capture(takt_batch* batch, takt_snapshot** snapshot);
/* Rolls worlds back. A snapshot of one world goes to each of them, one of n worlds gives each its own. */
TAKT_API takt_status takt_batch_rollback(takt_batch* batch, takt_snapshot* snapshot, const uint8_t* where);
/* takt_world_force for one body of each world: `bodies` has n ids, `forces` n x 3 numbers, `torques` too or
   is null. Stops at the first failure and returns it: worlds before it have the force, worlds after it do
   not. */
TAKT_API takt_status takt_batch_force(takt_batch* batch, const uint64_t* bodies, const double* forces,
                                      const double* torques, uint32_t ticks, const uint8_t* where);
/* takt_world_teleport for one body of each world: arrays of n rows, each null = keep. Stops at the first
   failure and returns it: worlds before it are changed, worlds after it are not. */
TAKT_API takt_status takt_batch_teleport(takt_batch* batch, const uint64_t* bodies, const double* positions,
                                         const double* rotations, const double* linear_velocities,
                                         const double* angular_velocities, const uint8_t* where);

/* --- recordings --- */
/* Records each step and edit from now on into a new file, which replaces an existing one once the recording
   has begun. */
TAKT_API takt_status takt_world_record(takt_world* world, const char* path, size_t path_bytes);
/* Ends the recording, also when it fails. Edits after the last step are not part of it. After
   TAKT_ERROR_MEMORY, of this function or of a step, the file has whole chunks without their index. */
TAKT_API takt_status takt_world_record_stop(takt_world* world);

typedef struct takt_recording_info {
  uint32_t size;
  uint32_t numbers;
  uint64_t scene_hash;
  uint64_t first_tick;
  uint64_t end_tick;
  uint64_t input_count;
  uint64_t image_count;
  uint32_t tick_rate_hz;
  uint32_t is_closed; /* 1 = the file has its end */
} takt_recording_info;
typedef struct takt_verify_report {
  uint32_t size;
  uint32_t agrees; /* 1 = each recorded hash was computed again */
  uint64_t ticks_checked;
  uint64_t final_tick;
  uint64_t final_hash;
  uint64_t mismatch_tick; /* first tick that differs; UINT64_MAX = none */
} takt_verify_report;
TAKT_API takt_status takt_recording_open(const char* path, size_t path_bytes, takt_recording** recording);
TAKT_API takt_status takt_recording_destroy(takt_recording* recording);
TAKT_API takt_status takt_recording_get_info(takt_recording* recording, takt_recording_info* info);
/* Simulates the recording again and compares each hash. `threads` is in [1, 64], 0 = 1. */
TAKT_API takt_status takt_recording_verify(takt_recording* recording, uint32_t threads,
                                           takt_verify_report* report);
/* Creates the world at a tick in [first_tick, end_tick]. `options` may be null. */
TAKT_API takt_status takt_recording_world(takt_recording* recording, uint64_t tick,
                                          const takt_world_options* options, takt_world** world);

/* --- services --- */
typedef struct takt_service_info {
  uint32_t size;
  uint32_t version;         /* of the service's wire */
  uint32_t worlds_max;      /* of all clients */
  uint32_t step_ticks_max;  /* of one takt_world_step or takt_batch_step */
  uint32_t frame_bytes_max; /* of a request or a reply */
  uint32_t window;          /* requests that wait for their replies */
  uint32_t threads;         /* that step worlds */
  uint32_t reserved;
  uint64_t memory_max; /* bytes of heap, 0 = no limit */
} takt_service_info;

/* Connects to `takt service` at "unix:PATH", "tcp:HOST:PORT" or "shm:PATH" within 10 s; the last one shares
   memory with the service at unix:PATH. `token` has the bytes of the service's token file without the line
   end, at most 256; null for 0. Errors: TAKT_ERROR_REMOTE, TAKT_ERROR_TOKEN, TAKT_ERROR_LIMIT;
   TAKT_ERROR_UNSUPPORTED for shm:PATH where the system or the service has no shared memory: use unix:PATH.

   Worlds, batches and snapshots of a service have handles of the same types and the same functions. Each call
   is one exchange of messages, whose reply has the new values of the arrays in use. Calls of several threads
   on one connection wait for one another. A recording is a file of the calling process. Out of memory at the
   service is TAKT_ERROR_MEMORY. */
TAKT_API takt_status takt_connect(const char* address, size_t address_bytes, const void* token,
                                  size_t token_bytes, takt_service** service);
/* Gives the handle back. The connection ends with its last world, batch or snapshot. */
TAKT_API takt_status takt_service_destroy(takt_service* service);
/* Sets a function that may end calls which wait for the service, or null for none. It is called with
   `context` 10 times a second while a call waits, and when a signal interrupts the wait, on the thread of the
   call. It is not called while a call waits for one of another thread on the same connection. It must not use
   handles of the service. The first result other than 0 ends a step between two ticks, and other calls when
   they are done: they have their effect, but a world, batch or snapshot that they made is destroyed. The
   status is TAKT_ERROR_STOPPED, or that of a call that failed otherwise. Worlds of a batch whose step was
   stopped may have different ticks. Arrays are those of the state after the call. When the call still waits
   and the function returns 0 and then another number again, the connection ends, and the call with
   TAKT_ERROR_REMOTE. Handles of the service call the function as long as they live: `context` must outlive
   the last world, batch and snapshot, or the function is set to null before takt_service_destroy. Errors:
   TAKT_ERROR_REMOTE in the child of a fork. */
TAKT_API takt_status takt_service_set_stop(takt_service* service, takt_stop_function is_stopped,
                                           void* context);
/* A stop function for the main thread of the process alone, which has the signals in some languages.
   `is_stopped` may be null for none. */
typedef struct takt_main_thread_stop {
  takt_stop_function is_stopped;
  void* context;        /* of is_stopped */
  uint32_t was_stopped; /* 1 after is_stopped has returned another number than 0; the caller sets 0 again */
  uint32_t reserved;
} takt_main_thread_stop;
/* This is a takt_stop_function whose context is a takt_main_thread_stop. On the main thread it calls
   is_stopped, notes the result and returns it as 0 or 1. On any other thread it returns 0. */
TAKT_API uint32_t takt_stop_on_main_thread(void* stop);
TAKT_API takt_status takt_service_get_info(takt_service* service, takt_service_info* info);
/* takt_world_create, takt_world_from_image and takt_batch_create at the service. `threads` of a world has no
   effect; the service lowers that of a batch to its own. */
TAKT_API takt_status takt_service_world(takt_service* service, takt_scene* scene,
                                        const takt_world_options* options, takt_world** world);
TAKT_API takt_status takt_service_world_from_image(takt_service* service, const void* image,
                                                   size_t image_bytes, takt_scene* scene,
                                                   const takt_world_options* options, takt_world** world);
TAKT_API takt_status takt_service_batch(takt_service* service, takt_scene* scene,
                                        const takt_batch_options* options, takt_batch** batch);

/* Writes the key of a world or batch of a service with leases (--idle-lease): 24 bytes that nobody can guess,
   the same at each call. After the loss of the connection, the lease is the time in which a new connection,
   of this process or another, takes the world over. Whoever has the key has the world: keep it as a token.
   Errors: TAKT_ERROR_UNSUPPORTED without leases, and for worlds of this process. */
enum { TAKT_KEY_BYTES = 24 };
TAKT_API takt_status takt_world_key(takt_world* world, uint8_t key[24]);
TAKT_API takt_status takt_batch_key(takt_batch* batch, uint8_t key[24]);
/* Takes a world or batch over, as it is after the last request that the service has answered. Snapshots stay
   behind. A connection that still has it ends, with all its worlds under lease; the function waits up to 5 s
   for that. Errors: TAKT_ERROR_HANDLE when the key is unknown or the lease has ended; TAKT_ERROR_MISMATCH for
   the key of the other kind; TAKT_ERROR_BORROWED when this connection has it; TAKT_ERROR_BUSY after 5 s;
   TAKT_ERROR_STOPPED when a stop comes before the takeover. One that comes with it has no effect. */
TAKT_API takt_status takt_service_attach_world(takt_service* service, const uint8_t key[24],
                                               takt_world** world);
TAKT_API takt_status takt_service_attach_batch(takt_service* service, const uint8_t key[24],
                                               takt_batch** batch);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming, modernize-redundant-void-arg) */
#endif
