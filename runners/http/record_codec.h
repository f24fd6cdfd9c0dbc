#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runners/http/request_record.h"

namespace bench {

// The stored form of request records: about 6 bytes a token event (varints of nanoseconds since
// the event before). Encodings may be joined end to end in any order of finishing.
std::string encode(const RequestRecord& record);

// Throws Error when the bytes are no whole number of records, or of a later version.
std::vector<RequestRecord> decode_records(std::string_view bytes);

}  // namespace bench
