/* A C99 program against takt.h: it loads a scene file, records some ticks and an edit, verifies the recording
   and prints the tick and the hash. Arguments: scene, recording. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "takt/c/takt.h"

static int failed(takt_status status) {
  if (status == TAKT_OK) return 0;
  fprintf(stderr, "status %d: %s\n", (int)status, takt_last_error());
  return 1;
}

int main(int argc, char** argv) {
  takt_scene* scene = NULL;
  takt_world* world = NULL;
  takt_recording* recording = NULL;
  takt_world_options options = {0};
  takt_verify_report report = {0};
  takt_view view = {0};
  double const push[3] = {0, 0, 50};
  uint64_t hash = 0;
  options.size = (uint32_t)sizeof options;
  options.numbers = TAKT_NUMBERS_FIXED;
  report.size = (uint32_t)sizeof report;
  view.size = (uint32_t)sizeof view;
  if (argc != 3) return 2;
  if (failed(takt_scene_load(argv[1], strlen(argv[1]), &scene))) return 1;
  if (failed(takt_world_create(scene, &options, &world))) return 1;
  if (failed(takt_scene_destroy(scene))) return 1;
  if (failed(takt_world_array(world, TAKT_BODY_IDS, &view, NULL))) return 1;
  if (failed(takt_world_record(world, argv[2], strlen(argv[2])))) return 1;
  if (failed(takt_world_step(world, 30))) return 1;
  if (failed(takt_world_impulse(world, ((const uint64_t*)view.data)[view.shape[0] - 1], push, NULL)))
    return 1;
  if (failed(takt_world_step(world, 30))) return 1;
  if (failed(takt_world_record_stop(world))) return 1;
  if (failed(takt_world_hash(world, &hash))) return 1;
  if (failed(takt_recording_open(argv[2], strlen(argv[2]), &recording))) return 1;
  if (failed(takt_recording_verify(recording, 1, &report))) return 1;
  if (!report.agrees || report.final_hash != hash) return 1;
  if (failed(takt_recording_destroy(recording))) return 1;
  if (failed(takt_world_destroy(world))) return 1;
  printf("tick %" PRIu64 " hash 0x%016" PRIx64 "\n", report.final_tick, hash);
  return 0;
}
