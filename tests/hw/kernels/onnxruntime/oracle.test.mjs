// ONNX Runtime as an independent witness: every network of the zoo with seeded weights, and a trained one.
//
//     SPILLWAY_PROGRAM=spillway SPILLWAY_DATA=tests/models/data node --test oracle.test.mjs
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { backends, exported, floats, networks, noise, run, session, spillway, write_floats } from "./runtime.mjs";

const folder = mkdtempSync(join(tmpdir(), "spillway-oracle-"));
after(() => rmSync(folder, { recursive: true }));

/// Farthest distance, relative to the largest number expected.
function distance(computed, expected) {
  assert.equal(computed.length, expected.length);
  let largest = 0, farthest = 0;
  expected.forEach((number, i) => {
    largest = Math.max(largest, Math.abs(number));
    farthest = Math.max(farthest, Math.abs(number - computed[i]));
  });
  assert.ok(largest > 0);
  return farthest / largest;
}

for (const network of networks()) {
  test(`${network} agrees with ONNX Runtime`, async () => {
    const { file, extents } = exported(network, folder);
    const input = join(folder, "input.f32"), output = join(folder, "output.f32");
    const numbers = noise(extents.reduce((a, b) => a * b));
    write_floats(input, numbers);
    const expected = await run(await session(file), extents, numbers);
    for (const backend of backends()) {
      spillway("infer", file, "--input", input, "--backend", backend, "--threads", 2, "--output", output);
      const found = distance(floats(output), expected);
      console.log(`${network}, ${backend}: ${found.toExponential(1)}`);
      assert.ok(found < 1e-3, `${backend} is ${found} away`);
    }
    rmSync(file);
  });
}

test("the trained classifier gives the same 187 right answers", async () => {
  const data = process.env.SPILLWAY_DATA;
  const file = join(data, "fmnist_vggmini.onnx"), images = join(data, "fmnist_x200.f32");
  const all = floats(images), output = join(folder, "logits.f32"), oracle = await session(file);
  const answer = (logits) => logits.indexOf(Math.max(...logits));
  const expected = [];
  for (let image = 0; image < 200; ++image)
    expected.push(await run(oracle, [1, 1, 28, 28], all.slice(image * 784, (image + 1) * 784)));
  for (const backend of backends()) {
    spillway("infer", file, "--input", images, "--backend", backend, "--output", output);
    const logits = floats(output);
    const of_image = (image) => logits.slice(image * 10, (image + 1) * 10);
    assert.ok(expected.every((numbers, image) => answer(numbers) === answer(of_image(image))));
    assert.ok(expected.every((numbers, image) => distance(of_image(image), numbers) < 1e-4));
  }
});

test("quantised networks mean to ONNX Runtime what they mean here", async () => {
  const data = process.env.SPILLWAY_DATA, all = floats(join(data, "fmnist_x200.f32"));
  const bytes = readFileSync(join(data, "fmnist_y200.i32"));
  const labels = Array.from({ length: 200 }, (_, image) => bytes.readInt32LE(4 * image));
  // It rounds halves to even and scales in float32, so a number may differ by 1 here and there.
  for (const [name, right] of [["fmnist_vggmini_int8.onnx", 187], ["fmnist_wide_int8.onnx", 186]]) {
    const oracle = await session(join(data, name));
    let found = 0;
    for (let image = 0; image < 200; ++image) {
      const logits = await run(oracle, [1, 1, 28, 28], all.slice(image * 784, (image + 1) * 784));
      found += logits.indexOf(Math.max(...logits)) === labels[image] ? 1 : 0;
    }
    console.log(`${name}: ${found} right`);
    assert.ok(Math.abs(found - right) <= 1, `${found} right; expected ${right}, give or take one`);
  }
});
