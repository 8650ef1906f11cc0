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
  return store;
}

std::shared_ptr<const TlsContext> CertificateStore::present() const {
  std::lock_guard const lock(mutex_);
  return present_;
}

Result<Unit, FileError> CertificateStore::reload() {
  std::lock_guard const lock(mutex_);
  return load();
}

// The stamps are taken first: a file that changes while it is read differs from them afterwards. An error may
// pass without a change of the files, such as a lack of descriptors, so it leaves loaded_ as it is.
Result<Unit, FileError> CertificateStore::load() {
  Stamps const now = stamps();
  auto loaded = TlsContext::load(files_);
  if (!loaded) {
    reported_ = {now, message(loaded.error())};
    return loaded.error();
  }
  present_ = *std::move(loaded);
  loaded_ = now;
  reported_ = {};
  dates_reported_.clear();
  warn_about_dates();
  return Unit{};
}

void CertificateStore::poll() {
  Stamps const now = stamps();
  bool const is_settled = std::exchange(seen_, now) == now;
  std::lock_guard const lock(mutex_);
  if (now == loaded_) return warn_about_dates();
  if (!is_settled) return;
  Failed const before = reported_;
  if (auto const loaded = load(); loaded) {
    spdlog::info("{}: the certificate was read again", files_.certificate_path);
  } else {
    if (reported_ != before) spdlog::error("{}; the certificate of before stays in use", reported_.text);
    warn_about_dates();
  }
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

void CertificateStore::warn_about_dates() {
  std::string const text = present_->wrong_dates();
  if (std::exchange(dates_reported_, text) != text && !text.empty())
    spdlog::warn("{}: the certificate {}", files_.certificate_path, text);
}

}  // namespace takt::server
