// Time of a frame against ONNX Runtime's, measured in turns in one run: the machine's load meets both.
//
//     SPILLWAY_PROGRAM=spillway node speed.mjs [ROUNDS] [NETWORK...]
//
// Prints the fastest frame of each and the ratio (ONNX Runtime's time / ours). Exit code 1 where a limit is missed.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { backends, exported, noise, run, session, spillway } from "./runtime.mjs";

const frames = 5;
const limits = { // of one thread: with the default back-end, with Eigen
  "vgg19": [0.8, 0.55], "resnet101": [0.8, 0.55], "densenet121": [0.5, 0.25], "googlenet": [0.5, 0.25],
  "mobilenet": [0.5, 0.25],
};
const [rounds = "5", ...wanted] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), "spillway-speed-"));
let missed = false;

/// Milliseconds of the fastest frame of spillway.
function ours(file, backend, threads) {
  const text = spillway("infer", file, "--backend", backend, "--threads", threads, "--warm-up", 1, "--frames", frames,
    "--top", 0);
  return Number(/fastest ([0-9.]+) ms/.exec(text)[1]);
}

async function theirs(runtime, extents, numbers) {
  let fastest = Infinity;
  for (let frame = 0; frame <= frames; ++frame) {
    const begin = performance.now();
    await run(runtime, extents, numbers);
    if (frame > 0) fastest = Math.min(fastest, performance.now() - begin);
  }
  return fastest;
}

console.log("network      threads  back-end  ours, ms  ONNX Runtime, ms  ratio  limit");
for (const network of wanted.length > 0 ? wanted : Object.keys(limits)) {
  const { file, extents } = exported(network, folder);
  const numbers = noise(extents.reduce((a, b) => a * b));
  const fastest = {};
  for (const threads of [1, 2]) {
    const runtime = await session(file, threads);
    const best = { theirs: Infinity };
    for (let round = 0; round < Number(rounds); ++round) {
      best.theirs = Math.min(best.theirs, await theirs(runtime, extents, numbers));
      for (const backend of backends()) best[backend] = Math.min(best[backend] ?? Infinity, ours(file, backend, threads));
    }
    await runtime.release();
    backends().forEach((backend) => {
      fastest[`${backend}${threads}`] = best[backend];
      const ratio = best.theirs / best[backend];
      const limit = threads === 1 ? limits[network]?.[backend === "eigen" ? 1 : 0] : undefined;
      if (limit !== undefined && ratio < limit) missed = true;
      console.log(network.padEnd(13) + String(threads).padEnd(9) + backend.padEnd(8) + best[backend].toFixed(2).padStart(10) +
        best.theirs.toFixed(2).padStart(18) + ratio.toFixed(2).padStart(7) + (limit ?? "").toString().padStart(7));
    });
  }
  for (const backend of backends())
    console.log(`${network}: two threads of ${backend} are ${(fastest[`${backend}1`] / fastest[`${backend}2`]).toFixed(2)} times one`);
  rmSync(file);
}
rmSync(folder, { recursive: true });
process.exitCode = missed ? 1 : 0;
