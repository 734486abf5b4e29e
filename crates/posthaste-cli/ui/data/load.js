// An answer that a page shows: fetched when what it asks for changes, kept while the next one is under way.
import { useCallback, useEffect, useRef, useState } from "../dom.js";
import { Problem, get } from "./api.js";

/**
 * @template T
 * @typedef {{ data: T | null, error: Problem | null, loading: boolean, again: () => void }} Loaded
 */

/**
 * @template T
 * @param {string | null} path `null`: nothing yet
 * @param {Record<string, string | number | boolean | null | undefined>} [query]
 * @param {{ everyMs?: number }} [options]
 * @returns {Loaded<T>}
 */
export function useLoaded(path, query = {}, options = {}) {
  const wanted = JSON.stringify([path, query]);
  const [state, setState] = useState(/** @type {{ wanted: string, data: T | null, error: Problem | null, loading: boolean }} */ ({ wanted, data: null, error: null, loading: true }));
  const [round, setRound] = useState(0);
  const again = useCallback(() => setRound((n) => n + 1), []);
  const asked = useRef(query);
  asked.current = query;
  useEffect(() => {
    if (path === null) return;
    const stop = new AbortController();
    setState((before) => ({ ...before, data: before.wanted === wanted ? before.data : null, wanted, loading: true }));
    get(path, asked.current, stop.signal)
      .then((data) => setState({ wanted, data, error: null, loading: false }))
      .catch((error) => !stop.signal.aborted && setState((before) => ({ ...before, error, loading: false })));
    return () => stop.abort();
  }, [wanted, round]);
  useEffect(() => {
    if (!options.everyMs) return;
    const timer = setInterval(again, options.everyMs);
    return () => clearInterval(timer);
  }, [options.everyMs]);
  const fits = state.wanted === wanted;
  return { data: fits ? state.data : null, error: fits ? state.error : null, loading: state.loading || !fits, again };
}
