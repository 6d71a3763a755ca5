// Joules of steps, where they are counted.
#pragma once

namespace kb::serving {

// A value, and the bounds of what is known of it.
struct Joules {
  double value = 0, low = 0, high = 0;

  // Adds `times` of it.
  void add(const Joules& more, double times = 1.0) {
    value += times * more.value;
    low += times * more.low;
    high += times * more.high;
  }
};

struct StepEnergy {
  Joules events;        // of the step, as long as it may take
  Joules static_watts;  // of the machine, also while it is idle
};

}  // namespace kb::serving
