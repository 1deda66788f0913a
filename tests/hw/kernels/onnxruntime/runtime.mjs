// What the oracle and the comparison of speed share.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ort from "onnxruntime-node";

export const program = process.env.SPILLWAY_PROGRAM ?? "spillway";

export function spillway(...options) {
  return execFileSync(program, options.map(String), { encoding: "utf8" });
}

export const networks = () =>
  spillway("list", "models").split("\n").slice(2).map((line) => line.split(/\s/)[0]).filter(Boolean);

export const backends = () => {
  const [, names] = /Who computes: ([a-z]+(?: or [a-z]+)*)/.exec(spillway("infer", "--help").replace(/\s+/g, " "));
  return names.split(" or ");
};

export function floats(file) {
  const bytes = readFileSync(file);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength));
}

/// The network as a file with seeded weights, and the extents of its input.
export function exported(network, folder) {
  const file = join(folder, `${network}.onnx`);
  spillway("export", network, file);
  const line = spillway("list", "models").split("\n").find((text) => text.split(/\s/)[0] === network);
  const [channels, ...area] = /(\d+)x(\d+)x(\d+)/.exec(line).slice(1).map(Number);
  // A network of vectors has a matrix as its input.
  return { file, extents: area.every((extent) => extent === 1) ? [1, channels] : [1, channels, ...area] };
}

/// About normal numbers, the same everywhere.
export function noise(count, seed = 1) {
  const numbers = new Float32Array(count);
  let state = seed >>> 0;
  for (let i = 0; i < count; ++i) {
    let sum = 0;
    for (let part = 0; part < 4; ++part) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      sum += state / 2 ** 32 - 0.5;
    }
    numbers[i] = sum * 1.7;
  }
  return numbers;
}

export function write_floats(file, numbers) {
  writeFileSync(file, Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength));
}

export function session(file, threads = 1) {
  return ort.InferenceSession.create(file,
    { intraOpNumThreads: threads, interOpNumThreads: 1, logSeverityLevel: 3, executionProviders: ["cpu"] });
}

/// The first output.
export async function run(session, extents, numbers) {
  const results = await session.run({ [session.inputNames[0]]: new ort.Tensor("float32", numbers, extents) });
  return results[session.outputNames[0]].data;
}
