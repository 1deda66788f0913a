// The report page in headless Chromium, as a reader meets it: wide and narrow, light and dark, without a network.
//
//     SPILLWAY_RESULTS=results node --test page.test.mjs      results: the output of `spillway reproduce`
//
// SPILLWAY_SCREENSHOTS names a folder for pictures of the page. SPILLWAY_CHROMIUM names another browser.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const results = resolve(process.env.SPILLWAY_RESULTS ?? "results");
const page_file = join(results, "report.html");
const page_address = pathToFileURL(page_file).href;
const report = JSON.parse(readFileSync(join(results, "report.json"), "utf8"));
const screenshots = process.env.SPILLWAY_SCREENSHOTS;

const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];

function figures_drawn() {
  return report.experiments.flatMap(({ directory }) => {
    const folder = join(results, directory, "figures");
    return existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith(".svg")) : [];
  });
}

// Runs in the page: text whose contrast with what is behind it is too low (WCAG 2.1: 4.5, large text 3).
function faint_text() {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = color;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].map((part, i) => (i === 3 ? part / 255 : part));
  };
  const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3]));
  const luminance = (color) => {
    const [r, g, b] = color.map((part) => {
      const share = part / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    const layers = [];
    for (let at = element; at; at = at.parentElement) {
      const color = rgba(getComputedStyle(at).backgroundColor);
      layers.push(color);
      if (color[3] === 1) break;
    }
    return layers.reduceRight((below, layer) => over(layer, below), [255, 255, 255]);
  };
  const found = [];
  const seen = new Set();
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || seen.has(element) || element.closest("title, desc, style, script")) continue;
    seen.add(element);
    if (element.getClientRects().length === 0) continue;
    const style = getComputedStyle(element);
    const background = behind(element);
    const in_svg = element instanceof SVGElement;
    const color = over(rgba(in_svg ? style.fill : style.color), background);
    const [light, dark] = [luminance(color), luminance(background)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5)) found.push(`${ratio.toFixed(2)} ${element.tagName}: ${node.data.trim().slice(0, 60)}`);
  }
  return found;
}

// Runs in the page: what reaches past the right edge without a scrolling box of its own.
function too_wide() {
  const edge = document.documentElement.clientWidth;
  return [...document.body.querySelectorAll("*")]
    .filter((element) => !element.closest("svg *") && element.getBoundingClientRect().right > edge + 0.5)
    .filter((element) => {
      for (let at = element.parentElement; at; at = at.parentElement) {
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(at).overflowX)) return false;
      }
      return true;
    })
    .map((element) => `${element.tagName} ${element.className}: ${element.textContent.trim().slice(0, 60)}`);
}

// A busy machine may take minutes for what is a second's work.
const patience = 600000;
let profile, context;

before(async () => {
  profile = mkdtempSync(join(tmpdir(), "spillway-browser-"));
  context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.SPILLWAY_CHROMIUM ?? "/usr/bin/chromium",
    args: flags,
    offline: true,
    timeout: patience,
  });
  context.setDefaultTimeout(patience);
});

after(async () => {
  await context?.close();
  rmSync(profile, { recursive: true, force: true });
});

for (const width of [1280, 390]) {
  for (const scheme of ["light", "dark"]) {
    describe(`${width} pixels, ${scheme}`, () => {
      let page;
      const errors = [];
      const requests = [];

      before(async () => {
        page = await context.newPage();
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        page.on("pageerror", (error) => errors.push(String(error)));
        page.on("console", (message) => {
          if (["error", "warning"].includes(message.type())) errors.push(message.text());
        });
        page.on("request", (request) => requests.push(request.url()));
        await page.goto(page_address, { waitUntil: "load" });
        if (screenshots) await page.screenshot({ path: join(screenshots, `${width}-${scheme}.png`), fullPage: true });
      });

      after(() => page?.close());

      test("asks for nothing but itself, and reports no error", () => {
        assert.deepEqual(requests, [page_address]);
        assert.deepEqual(errors, []);
      });

      test("shows every figure", async () => {
        const boxes = await page.$$eval("figure svg", (all) => all.map((svg) => {
          const { left, right, width, height } = svg.getBoundingClientRect();
          return { title: svg.querySelector("title")?.textContent ?? "", left, right, width, height,
            marks: svg.querySelectorAll("path, use, rect").length,
            outside: [...svg.querySelectorAll("text")].filter((text) => {
              const of = text.getBoundingClientRect();
              return of.left < 0 || of.right > document.documentElement.clientWidth;
            }).map((text) => text.textContent),
            smallest: Math.min(...[...svg.querySelectorAll("text")].map((text) => {
              const { b, d } = text.getScreenCTM();  // of turned text d is 0
              return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(b, d);
            })) };
        }));
        assert.ok(boxes.length > 0);
        assert.equal(boxes.length, figures_drawn().length);
        for (const box of boxes) {
          assert.ok(box.title, "a figure without a title");
          assert.ok(box.width >= 250 && box.height >= 100, `${box.title}: ${box.width} by ${box.height}`);
          assert.ok(box.left >= 0 && box.right <= width, `${box.title} reaches past the page`);
          assert.deepEqual(box.outside, [], `${box.title}: words past the edge`);
          assert.ok(box.marks > 5, `${box.title} is empty`);
          assert.ok(box.smallest >= 8, `${box.title}: text of ${box.smallest} pixels`);
        }
      });

      test("does not scroll sideways", async () => {
        const [scroll, client] = await page.evaluate(() =>
          [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
        assert.ok(scroll <= client, `${scroll} pixels in ${client}`);
        assert.deepEqual(await page.evaluate(too_wide), []);
      });

      test("can be read: every text stands out from what is behind it", async () => {
        assert.deepEqual(await page.evaluate(faint_text), []);
      });

      test("is in the colours that were asked for", async () => {
        const [r, g, b] = await page.evaluate(() =>
          getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
        assert.equal(r + g + b < 3 * 64, scheme === "dark");
      });

      test("links lead somewhere", async () => {
        const links = await page.$$eval("a[href]", (all) => all.map((a) => a.getAttribute("href")));
        for (const link of links) {
          const there = link.startsWith("#") ? await page.$(`[id="${link.slice(1)}"]`) : existsSync(join(results, link));
          assert.ok(there, link);
        }
      });

      test("wide boxes can be scrolled by keyboard and have a name", async () => {
        const boxes = await page.$$eval(".scroll", (all) => all.map((box) =>
          [box.tabIndex, box.getAttribute("role"), box.getAttribute("aria-label") ?? ""]));
        for (const [tab, role, name] of boxes) {
          assert.equal(tab, 0);
          assert.equal(role, "region");
          assert.ok(name);
        }
      });

      test("says the same as report.json", async () => {
        const rows = await page.$$eval("tr[data-id]", (all) => all.map((row) => ({
          experiment: row.closest("section").id, id: row.dataset.id, point: Number(row.dataset.point),
          verdict: row.querySelector(".verdict").textContent, text: row.textContent })));
        const expected = report.experiments.flatMap(({ name, rows: of }) => of.map((row) => ({ experiment: name, ...row })));
        assert.equal(rows.length, expected.length);
        for (const [i, row] of rows.entries()) {
          for (const key of ["experiment", "id", "point", "verdict"]) assert.equal(row[key], expected[i][key]);
          assert.ok(row.text.includes(expected[i].source), `${row.id}: the source`);
        }
        const sections = await page.$$eval("section[id]", (all) => all.map((one) => [one.id, one.textContent]));
        assert.deepEqual(sections.map(([id]) => id), report.experiments.map(({ name }) => name));
        for (const [i, [, text]] of sections.entries()) {
          assert.ok(text.includes(report.experiments[i].command));
          for (const { reason } of report.experiments[i].rows) assert.ok(!reason || text.includes(reason));
        }
      });
    });
  }
}
