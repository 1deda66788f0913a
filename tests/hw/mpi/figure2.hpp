#pragma once

#include <filesystem>

/// The example of AutoDiCE's Figure 2, with what the paper leaves open filled in.
namespace spillway::mpi {

/// Its model: MaxPool1 -> Buff1 -> Conv1 and FC1, whose results Buff3 and Buff2 Add1 takes; Relu1 takes Buff4.
void write_figure2_model(const std::filesystem::path& path);

/// Its platform and mapping.
inline constexpr const char* figure2_platform =
    "edge01, arm, slots=0-5, gpu=NVIDIAVolta (CUDA)\n"
    "edge02, arm, slots=0-5, gpu=NVIDIAVolta (CUDA)\n"
    "edge04, arm, slots=0-3\n";
inline constexpr const char* figure2_mapping =
    "{\"edge01_arm123\": [\"MaxPool1\", \"Add1\"], \"edge01_gpu\": [\"FC1\"], \"edge04_arm0\": [\"Conv1\", "
    "\"Relu1\"]}\n";

}  // namespace spillway::mpi
