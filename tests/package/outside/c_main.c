/* A ball falls on the ground: the C interface of an installed Takt. */
#include <stdio.h>
#include <string.h>

#include <takt/c/takt.h>

static const char* const text =
    "{ \"bodies\": [ { \"type\": \"static\", \"shapes\": [ { \"half_space\": {} } ] },"
    " { \"position\": [0, 5, 0], \"shapes\": [ { \"sphere\": { \"radius\": 0.5 } } ] } ] }";

int main(void) {
  takt_scene* scene = NULL;
  takt_world* world = NULL;
  takt_view view = {0};
  view.size = (uint32_t)sizeof view;
  if (takt_scene_parse(text, strlen(text), "ball", 4, &scene) || takt_world_create(scene, NULL, &world) ||
      takt_world_array(world, TAKT_POSITIONS, &view, NULL) || takt_world_step(world, 120)) {
    fprintf(stderr, "%s\n", takt_last_error());
    return 1;
  }
  printf("fell to %.3f m\n", ((const double*)view.data)[4]);
  takt_world_destroy(world);
  takt_scene_destroy(scene);
  return 0;
}
