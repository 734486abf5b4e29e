// What changes is shown by itself: an outage and its end, a lost connection and its return, the number in the title.
import { asking, ensure, run, sees, until } from "./browser.mjs";

const please = asking();

/** From a moment in the page until a condition holds, in milliseconds. */
async function takes(page, what, holds) {
  const began = performance.now();
  await until(page, what, holds);
  return performance.now() - began;
}

await run(async (visit) => {
  const { page } = await visit();
  await sees(page, "Live");
  const first = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime);
  console.error(`dashboard: first paint after ${Math.round(first)} ms`);
  const numberInTitle = () => page.evaluate(() => Number(document.title.match(/^\((\d+)\)/)?.[1] ?? 0));
  const before = await numberInTitle();

  await please("outage");
  const seen = await takes(page, "the outage is shown", () => document.querySelector("main")?.innerText.includes("flaky is out of reach"));
  ensure((await numberInTitle()) === before + 1, "the title carries it");
  const icon = decodeURIComponent(await page.getAttribute("link[rel=icon]", "href"));
  ensure(icon.includes(`>${before + 1}</text>`), `and so does the icon: ${icon}`);
  await please("recovery");
  const gone = await takes(page, "the outage is gone", () => !document.querySelector("main")?.innerText.includes("flaky is out of reach"));
  console.error(`dashboard: an outage was shown ${Math.round(seen)} ms after the relay knew, and gone ${Math.round(gone)} ms after its end was known`);

  await please("stop");
  await sees(page, "The connection to the relay is lost");
  await until(page, "old figures are grey", () => document.querySelector("main")?.classList.contains("old"));
  await please("start");
  await until(page, "it has come back by itself", () => !document.querySelector("main")?.innerText.includes("is lost") && !document.querySelector("main")?.classList.contains("old"));
});
