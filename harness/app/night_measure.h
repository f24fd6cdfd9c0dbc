#pragma once

#include <string>

#include "harness/app/execute.h"
#include "harness/app/night.h"

namespace bench {

// The request of a run that belongs to the night: `binary` names the program that measures it.
RunRequest run_request_of(const NightRequest& night, const std::string& binary);

// The run of the night. One that is whole is only to be judged, unless it is to be measured again;
// one that was interrupted is gone on with; both only if they are of the configuration as it is.
Executed measure_night(Store& store, const NightRequest& night, const Survey& survey,
                       RunRequest request);

}  // namespace bench
