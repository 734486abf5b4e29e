// What all scripts share: a browser, waiting for conditions, the checker of accessibility, pictures.
import { createRequire } from "node:module";
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";

const modules = process.env.BROWSER_MODULES;
const require = createRequire(path.join(modules, "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

/** Generous, because machines are busy. */
const PATIENCE_MS = 60_000;
export const DESK = { width: 1360, height: 860 };
export const PHONE = { width: 390, height: 844 };
export const scene = JSON.parse(process.env.SCENE);

/** Runs a script with a browser that is closed at the end, whatever happens. */
export async function run(script) {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox"] });
  try {
    await script((options) => visit(browser, options));
  } finally {
    await browser.close();
    // Or a script that was given answers would wait for another one, and the test for the script's end.
    process.stdin.destroy();
  }
}

/** A visitor with a window of its own. Whatever the page complains about fails the script. */
async function visit(browser, { token = scene.operator, view = DESK, theme = "light" } = {}) {
  const context = await browser.newContext({ viewport: view, colorScheme: theme });
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("console", (said) => ["error", "warning"].includes(said.type()) && !/Failed to load resource/.test(said.text()) && complaints.push(said.text()));
  page.on("dialog", (dialog) => complaints.push(`a dialog: ${dialog.message()}`));
  const visitor = { page, context, complaints, open: (to) => page.goto(`${scene.url}/ui/${to}`), calm: () => ensure(complaints.length === 0, `the page complains: ${complaints.join("; ")}`) };
  if (token) await logIn(visitor, token);
  return visitor;
}

async function logIn({ page, open }, token) {
  await open("");
  await page.getByLabel("Token").fill(token);
  await page.keyboard.press("Enter");
  await page.getByRole("navigation", { name: "Pages" }).waitFor();
}

export function ensure(holds, what) {
  if (!holds) throw new Error(what);
}

/** Talks to the test: a line on stdout asks for something to happen, a line on stdin says that it has. */
export function asking() {
  const answers = readline.createInterface({ input: process.stdin })[Symbol.asyncIterator]();
  return async (what) => {
    console.log(what);
    ensure((await answers.next()).value === what, `the test answers: ${what}`);
  };
}

/** Waits until a text is seen. */
export const sees = (page, text) => page.getByText(text).first().waitFor();

/** Waits until a function of the page returns something true. */
export const until = (page, what, holds, argument) =>
  page.waitForFunction(holds, argument, { timeout: PATIENCE_MS, polling: 50 }).catch(() => { throw new Error(`waited in vain until ${what}`); });

/** Nobody is kept out: axe finds nothing. It is no script of ours, so it runs through the debugger and not as a part of the page. */
export async function isAccessible(page, where) {
  const session = await page.context().newCDPSession(page);
  await session.send("Runtime.evaluate", { expression: axe });
  const { result } = await session.send("Runtime.evaluate", { expression: "axe.run().then((found) => JSON.stringify(found.violations.map((one) => [one.id, one.nodes.map((node) => node.html.slice(0, 160))])))", awaitPromise: true });
  ensure(result.value === "[]", `${where}: ${result.value ?? JSON.stringify(result)}`);
}

/** A picture for README and docs. */
export const picture = (page, name) => page.screenshot({ path: path.join(process.env.PICTURES, `${name}.png`) });
