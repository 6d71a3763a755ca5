// The tornado as text, tornado.json, tornado.csv and tornado.svg.
#pragma once

#include <string>

#include "sim/study/why/repeat.h"
#include "sim/study/why/tornado.h"

namespace kb::why {

std::string render_text(const Tornado& tornado, const Repeat& repeat);
std::string render_json(const Tornado& tornado, const Repeat& repeat);
// A line per trial: key, value, meaning, trial, time, difference in percent, problem.
std::string render_csv(const Tornado& tornado);
// Empty when no key acts.
std::string render_svg(const Tornado& tornado, const Repeat& repeat);

}  // namespace kb::why
