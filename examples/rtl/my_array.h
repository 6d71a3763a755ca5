#pragma once

#include <kernbench/modules/rtl/mac_array.h>

// The array of my_array.sv.
kb::modules::RtlMaker<kb::modules::IMacArray> my_array();
