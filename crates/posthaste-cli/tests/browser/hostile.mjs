// Keys, headers, error texts, payloads and addresses that would like to be markup are shown as text. (Stores refuse such event types.)
import { ensure, run, scene, until } from "./browser.mjs";

await run(async (visit) => {
  const { page, open, calm } = await visit();
  const shows = async (text) => {
    await until(page, `${text} is shown as text`, (wanted) => document.body.innerText.includes(wanted), text);
    const harm = await page.evaluate(() => [typeof window.harmed, document.querySelectorAll("main img[src='x'], main script, main b.harm").length].join());
    ensure(harm === "undefined,0", `it has become markup: ${harm}`);
  };
  await open(`messages?q=${encodeURIComponent("destination:hostile")}`);
  await shows(scene.hostile.key);
  await open(`message/${scene.hostile.id}`);
  await shows(scene.hostile.error);
  await page.getByRole("button", { name: "Show headers and payload" }).click();
  await shows(scene.hostile.header);
  await shows(scene.hostile.payload);
  await open("failures?destination=hostile");
  await shows(scene.hostile.error);
  await open(`key?key=${encodeURIComponent(scene.hostile.key)}&destination=hostile`);
  await shows(scene.hostile.key);
  await open(`destination/${encodeURIComponent("<img src=x onerror=harmed=1>")}`);
  await shows("<img src=x onerror=harmed=1>");

  // No page of someone else may frame this one, and nothing may be loaded from elsewhere.
  const answer = await page.request.get(`${scene.url}/ui/`);
  ensure(answer.headers()["x-frame-options"] === "DENY", "no frames");
  const outside = await page.evaluate(() => performance.getEntriesByType("resource").map((one) => one.name).filter((name) => !name.startsWith(location.origin) && !name.startsWith("data:")));
  ensure(outside.length === 0, `loaded from elsewhere: ${outside}`);
  calm();
});
