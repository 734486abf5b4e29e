// A long list, page by page: the next one is fetched when the end of the last one comes near.
import { useCallback, useEffect, useRef, useState } from "../dom.js";
import { get } from "./api.js";

/** Pages may be short, even empty, while there is more; so many are fetched for one request of the reader. */
const SHORT_PAGES = 40;
const PAGE_ROWS = 100;

/**
 * @template T
 * @param {string} path
 * @param {string} rowsName the list within an answer
 * @param {string} nextName the parameter that says where to go on
 * @param {Record<string, string>} query
 */
export function usePages(path, rowsName, nextName, query) {
  const wanted = JSON.stringify([path, query]);
  const [state, setState] = useState({ wanted, rows: /** @type {T[]} */ ([]), next: /** @type {string | number | null | undefined} */ (undefined), error: /** @type {Error | null} */ (null) });
  const busy = useRef("");
  const newest = useRef(wanted);
  newest.current = wanted;

  const fetchMore = useCallback(async (/** @type {string | number | undefined} */ from, /** @type {T[]} */ before) => {
    if (busy.current === wanted) return;
    busy.current = wanted;
    let [rows, next] = [before, /** @type {string | number | null | undefined} */ (from)];
    try {
      for (let n = 0; n < SHORT_PAGES && next !== null && rows.length < before.length + PAGE_ROWS / 2 && newest.current === wanted; n += 1) {
        const page = await get(path, { ...query, limit: PAGE_ROWS, [nextName]: next });
        rows = [...rows, ...page[rowsName]];
        next = page.next;
        if (newest.current === wanted) setState({ wanted, rows, next, error: null });
      }
    } catch (error) {
      if (newest.current === wanted && error instanceof Error) setState({ wanted, rows, next: null, error });
    } finally {
      if (busy.current === wanted) busy.current = "";
    }
  }, [wanted]);

  useEffect(() => void fetchMore(undefined, []), [wanted]);
  const fits = state.wanted === wanted;
  const more = () => fits && state.next !== null && state.next !== undefined && void fetchMore(state.next, state.rows);
  return {
    rows: fits ? state.rows : /** @type {T[]} */ ([]), error: fits ? state.error : null, loading: !fits || state.next === undefined,
    complete: fits && state.next === null, more, again: () => void fetchMore(undefined, []),
  };
}
