// Adds the position of a query to its errors.
#pragma once

#include "sim/study/evaluate/evaluation_file.h"

namespace kb::evaluate {

template <typename Body>
auto placed(const Query& query, Body body) {
  try {
    return body();
  } catch (const Error& error) {
    if (!error.diagnostics().empty()) throw;
    Diagnostic place = query.place;
    place.message = error.what();
    place.remedy = "correct the query; sqlite3 shows the tables in NAME.sqlite of a call that went well";
    throw Error({std::move(place)});
  }
}

}  // namespace kb::evaluate
