// Requests to the relay's own API. The cookie says who asks; a change also needs the seal that the session gave.
import { Observable } from "./observable.js";

/** @typedef {import("../types").Session} Session */

/** @type {Observable<Session | null>} */
export const session = new Observable(/** @type {Session | null} */ (null));

/** What the API said was wrong, in words for a person. */
export class Problem extends Error {
  /** @param {number} status @param {string} detail */
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

const PREFIX = "/api/v1/";
/** Longer than any answer should take; a page must not wait for ever. */
const PATIENCE_MS = 20_000;

/**
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @param {AbortSignal} [signal]
 */
async function ask(method, path, body, signal) {
  /** @type {Record<string, string>} */
  const headers = { accept: "application/json" };
  if (body) headers["content-type"] = "application/json";
  if (method !== "GET" && session.value?.csrf) headers["x-posthaste-csrf"] = session.value.csrf;
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const either = signal ? AbortSignal.any([signal, patience]) : patience;
  const sent = fetch(PREFIX + path, { method, headers, body: body && JSON.stringify(body), signal: either, cache: "no-store" });
  const answer = await sent.catch((error) => {
    if (signal?.aborted) throw error;
    throw new Problem(0, "the relay does not answer");
  });
  const document = await answer.json().catch(() => null);
  if (answer.ok) return document;
  if (answer.status === 401 && session.value?.who) await open();
  throw new Problem(answer.status, document?.detail ?? `the relay answered ${answer.status}`);
}

/**
 * @param {string} path
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 * @param {AbortSignal} [signal]
 */
export function get(path, query = {}, signal) {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined && value !== "");
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
  return ask("GET", text ? `${path}?${text}` : path, undefined, signal);
}

/** @param {string} path @param {object} [body] */
export const post = (path, body = {}) => ask("POST", path, body);

/** Who we are. */
export async function open() {
  session.set(await get("session"));
}

/** @param {string} token */
export async function logIn(token) {
  session.set(await post("session", { token }));
}

export async function logOut() {
  session.set(await ask("DELETE", "session"));
}
