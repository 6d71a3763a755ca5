#pragma once

#include "modules/rtl/mac_array.h"

namespace kb::test {

modules::RtlMaker<modules::IMacArray> unreset_array();

}  // namespace kb::test
