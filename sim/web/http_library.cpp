#include "sim/web/http_library.h"

#include <microhttpd.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "platform/base/error.h"

namespace kb::web {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 10;

// The unsent part of an answer.
struct Content {
  std::string piece;
  std::size_t at = 0;
  std::function<bool(std::string& piece)> next_piece;  // empty after the last one
};

ssize_t read_content(void* content_pointer, std::uint64_t, char* target, std::size_t most) {
  Content& content = *static_cast<Content*>(content_pointer);
  try {
    while (content.at == content.piece.size()) {
      if (!content.next_piece) return MHD_CONTENT_READER_END_OF_STREAM;
      content.piece.clear();
      content.at = 0;
      if (!content.next_piece(content.piece)) content.next_piece = nullptr;
    }
  } catch (...) {
    return MHD_CONTENT_READER_END_WITH_ERROR;  // the client notices the incomplete answer
  }
  const std::size_t count = std::min(most, content.piece.size() - content.at);
  std::memcpy(target, content.piece.data() + content.at, count);
  content.at += count;
  return static_cast<ssize_t>(count);
}

void free_content(void* content) {
  delete static_cast<Content*>(content);
}

MHD_Result keep_parameter(void* parameters, MHD_ValueKind, const char* name, std::size_t name_size, const char* value,
                          std::size_t value_size) {
  auto& found = *static_cast<std::multimap<std::string, std::string>*>(parameters);
  found.emplace(std::string(name, name_size), value == nullptr ? std::string() : std::string(value, value_size));
  return MHD_YES;
}

std::string header_of(MHD_Connection* connection, const char* name) {
  const char* value = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
  return value == nullptr ? "" : value;
}

using ResponsePointer = std::unique_ptr<MHD_Response, decltype(&MHD_destroy_response)>;

ResponsePointer make_response(HttpResponse response) {
  auto content = std::make_unique<Content>();
  content->next_piece = std::move(response.next_piece);
  if (!content->next_piece) content->piece = std::move(response.body);
  const std::uint64_t size = content->next_piece ? MHD_SIZE_UNKNOWN : content->piece.size();
  ResponsePointer made(
      MHD_create_response_from_callback(size, kBlockBytes, &read_content, content.get(), &free_content),
      &MHD_destroy_response);
  if (made) content.release();  // owned by free_content()
  return made;
}

MHD_Result on_request(void* library_pointer, MHD_Connection* connection, const char* path, const char* method,
                      const char*, const char*, std::size_t*, void**) {
  const HttpLibrary& library = *static_cast<HttpLibrary*>(library_pointer);
  HttpRequest request;
  request.path = path;
  MHD_get_connection_values_n(connection, MHD_GET_ARGUMENT_KIND, &keep_parameter, &request.parameters);
  HttpAnswer answer = library.answer(method, header_of(connection, "Host"), header_of(connection, "Cookie"), request);
  const auto status = static_cast<unsigned>(answer.response.status);
  std::vector<std::pair<std::string, std::string>> headers = std::move(answer.headers);
  headers.emplace_back("Content-Type", answer.response.type);
  headers.emplace_back("Connection", "close");
  headers.insert(headers.end(), library.headers().begin(), library.headers().end());
  const ResponsePointer response = make_response(std::move(answer.response));
  if (!response) return MHD_NO;
  for (const auto& [name, value] : headers) {
    if (MHD_add_response_header(response.get(), name.c_str(), value.c_str()) == MHD_NO) return MHD_NO;
  }
  return MHD_queue_response(connection, status, response.get());
}

}  // namespace

HttpLibrary::HttpLibrary(Answer answer, std::vector<std::pair<std::string, std::string>> headers)
    : answer_(std::move(answer)), headers_(std::move(headers)) {
  daemon_ = MHD_start_daemon(MHD_USE_POLL_INTERNAL_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_ITC |
                                 MHD_USE_NO_LISTEN_SOCKET | MHD_USE_SUPPRESS_DATE_NO_CLOCK,
                             0, nullptr, nullptr, &on_request, this, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                             2 * kBlockBytes, MHD_OPTION_END);
  if (daemon_ == nullptr) throw Error::configuration("the server of the page cannot start: too few threads or files");
}

HttpLibrary::~HttpLibrary() {
  stop();
}

bool HttpLibrary::serve(int socket) {
  sockaddr_un nameless{};
  nameless.sun_family = AF_UNIX;
  return MHD_add_connection(daemon_, socket, reinterpret_cast<const sockaddr*>(&nameless),
                            sizeof nameless.sun_family) == MHD_YES;
}

void HttpLibrary::stop() {
  if (daemon_ != nullptr) MHD_stop_daemon(daemon_);
  daemon_ = nullptr;
}

}  // namespace kb::web
