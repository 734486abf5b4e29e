// A job: begun by one, watched by all, stopped by an operator. No worker runs at first, so nothing hurries; then one takes all partitions.
import { asking, ensure, isAccessible, picture, run, scene, sees, until } from "./browser.mjs";

const please = asking();

await run(async (visit) => {
  const { page, open, calm } = await visit();
  await open("jobs");
  await sees(page, "No job yet");
  await open(`messages?q=${encodeURIComponent("destination:log status:delivered")}`);
  await page.getByRole("button", { name: "Replay all…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("log");
  await dialog.locator("button[type=submit]").click();
  await dialog.getByText("begins when a worker runs").waitFor();
  await isAccessible(page, "a job in its dialog");
  await dialog.getByRole("link", { name: "Watch it on its own page" }).click();
  await page.getByRole("heading", { name: "Job 1", level: 1 }).waitFor();
  await dialog.waitFor({ state: "detached" });

  // It is on the first page, beside the name of the page that has all of them, and in the audit log.
  await open("");
  await page.getByRole("article", { name: "Job 1" }).waitFor();
  await until(page, "the navigation has the number", () => document.querySelector("nav a[href='/ui/jobs'] b")?.textContent === "1");
  await open("audit");
  await page.getByRole("row").filter({ hasText: "job" }).getByRole("link", { name: /replay/ }).first().click();
  await page.getByRole("heading", { name: "Job 1", level: 1 }).waitFor();

  const viewer = await visit({ token: scene.viewer });
  await viewer.open("jobs");
  const stop = viewer.page.getByRole("article", { name: "Job 1" }).getByRole("button", { name: "Stop" });
  ensure((await stop.getAttribute("aria-disabled")) === "true", "a viewer watches, and cannot stop it");

  await open("jobs");
  await sees(page, "of 1,1");
  await isAccessible(page, "a job under way");
  await picture(page, "jobs");
  await page.getByRole("article", { name: "Job 1" }).getByRole("button", { name: "Stop" }).click();
  await page.getByRole("region", { name: "Ended jobs" }).getByText("stopped").waitFor();
  await until(viewer.page, "others see that it is stopped", () => !document.querySelector(".job") && document.querySelector("table")?.innerText.includes("stopped"));
  await isAccessible(page, "ended jobs");
  await open("audit");
  await page.getByRole("cell", { name: "stop", exact: true }).waitFor();
  await open("jobs/77");
  await sees(page, "There is no such job");

  // A worker comes: whoever looks sees what it takes.
  await open("workers");
  await sees(page, "held by nobody");
  await isAccessible(page, "partitions that nobody holds");
  await please("start");
  await sees(page, "All 64 partitions are held");
  await page.getByRole("region", { name: "Moves of partitions" }).getByText("nobody").first().waitFor();
  await isAccessible(page, "moves");
  await picture(page, "moves");
  calm();
  viewer.calm();
});
