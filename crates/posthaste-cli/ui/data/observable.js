// A value that several parts of a page show.
import { useEffect, useState } from "../dom.js";

/** @template T */
export class Observable {
  /** @param {T} value */
  constructor(value) {
    this.value = value;
    /** @type {Set<(value: T) => void>} */
    this.listeners = new Set();
  }

  /** @param {T} value */
  set(value) {
    this.value = value;
    for (const listener of this.listeners) listener(value);
  }

  /** @param {Partial<T>} changes */
  change(changes) {
    this.set({ ...this.value, ...changes });
  }
}

/**
 * The value now and whenever it changes.
 * @template T
 * @param {Observable<T>} observable
 * @returns {T}
 */
export function useObservable(observable) {
  const [value, setValue] = useState(observable.value);
  useEffect(() => {
    const listener = (/** @type {T} */ next) => setValue(() => next);
    observable.listeners.add(listener);
    listener(observable.value);
    return () => void observable.listeners.delete(listener);
  }, [observable]);
  return value;
}

const seconds = new Observable(0);
setInterval(() => seconds.set(seconds.value + 1), 1000);

/** Draws the caller again every second, for ages that grow. */
export const useSeconds = () => useObservable(seconds);
