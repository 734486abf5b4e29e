// The dashboard: which page is shown, and what all pages share.
import { html, render, useEffect } from "./dom.js";
import { open, session } from "./data/api.js";
import { show } from "./data/attention.js";
import { listen as listenToKeys, useKeys } from "./data/keyboard.js";
import { listen as listenToRelay, useLive } from "./data/live.js";
import { useObservable } from "./data/observable.js";
import { address, go, listen as listenToLinks, useRoute } from "./data/route.js";
import { listen as listenToTheme, turn } from "./data/theme.js";
import { Frame, PAGES } from "./parts/frame.js";
import { openHelp } from "./parts/help.js";
import { Empty } from "./parts/words.js";
import { AuditPage } from "./pages/audit.js";
import { DestinationPage } from "./pages/destination.js";
import { FailuresPage } from "./pages/failures.js";
import { JobsPage } from "./pages/jobs.js";
import { KeyPage } from "./pages/key.js";
import { LoginPage } from "./pages/login.js";
import { MessagePage } from "./pages/message.js";
import { MessagesPage } from "./pages/messages.js";
import { NowPage } from "./pages/now.js";
import { WorkersPage } from "./pages/workers.js";

/** @type {Record<string, { title: string, draw: (name: string, query: URLSearchParams) => any }>} */
const DRAWN = {
  now: { title: "Now", draw: () => html`<${NowPage} />` },
  failures: { title: "Failures", draw: (_, query) => html`<${FailuresPage} destination=${query.get("destination") ?? ""} />` },
  messages: { title: "Messages", draw: (_, query) => html`<${MessagesPage} query=${query.get("q") ?? ""} newest=${query.get("order") !== "oldest"} />` },
  message: { title: "Message", draw: (name) => html`<${MessagePage} key=${name} id=${name} />` },
  key: { title: "Key", draw: (_, query) => html`<${KeyPage} keyName=${query.get("key") ?? ""} tenant=${query.get("tenant")} destination=${query.get("destination")} />` },
  destination: { title: "Destination", draw: (name) => html`<${DestinationPage} key=${name} name=${name} />` },
  workers: { title: "Workers", draw: () => html`<${WorkersPage} />` },
  jobs: { title: "Jobs", draw: (name) => html`<${JobsPage} name=${name} />` },
  audit: { title: "Audit", draw: () => html`<${AuditPage} />` },
};

const NOWHERE = { title: "Not found", draw: () => html`<${Empty} title="There is no such page"><p><a href=${address("now")}>What is going on now</a></p><//>` };

function Pages() {
  const { page, name, query } = useRoute();
  const { now } = useLive();
  const shown = DRAWN[page] ?? NOWHERE;
  useEffect(listenToRelay, []);
  useEffect(() => show(now?.problems.length ?? 0, name || shown.title), [now?.problems.length, name, page]);
  useKeys([
    ...PAGES.map(([to, title, key]) => ({ keys: `g ${key}`, does: `go to ${title}`, act: () => go(address(to)) })),
    { keys: "t", does: "light, dark, or as the system says", act: turn },
    { keys: "?", does: "show this", act: openHelp },
  ]);
  return html`<${Frame} page=${page}>${shown.draw(name, query)}<//>`;
}

function Dashboard() {
  const who = useObservable(session);
  if (!who) return null;
  return who.who ? html`<${Pages} />` : html`<${LoginPage} />`;
}

listenToTheme();
listenToLinks();
listenToKeys();
const place = document.getElementById("app");
if (place) {
  const begin = () => open().then(() => render(html`<${Dashboard} />`, place), () => {
    place.textContent = "The relay does not answer: trying again.";
    setTimeout(begin, 2000);
  });
  void begin();
}
