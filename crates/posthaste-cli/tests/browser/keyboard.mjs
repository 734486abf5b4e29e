// By keyboard alone: from logging in to a replay, and back.
import { ensure, run, sees, until } from "./browser.mjs";

await run(async (visit) => {
  const { page, calm } = await visit();
  const press = async (...keys) => { for (const key of keys) await page.keyboard.press(key); };

  await press("?");
  await page.getByRole("dialog").getByText("go to Messages").waitFor();
  await press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await press("g", "m");
  await page.getByRole("heading", { name: "Messages" }).waitFor();
  await press("/");
  await page.keyboard.type("status:dea");
  await page.getByRole("option", { name: /status:dead/ }).waitFor();
  await press("ArrowDown", "Enter");
  await until(page, "the completion is taken over", () => document.querySelector("[role=combobox]").value.startsWith("status:dead"));
  await page.keyboard.type("destination:billing");
  await press("Escape", "/", "Enter");
  await until(page, "the query is in the address", () => decodeURIComponent(location.search).replaceAll("+", " ").includes("status:dead destination:billing"));
  await page.getByRole("row", { selected: false }).first().waitFor();
  await press("Escape", "j", "j", "k");
  await page.locator(".row.selected").waitFor();
  await press("r");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("1 delivery").first().waitFor();
  await until(page, "the button has the focus", () => document.activeElement?.getAttribute("type") === "submit");
  await press("Escape");
  await dialog.waitFor({ state: "detached" });
  await press("Enter");
  await sees(page, "What it carries");

  for (const [key, title] of [["f", "Failures"], ["j", "Jobs"], ["w", "Workers and partitions"], ["a", "Audit"]]) {
    await press("g", key);
    await page.getByRole("heading", { name: title, level: 1 }).waitFor();
  }
  await press("g", "n");
  await sees(page, "Needs a person");
  await press("t");
  await until(page, "it is light whatever the system says", () => document.documentElement.dataset.theme === "light");
  await press("t");
  await until(page, "it is dark", () => getComputedStyle(document.body).backgroundColor === "rgb(16, 17, 19)");

  // Tab reaches the one button, and Enter presses it.
  for (let n = 0; n < 60 && !(await page.evaluate(() => document.activeElement?.textContent?.startsWith("Replay"))); n += 1) await press("Tab");
  ensure(await page.evaluate(() => document.activeElement.matches(":focus-visible")), "what has the focus shows it");
  await press("Enter");
  await dialog.getByText("what would happen").waitFor();
  calm();
});
