// Without a token nothing is seen; a viewer sees what it cannot do, and why; a cookie is no use to scripts; logging out ends it.
import { ensure, run, scene, sees } from "./browser.mjs";

await run(async (visit) => {
  const stranger = await visit({ token: null });
  await stranger.open("messages");
  await stranger.page.getByLabel("Token").fill("wrong-token-0123456789");
  await stranger.page.keyboard.press("Enter");
  await sees(stranger.page, "no such token");

  const viewer = await visit({ token: scene.viewer });
  await sees(viewer.page, "You are logged in as a viewer");
  const replay = viewer.page.getByRole("button", { name: "Replay…" }).first();
  ensure((await replay.getAttribute("aria-disabled")) === "true", "a viewer cannot replay");
  ensure((await replay.getAttribute("title")).includes("operator"), "and sees why");
  await replay.click({ force: true });
  ensure((await viewer.page.getByRole("dialog").count()) === 0, "nothing happens");
  const refused = await viewer.page.evaluate(() => fetch("/api/v1/destinations/billing/pause", { method: "POST" }).then((answer) => answer.status));
  ensure(refused === 403, `the relay refuses it too: ${refused}`);
  await viewer.open(`message/${scene.dead}`);
  await viewer.page.getByText("Show headers and payload").waitFor();
  const secret = await viewer.page.evaluate((id) => fetch(`/api/v1/messages/${id}?payload=true`).then((answer) => answer.status), scene.dead);
  ensure(secret === 403, "payloads are for operators");

  const operator = await visit();
  ensure((await operator.page.evaluate(() => document.cookie)) === "", "no script reads the cookie");
  const forged = await operator.page.evaluate(() => fetch("/api/v1/destinations/billing/pause", { method: "POST" }).then((answer) => answer.status));
  ensure(forged === 403, "a change without the seal of the session is refused");
  await operator.page.getByRole("button", { name: "Log out" }).click();
  await operator.page.getByLabel("Token").waitFor();
  const after = await operator.page.evaluate(() => fetch("/api/v1/status").then((answer) => answer.status));
  ensure(after === 401, "the session is over");
  viewer.calm();
});
