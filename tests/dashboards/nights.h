#pragma once

#include "dashboards/site.h"

namespace bench::testing {

// Ninety nights of six cases: one steps up by 4.1 % at night 71, one drifts, one night failed.
Site ninety_nights();

}  // namespace bench::testing
