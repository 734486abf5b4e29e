// Every page, in both themes, at the desk and on a phone: it shows what it should, and everyone can use it.
import { DESK, PHONE, ensure, isAccessible, picture, run, scene, sees } from "./browser.mjs";

const PAGES = [
  ["now", "", "Needs a person"],
  ["failures", "failures", "Show them"],
  ["messages", "messages?q=status:dead", "That is all."],
  ["message", `message/${scene.dead}`, "holds the key"],
  ["key", `key?key=${encodeURIComponent(scene.key)}&destination=billing`, "If its head is discarded"],
  ["destination", "destination/billing", "Route and policy in force"],
  ["workers", "workers", "partitions are held"],
  ["jobs", "jobs", "No job yet"],
  ["audit", "audit", "Nobody has changed anything yet"],
];

/** Scrolls sideways only where something says so. */
const fits = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

await run(async (visit) => {
  for (const [view, size] of [["desk", DESK], ["phone", PHONE]]) {
    for (const theme of ["light", "dark"]) {
      const visitor = await visit({ view: size, theme });
      for (const [name, to, text] of PAGES) {
        await visitor.open(to);
        await sees(visitor.page, text);
        await visitor.page.locator("[aria-busy]").first().waitFor({ state: "detached" });
        await isAccessible(visitor.page, `${name}, ${view}, ${theme}`);
        ensure(await fits(visitor.page), `${name} is wider than the ${view}`);
        await picture(visitor.page, `${name}-${view}-${theme}`);
      }
      visitor.calm();
      await visitor.context.close();
    }
  }
});
