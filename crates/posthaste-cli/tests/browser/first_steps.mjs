// An empty journal explains what to do next, with the config that is in force.
import { isAccessible, picture, run, sees } from "./browser.mjs";

await run(async (visit) => {
  const { page, open, calm } = await visit({ token: null });
  await open("");
  await sees(page, "The journal is empty");
  await sees(page, "posthaste run");
  await sees(page, "order.*");
  await isAccessible(page, "first steps");
  await picture(page, "first-steps");
  calm();
});
