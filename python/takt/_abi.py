"""The ctypes form of takt.h. generate_abi.py writes this file."""
from ctypes import (
    Structure,
    c_char_p,
    c_double,
    c_int32,
    c_int64,
    c_size_t,
    c_uint32,
    c_uint64,
    c_uint8,
    c_void_p,
)

TAKT_BINDING_VERSION = 6
TAKT_OK = 0
TAKT_ERROR_NULL = 1
TAKT_ERROR_HANDLE = 2
TAKT_ERROR_BUSY = 3
TAKT_ERROR_SIZE = 4
TAKT_ERROR_RANGE = 5
TAKT_ERROR_MEMORY = 6
TAKT_ERROR_FILE = 7
TAKT_ERROR_SCENE = 8
TAKT_ERROR_RECORDING = 9
TAKT_ERROR_BROKEN = 10
TAKT_ERROR_MISMATCH = 11
TAKT_ERROR_SYSTEM = 12
TAKT_ERROR_INTERNAL = 13
TAKT_ERROR_NAME = 14
TAKT_ERROR_BORROWED = 15
TAKT_ERROR_REMOTE = 16
TAKT_ERROR_LIMIT = 17
TAKT_ERROR_TOKEN = 18
TAKT_ERROR_UNSUPPORTED = 19
TAKT_ERROR_STOPPED = 20
TAKT_ERROR_PHYSICS = 1000
TAKT_ERROR_SIM = 2000
TAKT_ERROR_REFUSED = 3000
TAKT_NUMBERS_FLOAT = 1
TAKT_NUMBERS_FIXED = 2
TAKT_BODY_IDS = 0
TAKT_POSITIONS = 1
TAKT_POSITIONS_RAW = 2
TAKT_ROTATIONS = 3
TAKT_LINEAR_VELOCITIES = 4
TAKT_ANGULAR_VELOCITIES = 5
TAKT_BODY_FLAGS = 6
TAKT_FLAG_ASLEEP = 1
TAKT_FLAG_DISABLED = 2
TAKT_FLAG_QUARANTINED = 4
TAKT_BODY_STATIC = 0
TAKT_BODY_KINEMATIC = 1
TAKT_BODY_DYNAMIC = 2
TAKT_TYPE_F64 = 1
TAKT_TYPE_I64 = 2
TAKT_TYPE_U64 = 3
TAKT_TYPE_U8 = 4
TAKT_SHAPE_SPHERE = 1
TAKT_SHAPE_CAPSULE = 2
TAKT_SHAPE_BOX = 3
TAKT_SHAPE_CYLINDER = 5
TAKT_SHAPE_CONE = 6
TAKT_JOINT_COLLIDE_CONNECTED = 1
TAKT_JOINT_LOCKED = 2
TAKT_JOINT_FRAME_A = 4
TAKT_JOINT_FRAME_B = 8
TAKT_JOINT_LINEAR = 16
TAKT_JOINT_ANGULAR = 32
TAKT_JOINT_MAX_FORCE = 64
TAKT_JOINT_MAX_TORQUE = 128
TAKT_JOINT_BREAK_FORCE = 256
TAKT_JOINT_BREAK_TORQUE = 512
TAKT_JOINT_RATIO = 1024
TAKT_JOINT_LENGTH = 2048
TAKT_JOINT_DIRECT = 4096
TAKT_JOINT_LIMIT = 8192
TAKT_JOINT_GENERIC = 1
TAKT_JOINT_POINT = 2
TAKT_JOINT_REVOLUTE = 3
TAKT_JOINT_PRISMATIC = 4
TAKT_JOINT_WELD = 5
TAKT_JOINT_DISTANCE = 6
TAKT_JOINT_ANGLE = 7
TAKT_JOINT_WHEEL = 8
TAKT_JOINT_PARALLEL = 9
TAKT_JOINT_MOTOR = 10
TAKT_JOINT_TARGET = 11
TAKT_JOINT_PULLEY = 12
TAKT_JOINT_GEAR = 13
TAKT_BODY_TYPE = 1
TAKT_BODY_ENABLED = 2
TAKT_BODY_LOCKED = 4
TAKT_BODY_GRAVITY_SCALE = 8
TAKT_BODY_DAMPING = 16
TAKT_BODY_TAG = 32
TAKT_SHAPE_FILTER = 1
TAKT_SHAPE_FRICTION = 2
TAKT_SHAPE_RESTITUTION = 4
TAKT_SHAPE_SURFACE_VELOCITY = 8
TAKT_MOVER_MAX_SLOPE = 1
TAKT_MOVER_STEP_HEIGHT = 2
TAKT_MOVER_STICK_DISTANCE = 4
TAKT_MOVER_SKIN = 8
TAKT_MOVER_MAX_SPEED = 16
TAKT_MOVER_ACCELERATION = 32
TAKT_MOVER_AIR_ACCELERATION = 64
TAKT_MOVER_JUMP_SPEED = 128
TAKT_MOVER_MAX_FALL_SPEED = 256
TAKT_MOVER_GRAVITY_SCALE = 512
TAKT_MOVER_PUSH_FORCE = 1024
TAKT_MOVER_MASS = 2048
TAKT_MOVER_RECOVERY_SPEED = 4096
TAKT_QUERY_RAY = 1
TAKT_QUERY_CAST = 2
TAKT_QUERY_OVERLAP = 3
TAKT_QUERY_CLOSEST = 4
TAKT_MODE_CLOSEST = 1
TAKT_MODE_ALL = 2
TAKT_MODE_ANY = 3
TAKT_QUERY_SENSORS = 1
TAKT_QUERY_NO_SURFACES = 2
TAKT_EVENT_CONTACT_BEGIN = 1
TAKT_EVENT_CONTACT_END = 2
TAKT_EVENT_HIT = 3
TAKT_EVENT_SENSOR_BEGIN = 4
TAKT_EVENT_SENSOR_END = 5
TAKT_EVENT_QUARANTINED = 6
TAKT_EVENT_SLEPT = 7
TAKT_EVENT_WOKEN = 8
TAKT_EVENT_JOINT_BROKEN = 9
TAKT_KEY_BYTES = 24


class takt_world_options(Structure):  # 16 bytes
    _fields_ = [
        ("size", c_uint32),
        ("numbers", c_uint32),
        ("threads", c_uint32),
        ("lanes", c_uint32),
    ]


class takt_world_info(Structure):  # 72 bytes
    _fields_ = [
        ("size", c_uint32),
        ("numbers", c_uint32),
        ("tick", c_uint64),
        ("scene_hash", c_uint64),
        ("body_count", c_uint32),
        ("rope_count", c_uint32),
        ("tick_rate_hz", c_uint32),
        ("substeps", c_uint32),
        ("gravity", c_double * 3),
        ("is_recording", c_uint32),
        ("is_borrowed", c_uint32),
    ]


class takt_view(Structure):  # 88 bytes
    _fields_ = [
        ("size", c_uint32),
        ("type", c_uint32),
        ("dimensions", c_uint32),
        ("reserved", c_uint32),
        ("shape", c_uint64 * 4),
        ("strides", c_int64 * 4),
        ("data", c_void_p),
    ]


class takt_spawn(Structure):  # 168 bytes
    _fields_ = [
        ("size", c_uint32),
        ("shape", c_uint32),
        ("dimensions", c_double * 3),
        ("position", c_double * 3),
        ("rotation", c_double * 4),
        ("linear_velocity", c_double * 3),
        ("angular_velocity", c_double * 3),
        ("density", c_double),
        ("friction", c_double),
        ("restitution", c_double),
        ("tag", c_uint32),
        ("reserved", c_uint32),
    ]


class takt_joint_change(Structure):  # 248 bytes
    _fields_ = [
        ("size", c_uint32),
        ("fields", c_uint32),
        ("collide_connected", c_uint32),
        ("locked", c_uint32),
        ("position_a", c_double * 3),
        ("rotation_a", c_double * 4),
        ("position_b", c_double * 3),
        ("rotation_b", c_double * 4),
        ("linear_frequency", c_double),
        ("linear_damping_ratio", c_double),
        ("angular_frequency", c_double),
        ("angular_damping_ratio", c_double),
        ("max_force", c_double),
        ("max_torque", c_double),
        ("break_force", c_double),
        ("break_torque", c_double),
        ("ratio", c_double),
        ("length", c_double),
        ("direct", c_uint32),
        ("axis", c_uint32),
        ("lower", c_double),
        ("upper", c_double),
        ("limit_frequency", c_double),
        ("limit_damping_ratio", c_double),
    ]


class takt_joint_def(Structure):  # 312 bytes
    _fields_ = [
        ("size", c_uint32),
        ("kind", c_uint32),
        ("body_a", c_uint64),
        ("body_b", c_uint64),
        ("position_a", c_double * 3),
        ("rotation_a", c_double * 4),
        ("position_b", c_double * 3),
        ("rotation_b", c_double * 4),
        ("locked", c_uint32),
        ("collide_connected", c_uint32),
        ("enabled", c_uint32),
        ("direct", c_uint32),
        ("linear_frequency", c_double),
        ("linear_damping_ratio", c_double),
        ("angular_frequency", c_double),
        ("angular_damping_ratio", c_double),
        ("max_force", c_double),
        ("max_torque", c_double),
        ("break_force", c_double),
        ("break_torque", c_double),
        ("length", c_double),
        ("joint_1", c_uint64),
        ("joint_2", c_uint64),
        ("axis_1", c_uint32),
        ("axis_2", c_uint32),
        ("ratio", c_double),
        ("ground_a", c_double * 3),
        ("ground_b", c_double * 3),
        ("tag", c_uint64),
    ]


class takt_body_change(Structure):  # 56 bytes
    _fields_ = [
        ("size", c_uint32),
        ("fields", c_uint32),
        ("type", c_uint32),
        ("enabled", c_uint32),
        ("locked", c_uint32),
        ("reserved", c_uint32),
        ("gravity_scale", c_double),
        ("linear_damping", c_double),
        ("angular_damping", c_double),
        ("tag", c_uint64),
    ]


class takt_shape_change(Structure):  # 64 bytes
    _fields_ = [
        ("size", c_uint32),
        ("fields", c_uint32),
        ("category", c_uint32),
        ("mask", c_uint32),
        ("group", c_int32),
        ("reserved", c_uint32),
        ("friction", c_double),
        ("restitution", c_double),
        ("surface_velocity", c_double * 3),
    ]


class takt_mover_tuning(Structure):  # 112 bytes
    _fields_ = [
        ("size", c_uint32),
        ("fields", c_uint32),
        ("max_slope", c_double),
        ("step_height", c_double),
        ("stick_distance", c_double),
        ("skin", c_double),
        ("max_speed", c_double),
        ("acceleration", c_double),
        ("air_acceleration", c_double),
        ("jump_speed", c_double),
        ("max_fall_speed", c_double),
        ("gravity_scale", c_double),
        ("push_force", c_double),
        ("mass", c_double),
        ("recovery_speed", c_double),
    ]


class takt_mover_def(Structure):  # 88 bytes
    _fields_ = [
        ("size", c_uint32),
        ("category", c_uint32),
        ("mask", c_uint32),
        ("group", c_int32),
        ("position", c_double * 3),
        ("heading", c_double),
        ("radius", c_double),
        ("half_length", c_double),
        ("friction", c_double),
        ("restitution", c_double),
        ("tag", c_uint64),
    ]


class takt_rope_def(Structure):  # 176 bytes
    _fields_ = [
        ("size", c_uint32),
        ("node_count", c_uint32),
        ("start", c_double * 3),
        ("end", c_double * 3),
        ("segment_length", c_double),
        ("radius", c_double),
        ("mass", c_double),
        ("linear_density", c_double),
        ("compliant", c_uint32),
        ("passes", c_uint32),
        ("stiffness", c_double),
        ("compliance", c_double),
        ("damping", c_double),
        ("drag", c_double),
        ("gravity_scale", c_double),
        ("friction", c_double),
        ("collides", c_uint32),
        ("collides_with_pinned", c_uint32),
        ("can_sleep", c_uint32),
        ("category", c_uint32),
        ("mask", c_uint32),
        ("group", c_int32),
        ("tag", c_uint64),
    ]


class takt_query(Structure):  # 136 bytes
    _fields_ = [
        ("kind", c_uint32),
        ("mode", c_uint32),
        ("shape", c_uint32),
        ("flags", c_uint32),
        ("position", c_double * 3),
        ("translation", c_double * 3),
        ("rotation", c_double * 4),
        ("dimensions", c_double * 3),
        ("max_distance", c_double),
        ("ignore", c_uint64),
    ]


class takt_answer(Structure):  # 16 bytes
    _fields_ = [
        ("status", c_int32),
        ("found", c_uint32),
        ("first_hit", c_uint32),
        ("hit_count", c_uint32),
    ]


class takt_hit(Structure):  # 88 bytes
    _fields_ = [
        ("body", c_uint64),
        ("shape", c_uint64),
        ("position", c_double * 3),
        ("normal", c_double * 3),
        ("fraction", c_double),
        ("distance", c_double),
        ("triangle", c_uint32),
        ("query", c_uint32),
    ]


class takt_contact(Structure):  # 80 bytes
    _fields_ = [
        ("body_a", c_uint64),
        ("body_b", c_uint64),
        ("position", c_double * 3),
        ("normal", c_double * 3),
        ("impulse", c_double),
        ("separation", c_double),
    ]


class takt_event(Structure):  # 120 bytes
    _fields_ = [
        ("tick", c_uint64),
        ("kind", c_uint32),
        ("reserved", c_uint32),
        ("body_a", c_uint64),
        ("body_b", c_uint64),
        ("shape_a", c_uint64),
        ("shape_b", c_uint64),
        ("joint", c_uint64),
        ("position", c_double * 3),
        ("normal", c_double * 3),
        ("impulse", c_double),
        ("speed", c_double),
    ]


class takt_batch_options(Structure):  # 24 bytes
    _fields_ = [
        ("size", c_uint32),
        ("numbers", c_uint32),
        ("world_count", c_uint32),
        ("threads", c_uint32),
        ("lanes", c_uint32),
        ("reserved", c_uint32),
    ]


class takt_recording_info(Structure):  # 56 bytes
    _fields_ = [
        ("size", c_uint32),
        ("numbers", c_uint32),
        ("scene_hash", c_uint64),
        ("first_tick", c_uint64),
        ("end_tick", c_uint64),
        ("input_count", c_uint64),
        ("image_count", c_uint64),
        ("tick_rate_hz", c_uint32),
        ("is_closed", c_uint32),
    ]


class takt_verify_report(Structure):  # 40 bytes
    _fields_ = [
        ("size", c_uint32),
        ("agrees", c_uint32),
        ("ticks_checked", c_uint64),
        ("final_tick", c_uint64),
        ("final_hash", c_uint64),
        ("mismatch_tick", c_uint64),
    ]


class takt_service_info(Structure):  # 40 bytes
    _fields_ = [
        ("size", c_uint32),
        ("version", c_uint32),
        ("worlds_max", c_uint32),
        ("step_ticks_max", c_uint32),
        ("frame_bytes_max", c_uint32),
        ("window", c_uint32),
        ("threads", c_uint32),
        ("reserved", c_uint32),
        ("memory_max", c_uint64),
    ]


class takt_main_thread_stop(Structure):  # 24 bytes
    _fields_ = [
        ("is_stopped", c_void_p),
        ("context", c_void_p),
        ("was_stopped", c_uint32),
        ("reserved", c_uint32),
    ]


# Result and parameters of each function. Pointers and handles are c_void_p, texts c_char_p.
FUNCTIONS = {
    "takt_abi_version": (c_uint32, []),
    "takt_version": (c_char_p, []),
    "takt_last_error": (c_char_p, []),
    "takt_scene_parse": (c_int32, [c_char_p, c_size_t, c_char_p, c_size_t, c_void_p]),
    "takt_scene_load": (c_int32, [c_char_p, c_size_t, c_void_p]),
    "takt_scene_destroy": (c_int32, [c_void_p]),
    "takt_world_create": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_world_from_image": (c_int32, [c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "takt_world_fork": (c_int32, [c_void_p, c_void_p]),
    "takt_world_destroy": (c_int32, [c_void_p]),
    "takt_world_step": (c_int32, [c_void_p, c_uint32]),
    "takt_world_step_until": (c_int32, [c_void_p, c_uint32, c_void_p, c_void_p]),
    "takt_world_get_info": (c_int32, [c_void_p, c_void_p]),
    "takt_world_hash": (c_int32, [c_void_p, c_void_p]),
    "takt_world_find_body": (c_int32, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "takt_world_find_joint": (c_int32, [c_void_p, c_char_p, c_size_t, c_void_p]),
    "takt_world_list_joints": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "takt_world_list_ropes": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "takt_world_joint_state": (c_int32, [c_void_p, c_uint64, c_uint32, c_void_p, c_void_p]),
    "takt_world_array": (c_int32, [c_void_p, c_uint32, c_void_p, c_void_p]),
    "takt_array_destroy": (c_int32, [c_void_p]),
    "takt_world_impulse": (c_int32, [c_void_p, c_uint64, c_void_p, c_void_p]),
    "takt_world_force": (c_int32, [c_void_p, c_uint64, c_void_p, c_void_p, c_uint32]),
    "takt_world_teleport": (c_int32, [c_void_p, c_uint64, c_void_p, c_void_p, c_void_p, c_void_p]),
    "takt_spawn_defaults": (c_int32, [c_void_p]),
    "takt_world_spawn": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_world_despawn": (c_int32, [c_void_p, c_uint64]),
    "takt_world_move": (c_int32, [c_void_p, c_uint64, c_void_p, c_double, c_uint32, c_uint32]),
    "takt_world_cut_rope": (c_int32, [c_void_p, c_uint64, c_uint32]),
    "takt_world_joint_motor": (c_int32, [c_void_p, c_uint64, c_uint32, c_double, c_double]),
    "takt_world_joint_drive": (
        c_int32,
        [c_void_p, c_uint64, c_uint32, c_uint32, c_double, c_double, c_double, c_double],
    ),
    "takt_world_joint_limit": (c_int32, [c_void_p, c_uint64, c_uint32, c_double, c_double]),
    "takt_world_joint_friction": (c_int32, [c_void_p, c_uint64, c_uint32, c_double]),
    "takt_world_joint_enable": (c_int32, [c_void_p, c_uint64, c_uint32]),
    "takt_world_destroy_joint": (c_int32, [c_void_p, c_uint64]),
    "takt_world_change_joint": (c_int32, [c_void_p, c_uint64, c_void_p]),
    "takt_joint_defaults": (c_int32, [c_uint32, c_void_p]),
    "takt_world_create_joint": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_world_change_body": (c_int32, [c_void_p, c_uint64, c_void_p]),
    "takt_world_set_target": (c_int32, [c_void_p, c_uint64, c_void_p, c_void_p]),
    "takt_world_list_shapes": (c_int32, [c_void_p, c_uint64, c_void_p, c_size_t, c_void_p]),
    "takt_world_change_shape": (c_int32, [c_void_p, c_uint64, c_void_p]),
    "takt_world_tune_mover": (c_int32, [c_void_p, c_uint64, c_void_p]),
    "takt_mover_defaults": (c_int32, [c_void_p]),
    "takt_world_create_mover": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "takt_rope_defaults": (c_int32, [c_void_p]),
    "takt_world_create_rope": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "takt_world_destroy_rope": (c_int32, [c_void_p, c_uint64]),
    "takt_world_rope_length": (c_int32, [c_void_p, c_uint64, c_double]),
    "takt_world_pin_rope": (c_int32, [c_void_p, c_uint64, c_uint32, c_uint64, c_void_p]),
    "takt_world_unpin_rope": (c_int32, [c_void_p, c_uint64, c_uint32]),
    "takt_world_grab": (c_int32, [c_void_p, c_uint64, c_void_p, c_void_p, c_double]),
    "takt_world_move_grab": (c_int32, [c_void_p, c_void_p]),
    "takt_world_release": (c_int32, [c_void_p]),
    "takt_world_capture": (c_int32, [c_void_p, c_void_p]),
    "takt_world_capture_into": (c_int32, [c_void_p, c_void_p]),
    "takt_world_rollback": (c_int32, [c_void_p, c_void_p]),
    "takt_snapshot_destroy": (c_int32, [c_void_p]),
    "takt_snapshot_info": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_world_save": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_world_restore": (c_int32, [c_void_p, c_void_p, c_size_t]),
    "takt_world_query": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_size_t, c_void_p]),
    "takt_world_contacts": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "takt_world_events": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p]),
    "takt_batch_create": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_batch_destroy": (c_int32, [c_void_p]),
    "takt_batch_world": (c_int32, [c_void_p, c_size_t, c_void_p]),
    "takt_batch_step": (c_int32, [c_void_p, c_uint32, c_void_p]),
    "takt_batch_step_until": (c_int32, [c_void_p, c_uint32, c_void_p, c_void_p, c_void_p]),
    "takt_batch_hashes": (c_int32, [c_void_p, c_void_p]),
    "takt_batch_array": (c_int32, [c_void_p, c_uint32, c_void_p, c_void_p]),
    "takt_batch_capture": (c_int32, [c_void_p, c_void_p]),
    "takt_batch_rollback": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_batch_force": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p, c_uint32, c_void_p]),
    "takt_batch_teleport": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p]),
    "takt_world_record": (c_int32, [c_void_p, c_char_p, c_size_t]),
    "takt_world_record_stop": (c_int32, [c_void_p]),
    "takt_recording_open": (c_int32, [c_char_p, c_size_t, c_void_p]),
    "takt_recording_destroy": (c_int32, [c_void_p]),
    "takt_recording_get_info": (c_int32, [c_void_p, c_void_p]),
    "takt_recording_verify": (c_int32, [c_void_p, c_uint32, c_void_p]),
    "takt_recording_world": (c_int32, [c_void_p, c_uint64, c_void_p, c_void_p]),
    "takt_connect": (c_int32, [c_char_p, c_size_t, c_void_p, c_size_t, c_void_p]),
    "takt_service_destroy": (c_int32, [c_void_p]),
    "takt_service_set_stop": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_stop_on_main_thread": (c_uint32, [c_void_p]),
    "takt_service_get_info": (c_int32, [c_void_p, c_void_p]),
    "takt_service_world": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "takt_service_world_from_image": (c_int32, [c_void_p, c_void_p, c_size_t, c_void_p, c_void_p, c_void_p]),
    "takt_service_batch": (c_int32, [c_void_p, c_void_p, c_void_p, c_void_p]),
    "takt_world_key": (c_int32, [c_void_p, c_void_p]),
    "takt_batch_key": (c_int32, [c_void_p, c_void_p]),
    "takt_service_attach_world": (c_int32, [c_void_p, c_void_p, c_void_p]),
    "takt_service_attach_batch": (c_int32, [c_void_p, c_void_p, c_void_p]),
}
