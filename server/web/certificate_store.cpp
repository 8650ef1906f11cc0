#include "server/web/certificate_store.h"

#include <spdlog/spdlog.h>

#include <sys/stat.h>

#include <string>
#include <utility>

namespace takt::server {

Result<std::unique_ptr<CertificateStore>, FileError> CertificateStore::open(const TlsFiles& files) {
  std::unique_ptr<CertificateStore> store(new CertificateStore(files));
  store->seen_ = store->stamps();
  if (auto const loaded = store->reload(); !loaded) return loaded.error();
  store->warn_about_dates();
  return store;
}

std::shared_ptr<const TlsContext> CertificateStore::present() const {
  std::lock_guard const lock(mutex_);
  return present_;
}

// The stamps are taken first: a file that changes while it is read differs from them afterwards.
Result<Unit, FileError> CertificateStore::reload() {
  std::lock_guard const lock(mutex_);
  loaded_ = stamps();
  auto loaded = TlsContext::load(files_);
  if (!loaded) return loaded.error();
  present_ = *std::move(loaded);
  return Unit{};
}

void CertificateStore::poll() {
  Stamps const now = stamps();
  bool const is_settled = std::exchange(seen_, now) == now;
  {
    std::lock_guard const lock(mutex_);
    if (now == loaded_ || !is_settled) return;
  }
  if (auto const loaded = reload(); !loaded) {
    spdlog::error("{}; the certificate of before stays in use", message(loaded.error()));
    return;
  }
  spdlog::info("{}: the certificate was read again", files_.certificate_path);
  warn_about_dates();
}

// A file that is not there has a stamp of zeros.
CertificateStore::Stamps CertificateStore::stamps() const {
  Stamps out{};
  const std::string* const paths[] = {&files_.certificate_path, &files_.key_path};
  for (std::size_t i = 0; i < out.size(); ++i) {
    struct stat status {};
    if (::stat(paths[i]->c_str(), &status) != 0) continue;
    out[i] = {status.st_dev, status.st_ino, status.st_size, status.st_ctim.tv_sec, status.st_ctim.tv_nsec};
  }
  return out;
}

void CertificateStore::warn_about_dates() const {
  if (std::string const text = present()->wrong_dates(); !text.empty())
    spdlog::warn("{}: the certificate {}", files_.certificate_path, text);
}

}  // namespace takt::server
