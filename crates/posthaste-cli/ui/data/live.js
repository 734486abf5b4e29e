// The state of everything, once a second: by a stream, or by asking while there is none. What is old is known to be old.
import { get } from "./api.js";
import { Observable, useObservable, useSeconds } from "./observable.js";

/** @typedef {import("../types").Now} Now */
/** @typedef {"connecting" | "stream" | "polling" | "lost"} Connection */
/** @typedef {{ now: Now | null, received: number, connection: Connection, storeError: string | null }} Live */

/** Older figures are grey. */
export const OLD_SECONDS = 5;
const POLL_MS = 2000;
/** The stream says something every second; one that does not is dead, whatever the browser thinks. */
const SILENCE_MS = 4000;

/** @type {Observable<Live>} */
const live = new Observable(/** @type {Live} */ ({ now: null, received: 0, connection: "connecting", storeError: null }));

export const useLive = () => useObservable(live);
/** The last state known, for what only looks once. */
export const latest = () => live.value.now;

/** How old what is shown is, in seconds; nothing before there is something. */
export function useAge() {
  useSeconds();
  const { now, received } = useLive();
  return now ? now.age_seconds + (performance.now() - received) / 1000 : null;
}

/** @param {Now} now @param {Connection} connection */
const take = (now, connection) => live.set({ now, received: performance.now(), connection, storeError: null });

/** @type {EventSource | null} */
let source = null;
let heard = 0;
let began = false;

function connect() {
  source?.close();
  heard = performance.now();
  source = new EventSource("/api/v1/stream");
  source.addEventListener("now", (event) => {
    heard = performance.now();
    take(JSON.parse(event.data), "stream");
  });
  source.addEventListener("error", (event) => {
    // An event named `error` has data and comes from the relay: the store does not answer. One without is the connection.
    if (event instanceof MessageEvent && event.data) {
      heard = performance.now();
      live.change({ connection: "stream", storeError: JSON.parse(event.data).detail });
    } else if (live.value.connection === "stream") {
      live.change({ connection: "lost" });
    }
  });
}

/** While there is no stream, ask; and try the stream again. */
async function keepUp() {
  const silent = performance.now() - heard > SILENCE_MS;
  if (source?.readyState === EventSource.OPEN && !silent) return;
  if (source?.readyState === EventSource.CLOSED || silent) connect();
  try {
    take(await get("now"), "polling");
  } catch {
    live.change({ connection: "lost" });
  }
}

/** Begins to listen, once. */
export function listen() {
  if (began) return;
  began = true;
  connect();
  const again = () => void keepUp().finally(() => setTimeout(again, POLL_MS));
  setTimeout(again, POLL_MS);
}
