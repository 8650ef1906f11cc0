// hoops_server SCENE RECORDING: hosts one round. It prints the port, records the round to the file, and ends
// once everybody has left.
#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include "hoops.h"
#include "takt/server/host.h"
#include "takt/server/log.h"
#include "takt/server/scene_file.h"

namespace {

class FileSink final : public takt::sim::ByteSink {
 public:
  explicit FileSink(const char* path) : file_(std::fopen(path, "wb")) {}
  ~FileSink() override {
    if (file_ != nullptr) std::fclose(file_);
  }
  [[nodiscard]] bool write(std::span<const std::byte> bytes) override {
    return file_ != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size();
  }

 private:
  std::FILE* file_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return std::fprintf(stderr, "usage: hoops_server SCENE RECORDING\n"), 2;
  takt::server::start_log(takt::server::LogLevel::kWarning);
  auto const scene = takt::server::load_scene_file(argv[1]);
  if (!scene) return std::fprintf(stderr, "hoops_server: %s\n", message(scene.error()).c_str()), 2;
  FileSink sink(argv[2]);
  takt::server::HostOptions options;
  options.bind_address = "127.0.0.1";
  options.port = 0;
  options.replicas = true;
  options.recording.created_by = "hoops_server 1.0";
  options.recording.image_every_ticks = 60;  // bisect continues at each image
  auto const host = takt::server::Host::open(options, *scene, std::make_unique<hoops::Hoops>(), &sink);
  if (!host) return std::fprintf(stderr, "hoops_server: %s\n", message(host.error()).c_str()), 1;
  std::printf("port %u\n", (*host)->port());
  std::fflush(stdout);

  takt::server::HostStatus status;
  auto const end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < end && (status.players_joined == 0 || status.client_count > 0)) {
    (void)(*host)->poll_status(status);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  status = (*host)->stop();
  std::printf(
      "tick %llu: %llu players joined, %llu inputs, %llu refused, recorded %s\n",
      static_cast<unsigned long long>(status.tick), static_cast<unsigned long long>(status.players_joined),
      static_cast<unsigned long long>(status.inputs_applied),
      static_cast<unsigned long long>(status.inputs_refused), status.recording_failed ? "not" : "all");
  return status.recording_failed ? 1 : 0;
}
