// takt shot: a picture or a clip of a scene or a recording without a display. Runs it to a tick, serves it
// paused on loopback, and has a headless Chromium draw it with the viewer that everyone else uses
// (client_sdk/js/viewer/tools/shot.mjs).
#include <CLI/CLI.hpp>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cli/child_process.h"
#include "cli/file_claims.h"
#include "cli/game_option.h"
#include "cli/number_option.h"
#include "cli/output_file.h"
#include "cli/path_option.h"
#include "cli/recording_file.h"
#include "cli/start_failure.h"
#include "cli/stop_signal.h"
#include "cli/subcommand.h"
#include "cli/web_options.h"
#include "cli/world_options.h"
#include "server/app/server.h"
#include "server/playback.h"
#include "server/room.h"
#include "takt/cli/takt_main.h"
#include "takt/server/log.h"

namespace takt::cli {
namespace {

constexpr const char* kRemedy = "'./dev setup web shot' installs node and chromium on Debian";

struct ShotOptions {
  WorldOptions world;
  std::uint64_t ticks = 0;
  std::string out_path;
  std::string gif_path;
  std::string webm_path;
  std::string size = "1280x720";
  std::string camera;
  std::string theme = "light";
  double seconds = 3;  // of a clip, in the world's time
  double frames_per_s = 20;
  std::string browser;
  std::string viewer_directory;  // empty = beside the program
  bool has_ticks = false;        // --ticks was given
  std::string world_option;      // the first option given that changes a scene; empty = none
};

/// The frames of a clip: their number and the whole number of ticks between them.
struct Clip {
  std::uint64_t frames = 0;
  std::uint64_t ticks_apart = 1;
  std::uint64_t delay_ms = 0;
};

Clip clip_of(const ShotOptions& options, std::uint32_t tick_rate_hz) {
  Clip clip;
  clip.ticks_apart =
      static_cast<std::uint64_t>(std::max(1.0, std::round(tick_rate_hz / options.frames_per_s)));
  clip.delay_ms =
      static_cast<std::uint64_t>(std::round(1000.0 * static_cast<double>(clip.ticks_apart) / tick_rate_hz));
  clip.frames = static_cast<std::uint64_t>(
      std::max(1.0, std::round(options.seconds * tick_rate_hz / static_cast<double>(clip.ticks_apart))));
  return clip;
}

// The picture and the clip: node writes them, and they get their names when it has succeeded.
class Pictures {
 public:
  /// Creates the files before the browser starts, which is slow. Empty, or the reason of a failure.
  [[nodiscard]] std::string create(const ShotOptions& options) {
    std::string failure = add("--out", options.out_path);
    if (failure.empty()) failure = add("--gif", options.gif_path);
    if (failure.empty()) failure = add("--webm", options.webm_path);
    return failure;
  }
  /// Each option with the path that node writes to.
  [[nodiscard]] std::vector<std::string> arguments() const {
    std::vector<std::string> words;
    for (const Picture& picture : files_)
      words.insert(words.end(), {picture.option, picture.file.path_for_writer()});
    return words;
  }
  /// Empty, or the reason of the first failure.
  [[nodiscard]] std::string close() {
    for (Picture& picture : files_)
      if (!picture.file.close()) return picture.file.failure();
    return "";
  }

 private:
  [[nodiscard]] std::string add(const std::string& option, const std::string& path) {
    if (path.empty()) return "";
    Result<OutputFile, server::FileError> file = OutputFile::create(path, Latecomer::kReplace);
    if (!file) return message(file.error());
    files_.push_back({option, *std::move(file)});
    return "";
  }
  struct Picture {
    std::string option;
    OutputFile file;
  };
  std::vector<Picture> files_;
};

// ".png" of "a.PNG"; empty without an ending.
std::string lower_extension(const std::string& path) {
  std::string out = std::filesystem::path(path).extension().string();
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string wrong_with(const ShotOptions& options) {
  if (options.out_path.empty() && options.gif_path.empty() && options.webm_path.empty())
    return "say where to: --out FILE.png, --gif FILE.gif or --webm FILE.webm";
  if (!options.gif_path.empty() && !options.webm_path.empty()) return "--gif and --webm: one clip at a time";
  return "";
}

struct ShowFailure {
  std::string text;
  bool is_interrupted = false;  // otherwise the input is refused
};

// A world that stands still at the tick of the picture.
struct Show {
  std::unique_ptr<server::Playable> playable;
  std::uint64_t tick = 0;
};

Result<Show, ShowFailure> show_scene(const ShotOptions& options, const sim::Scene& scene,
                                     StopSignal& stop_signal) {
  server::RoomOptions room_options;
  room_options.numbers = numbers_of(options.world);
  auto created = server::Room::create(scene, room_options);
  if (!created) return ShowFailure{std::string(message(created.error()))};
  auto room = std::make_unique<server::Room>(*std::move(created));
  for (std::uint64_t tick = 0; tick < options.ticks; ++tick) {
    (void)room->step();
    if (tick % 64 == 0 && stop_signal.wait_ms(0)) return ShowFailure{"interrupted", true};
  }
  room->pause();
  return Show{std::move(room), options.ticks};
}

// `reader` must outlive the result.
Result<Show, ShowFailure> show_recording(const ShotOptions& options, const sim::RecordingReader& reader,
                                         const server::GameRegistry& games) {
  sim::RecordingInfo const& info = reader.info();
  std::uint64_t const tick = options.has_ticks ? options.ticks : info.first_tick;
  bool const is_clip = !options.gif_path.empty() || !options.webm_path.empty();
  Clip const clip = clip_of(options, info.tick_rate_hz);
  std::uint64_t const last_tick = tick + (is_clip ? (clip.frames - 1) * clip.ticks_apart : 0);
  std::string const range = std::to_string(info.first_tick) + " to " + std::to_string(info.end_tick);
  if (tick < info.first_tick || tick > info.end_tick)
    return ShowFailure{"--ticks " + std::to_string(tick) + " is not in it: allowed is " + range};
  if (last_tick > info.end_tick)
    return ShowFailure{"the clip ends at tick " + std::to_string(last_tick) + ", the recording has ticks " +
                       range + "; shorten --seconds or begin earlier with --ticks"};
  auto playback = server::Playback::open(reader, {}, tick, games.factory());
  if (!playback) return ShowFailure{replay_failure(playback.error(), reader, games)};
  if (last_tick > playback->end_tick())
    return ShowFailure{"unreadable past tick " + std::to_string(playback->end_tick())};
  playback->pause();
  return Show{std::make_unique<server::Playback>(*std::move(playback)), tick};
}

// Empty, or a line about a file whose ending promises another format than it gets.
std::string wrong_ending(const ShotOptions& options) {
  for (auto const& [option, path, ending, format] :
       {std::tuple{"--out", &options.out_path, ".png", "PNG"},
        std::tuple{"--gif", &options.gif_path, ".gif", "animated GIF"},
        std::tuple{"--webm", &options.webm_path, ".webm", "WebM"}}) {
    std::string const extension = lower_extension(*path);
    if (!extension.empty() && extension != ending)
      return std::string(option) + ' ' + *path + ": the file is written as " + format +
             "; name it with the ending " + ending;
  }
  return "";
}

FileClaims claims_of(const ShotOptions& options, const std::string& browser, const std::string& viewer) {
  FileClaims claims;
  claims.add_input("the scene", path_of_scene(options.world));
  claims.add_input("--browser", browser);
  claims.add_input_folder("--viewer", viewer);
  claims.add_output("--out", options.out_path, OutputKind::kFile);
  claims.add_output("--gif", options.gif_path, OutputKind::kFile);
  claims.add_output("--webm", options.webm_path, OutputKind::kFile);
  return claims;
}

std::vector<std::string> browser_arguments(const ShotOptions& options, const std::string& node,
                                           const std::string& browser, const std::string& viewer,
                                           std::uint16_t http_port, std::uint64_t tick,
                                           std::uint32_t tick_rate_hz) {
  std::vector<std::string> arguments{node,        viewer + "/tools/shot.mjs",
                                     "--browser", browser,
                                     "--url",     "http://127.0.0.1:" + std::to_string(http_port) + "/",
                                     "--tick",    std::to_string(tick),
                                     "--size",    options.size,
                                     "--theme",   options.theme};
  auto const add = [&](const char* name, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {name, value});
  };
  add("--camera", options.camera);
  Clip const clip = clip_of(options, tick_rate_hz);
  add("--frames", std::to_string(clip.frames));
  add("--every", std::to_string(clip.ticks_apart));
  add("--delay", std::to_string(clip.delay_ms));
  return arguments;
}

int shoot(const ShotOptions& options, const server::GameRegistry& games) {
  fill_standard_streams();
  StopSignal stop_signal;
  server::start_log(server::LogLevel::kOff);  // clients come and go here; nobody wants to read it
  if (std::string const text = wrong_with(options); !text.empty()) return print_error(text), kExitBadInput;
  WebOptions web;
  web.port = "auto";
  web.bind_address = "127.0.0.1";
  web.viewer_directory = options.viewer_directory;
  std::optional<server::HttpOptions> http = http_options_of(web);
  std::string const viewer = http->viewer_directory;
  std::string const browser = options.browser.empty()
                                  ? find_program({"chromium", "chromium-browser", "google-chrome", "chrome"})
                                  : find_program({options.browser});
  if (std::string const text = wrong_with(web); !text.empty()) return print_error(text), kExitBadInput;
  FileClaims claims = claims_of(options, browser, viewer);
  if (auto const checked = claims.check(); !checked)
    return print_error(message(checked.error())), kExitBadInput;
  std::string const path = path_of_scene(options.world);
  std::optional<OpenRecording> recording;
  std::optional<sim::Scene> scene;
  if (is_recording(path)) {
    if (!options.world_option.empty())
      return print_error(options.world_option + ": " + path +
                         " is a recording and shows what was recorded; leave the option out"),
             kExitBadInput;
    Result<OpenRecording, server::FileError> opened_recording = open_recording(path);
    if (!opened_recording) return print_error(message(opened_recording.error())), kExitBadInput;
    recording.emplace(*std::move(opened_recording));
  } else {
    Result<sim::Scene, server::FileError> loaded = load_scene_file(options.world, claims);
    if (!loaded) return print_error(message(loaded.error())), kExitBadInput;
    scene.emplace(*std::move(loaded));
  }
  if (std::string const text = wrong_ending(options); !text.empty()) return print_error(text), kExitBadInput;
  std::string const node = find_program({"node", "nodejs"});
  if (node.empty())
    return print_error(program_name() + " shot needs node, which $PATH does not have; " + kRemedy),
           kExitFailed;
  if (browser.empty()) {
    return print_error(program_name() + " shot needs Chromium, and '" +
                       (options.browser.empty() ? "chromium" : options.browser) + "' cannot be run; " +
                       kRemedy),
           options.browser.empty() ? kExitFailed : kExitBadInput;
  }
  if (!std::filesystem::exists(viewer + "/tools/shot.mjs")) {
    return print_error(
               "the viewer is not built: run './dev setup web' and './dev build', or name that of "
               "an installation (PREFIX/share/takt/viewer) with --viewer"),
           options.viewer_directory.empty() ? kExitFailed : kExitBadInput;
  }
  Pictures pictures;
  if (std::string const text = pictures.create(options); !text.empty())
    return print_error(text), kExitBadInput;
  Result<Show, ShowFailure> show = recording ? show_recording(options, recording->reader, games)
                                             : show_scene(options, *scene, stop_signal);
  if (!show)
    return print_error(name_of_scene(options.world) + ": " + show.error().text),
           show.error().is_interrupted ? kExitFailed : kExitBadInput;
  std::uint32_t const tick_rate_hz = show->playable->tick_rate_hz();

  server::ServerOptions server_options;
  server_options.bind_address = "127.0.0.1";
  server_options.port = 0;
  server_options.admin = protocol::AdminGrant::kLoopback;
  server_options.http = std::move(http);
  auto opened = server::Server::open(server_options, std::move(show->playable));
  if (!opened) return print_error(start_failure(opened.error(), server_options.port, web)), kExitFailed;

  auto arguments =
      browser_arguments(options, node, browser, viewer, (*opened)->http_port(), show->tick, tick_rate_hz);
  for (std::string& word : pictures.arguments()) arguments.push_back(std::move(word));
  Result<int, SpawnError> const ended = run_program(arguments, stop_signal);
  (void)(*opened)->stop();
  if (!ended) return print_error(node + ": " + ended.error().text), kExitFailed;
  if (*ended != 0) return kExitFailed;  // the script said why
  if (std::string const text = pictures.close(); !text.empty()) return print_error(text), kExitFailed;
  return kExitDone;
}

// "a,b,c,d,e,f" with numbers for letters.
std::string check_camera(const std::string& text) {
  int count = 0;
  char const* at = text.c_str();
  for (char* end = nullptr;; at = end + 1) {
    double const value = std::strtod(at, &end);
    if (end == at || !std::isfinite(value)) break;
    ++count;
    if (*end != ',')
      return *end == '\0' && count == 6
                 ? ""
                 : "six numbers, metres: EX,EY,EZ,TX,TY,TZ (eye, then target), not '" + text + "'";
  }
  return "six numbers, metres: EX,EY,EZ,TX,TY,TZ (eye, then target), not '" + text + "'";
}

// Chromium and the graphics card agree on this much; a clip of more would not fit into its memory.
std::string check_size(const std::string& text) {
  unsigned width = 0, height = 0;
  char rest = 0;
  bool const is_size = std::sscanf(text.c_str(), "%4ux%4u%c", &width, &height, &rest) == 2 && width >= 16 &&
                       width <= 4096 && height >= 16 && height <= 4096;
  return is_size ? "" : "WIDTHxHEIGHT, 16 to 4096 pixels each, not '" + text + "'";
}

}  // namespace

void add_shot(CLI::App& app, Action& action, const Program& program) {
  auto const options = std::make_shared<ShotOptions>();
  CLI::App* const command =
      app.add_subcommand("shot", "Make a picture or a clip of a scene or a recording, without a display");
  add_path(*command, "scene", options->world.scene_path, PathKind::kFile,
           "Scene file (JSON, or its binary form) or recording, - = a scene on stdin")
      ->required();
  add_number(*command, "--ticks", options->ticks, 0, kMaxTicks,
             "Tick of the picture, or of the begin of the clip (default: 0, or the first of a recording)");
  add_path(*command, "--out", options->out_path, PathKind::kFile, "Write a picture (PNG) to this file");
  add_path(*command, "--gif", options->gif_path, PathKind::kFile, "Write a clip (animated GIF) to this file");
  add_path(*command, "--webm", options->webm_path, PathKind::kFile, "Write a clip (WebM, VP9) to this file");
  command->add_option("--size", options->size, "WIDTHxHEIGHT, pixels")
      ->check(CLI::Validator(check_size, "WxH", "size"))
      ->capture_default_str();
  command
      ->add_option("--camera", options->camera,
                   "EX,EY,EZ,TX,TY,TZ: eye and target, metres (default: the scene's camera, or one that "
                   "shows everything)")
      ->check(CLI::Validator(check_camera, "SIX NUMBERS", "camera"));
  command->add_option("--theme", options->theme, "light or dark")
      ->check(CLI::IsMember({"light", "dark"}))
      ->capture_default_str();
  add_number(*command, "--seconds", options->seconds, 0.01, 600, "Length of a clip, in the world's time")
      ->capture_default_str();
  add_number(*command, "--fps", options->frames_per_s, 1, 60,
             "Frames of a clip a second, rounded to whole ticks apart")
      ->capture_default_str();
  add_path(
      *command, "--browser", options->browser, PathKind::kFile,
      "Chromium to draw with (default: the first of chromium, chromium-browser, google-chrome in $PATH)");
  add_path(*command, "--viewer", options->viewer_directory, PathKind::kFolder,
           "Directory of the built viewer (default: beside the program)");
  add_world_options(*command, options->world);
  command->footer(
      "Pictures show exact ticks and do not depend on the machine's speed. Needs node and chromium: './dev "
      "setup web shot'. Processor time goes into "
      "drawing: a frame of 1280x720 takes about a second.");
  command->callback([options, command, &action, &program] {
    options->has_ticks = command->count("--ticks") > 0;
    for (const char* const name : {"--numbers", "--hz", "--substeps", "--seed", "--set"})
      if (options->world_option.empty() && command->count(name) > 0) options->world_option = name;
    action = [options, &program] { return shoot(*options, program.games); };
  });
}

}  // namespace takt::cli
