#pragma once

#include <string>
#include <string_view>

#include "results/json.h"
#include "results/json_writer.h"
#include "results/result.h"

namespace bench {

// JSON of what is measured: one form for the lines between a worker and its parent and for
// exports. Numbers keep every bit; a NaN or an infinity is refused on the way out (Error names the
// member), a broken line on the way in. Members that are not known are ignored.
std::string to_json(const Case& c);  // one line, no line break at its end
std::string to_json(const Telemetry& telemetry);
std::string to_json(const Measurement& measurement);

// `source` stands in messages: a file's name, "worker".
Case case_from_json(std::string_view line, const std::string& source);
Telemetry telemetry_from_json(std::string_view line, const std::string& source);
Measurement measurement_from_json(std::string_view line, const std::string& source);

// The same as parts of a larger document.
void write_json(JsonWriter& out, const Case& c);
void write_json(JsonWriter& out, const Telemetry& telemetry);
void write_json(JsonWriter& out, const Measurement& measurement);
Case read_case(const Json& json);
Telemetry read_telemetry(const Json& json);
Measurement read_measurement(const Json& json);

// All of a measurement but its case, as members of the object that is open.
void write_members(JsonWriter& out, const Measurement& measurement);
void read_members(Measurement& measurement, const Json& json);

// Parameters as one object, in the order of parameter_table(). identity: those that define the
// case. settings: the others (endpoint, time limits, remarks), where not neutral.
enum class ParameterSet { all, identity, settings };
void write_json(JsonWriter& out, const Parameters& parameters, ParameterSet which);
void read_into(Parameters& parameters, const Json& json);

}  // namespace bench
