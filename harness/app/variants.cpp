#include <iostream>

#include "harness/app/command.h"
#include "harness/app/plan_options.h"
#include "harness/format.h"
#include "kernels/variant.h"
#include "workloads/plan.h"

namespace bench {
namespace {

// A configuration of one point serves to resolve the model and the overrides.
Parameters shape_asked(const Arguments& arguments) {
  const std::string text = format(
      "name: variants\nmodel: {}\ndefaults: {{tensor_parallel: 8}}\nworkloads:\n  shape: {{runner: "
      "kernel, "
      "variants: [native_fp8], sweep: {{context: [4k]}}}}\n",
      arguments.get("model").value_or("glm5"));
  return parse_plan(text, "--model", plan_options(arguments))
      .workloads.at(0)
      .points.at(0)
      .parameters;
}

std::string support(const KernelVariant& variant, const StepShape& shape,
                    const DeviceInfo* device) {
  if (device == nullptr) return "no such device here";
  const std::string why_not = variant.unsupported(shape, *device);
  return why_not.empty() ? "yes" : "no: " + why_not;
}

Exit variants(const Arguments& arguments) {
  const Parameters parameters = shape_asked(arguments);
  const StepShape shape = step_shape(parameters);
  std::cout << format("{} at tensor_parallel {}: {} heads a rank, rows of {}\n", parameters.model,
                      parameters.tensor_parallel, shape.heads, shape.row_dim());
  std::vector<std::unique_ptr<Device>> devices;
  for (const DeviceFactory& factory : Registry<DeviceFactory>::all()) {
    if (factory.count() > 0) devices.push_back(factory.open(0));
  }
  for (const KernelVariant& variant : Registry<KernelVariant>::all()) {
    const DeviceInfo* info = nullptr;
    for (const auto& device : devices) {
      if (device->info().kind == variant.device) info = &device->info();
    }
    std::cout << format("{:<4} {:<28} {}\n     {}{}\n", to_string(variant.device), variant.name,
                        support(variant, shape, info), variant.summary,
                        variant.negative_control ? " (negative control)" : "");
  }
  return Exit::ok;
}

const Register<Command> kVariantsCommand{{
    .name = "variants",
    .summary = "the ways to do the decode step, and whether each can be done here",
    .positionals = "",
    .flags = {{"model", "NAME", "ask for the shape of this model (else glm5)"},
              {"set", "KEY=VALUE", "override a parameter (repeatable)", true}},
    .example = "bench variants --model kimi-k3 --set page_size=64",
    .run = variants,
}};

}  // namespace
}  // namespace bench
