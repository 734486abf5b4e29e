// How many a query selects, counted apart from the list and in pieces, so that nothing waits for it.
import { useEffect, useState } from "../dom.js";
import { get } from "./api.js";

/** @param {string | null} query `null`: nothing is to be counted @returns {{ count: number, complete: boolean, estimated: boolean } | null} */
export function useTotal(query) {
  const [total, setTotal] = useState(/** @type {{ query: string, count: number, complete: boolean, estimated: boolean } | null} */ (null));
  useEffect(() => {
    if (query === null) return;
    const stop = new AbortController();
    const run = async () => {
      let [count, after] = [0, /** @type {string | null} */ ("")];
      while (after !== null && !stop.signal.aborted) {
        const piece = await get("deliveries/count", { query, after }, stop.signal);
        count += piece.count;
        after = piece.next;
        setTotal({ query, count, complete: after === null, estimated: piece.estimated });
      }
    };
    run().catch(() => undefined);
    return () => stop.abort();
  }, [query]);
  return total?.query === query ? total : null;
}
