// Addresses: each page has one, so that it can be sent to somebody else.
import { Observable, useObservable } from "./observable.js";

const ROOT = "/ui/";

/** @typedef {{ page: string, name: string, query: URLSearchParams }} Route */

/** @returns {Route} */
function read() {
  const [page, ...rest] = location.pathname.slice(ROOT.length).split("/");
  return { page: page || "now", name: decodeURIComponent(rest.join("/")), query: new URLSearchParams(location.search) };
}

const current = new Observable(read());
export const useRoute = () => useObservable(current);

/**
 * The address of a page.
 * @param {string} page
 * @param {string} [name]
 * @param {Record<string, string | null | undefined>} [query]
 */
export function address(page, name = "", query = {}) {
  const given = Object.entries(query).filter(([, value]) => value);
  const text = new URLSearchParams(given.map(([key, value]) => [key, String(value)])).toString();
  const path = page === "now" ? "" : page + (name ? `/${encodeURIComponent(name)}` : "");
  return ROOT + path + (text ? `?${text}` : "");
}

/** @param {string} href */
export function go(href) {
  if (href === location.pathname + location.search) return;
  history.pushState(null, "", href);
  current.set(read());
  scrollTo(0, 0);
}

/** The same page with another address, without a step back to it. @param {string} href */
export function replace(href) {
  history.replaceState(null, "", href);
  current.set(read());
}

/** Follows links to our own pages without loading everything again. */
export function listen() {
  addEventListener("popstate", () => current.set(read()));
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const plain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !plain || link.target || !link.pathname.startsWith(ROOT) || link.pathname.startsWith(`${ROOT}assets/`)) return;
    event.preventDefault();
    go(link.pathname + link.search);
  });
}

/** @param {string} query */
export const messagesAt = (query) => address("messages", "", { q: query });
/** @param {string} id */
export const messageAt = (id) => address("message", id);
/** @param {string} name */
export const destinationAt = (name) => address("destination", name);
/** @param {string} key @param {string | null} [tenant] @param {string | null} [destination] */
export const keyAt = (key, tenant, destination) => address("key", "", { key, tenant, destination });
/** @param {number} id */
export const jobAt = (id) => address("jobs", String(id));
