// Every change begins as a dry run, does what it said, and is in the audit log.
import { ensure, isAccessible, picture, run, scene, sees, until } from "./browser.mjs";

await run(async (visit) => {
  const { page, open, calm } = await visit();

  // One button for the thing that needs a person; the dry run comes first, and leaves everything as it is when it is cancelled.
  await open("");
  await page.getByRole("button", { name: "Replay…" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("deliveries").first().waitFor();
  await isAccessible(page, "dry run");
  await picture(page, "dry-run");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });

  // More than a thousand asks for the name of the destination.
  await open(`messages?q=${encodeURIComponent("destination:log status:delivered")}`);
  await page.getByRole("button", { name: "Replay all…" }).click();
  const act = dialog.locator("button[type=submit]");
  await act.waitFor();
  ensure(await act.isDisabled(), "so many need more than a click");
  await dialog.getByRole("textbox").fill("lgo");
  ensure(await act.isDisabled(), "a wrong name is not enough");
  await dialog.getByRole("textbox").fill("log");
  await act.click();
  await dialog.getByRole("article", { name: "Job 1" }).getByText("done").waitFor();
  await picture(page, "job-done");
  await dialog.getByRole("button", { name: "Close" }).last().click();

  // Discard one, from its own page.
  await open(`message/${scene.dead}`);
  await page.getByRole("button", { name: "Discard…" }).first().click();
  await dialog.getByText("1 delivery").first().waitFor();
  await dialog.getByRole("button", { name: "Discard 1" }).click();
  await dialog.getByText("done").first().waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("discarded").first().waitFor();

  // Pause and resume.
  await open("destination/billing");
  await page.getByRole("button", { name: "Pause…" }).click();
  await dialog.getByText("No worker delivers to it any more").waitFor();
  await dialog.getByRole("button", { name: "Pause billing" }).click();
  await page.getByRole("button", { name: "Resume…" }).waitFor();
  await open("");
  await sees(page, "billing is paused");
  await open("destination/billing");
  await page.getByRole("button", { name: "Resume…" }).click();
  await dialog.getByRole("button", { name: "Resume billing" }).click();
  await page.getByRole("button", { name: "Pause…" }).waitFor();

  // A stretch of time chosen on a chart becomes a replay.
  const plot = page.locator(".u-over").first();
  await plot.scrollIntoViewIfNeeded();
  const box = await plot.boundingBox();
  const before = await page.getByLabel("from").inputValue();
  await page.mouse.move(box.x + box.width * 0.4, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.9, box.y + 40, { steps: 5 });
  await page.mouse.up();
  await until(page, "the stretch is taken over", (old) => document.querySelector(".stretch input")?.value !== old, before);
  await page.getByRole("button", { name: "Replay this stretch…" }).click();
  await dialog.getByText("destination:billing since:").waitFor();
  await page.keyboard.press("Escape");

  // A look at the payload is written down like every change.
  await open(`message/${scene.dead}`);
  await page.getByRole("button", { name: "Show headers and payload" }).click();
  await page.getByLabel("Payload", { exact: true }).waitFor();
  await open("audit");
  for (const text of ["replay", "discard", "pause", "resume", "payload"]) await page.getByRole("cell", { name: text, exact: true }).first().waitFor();
  await picture(page, "audit");
  await page.getByRole("row").filter({ hasText: "discard" }).getByRole("button", { name: "Replay…" }).first().click();
  await dialog.getByText("status:discarded").waitFor();
  calm();
});
