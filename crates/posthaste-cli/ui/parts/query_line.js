// One line that says which deliveries are meant, completed while it is typed. The same line works in the API and on the command line.
import { html, useEffect, useRef, useState } from "../dom.js";
import { get } from "../data/api.js";
import { useKeys } from "../data/keyboard.js";

/** @typedef {import("../types").Completion} Completion */
/** Between two keys of somebody who types. */
const PAUSE_MS = 120;

/** What could stand where the cursor is. @param {string} text @param {number} at @param {boolean} wanted */
function useCompletion(text, at, wanted) {
  const [found, setFound] = useState(/** @type {Completion | null} */ (null));
  useEffect(() => {
    setFound(null);
    if (!wanted) return;
    const stop = new AbortController();
    const timer = setTimeout(() => get("query/complete", { query: text || " ", at }, stop.signal).then(setFound, () => undefined), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, at, wanted]);
  return found?.candidates.length ? found : null;
}

/** @param {{ query: string, onQuery: (query: string) => void, problem: string | null }} props */
export function QueryLine({ query, onQuery, problem }) {
  const [text, setText] = useState(query);
  const [at, setAt] = useState(query.length);
  const [typing, setTyping] = useState(false);
  const [chosen, setChosen] = useState(-1);
  const input = useRef(/** @type {HTMLInputElement | null} */ (null));
  const found = useCompletion(text, at, typing);
  useEffect(() => setText(query), [query]);
  useKeys([{ keys: "/", does: "write a query", act: () => input.current?.focus() }]);

  const submit = () => {
    setTyping(false);
    onQuery(text.trim());
  };
  /** @param {string} candidate */
  const take = (candidate) => {
    if (!found) return;
    const begin = text.slice(0, found.from) + candidate + (candidate.endsWith(":") ? "" : " ");
    setText(begin + text.slice(found.to).trimStart());
    setAt(begin.length);
    setChosen(-1);
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(begin.length, begin.length);
    });
  };
  const onKeyDown = (/** @type {KeyboardEvent} */ event) => {
    const count = found?.candidates.length ?? 0;
    const pick = found?.candidates[chosen] ?? (event.key === "Tab" ? found?.candidates[0] : undefined);
    if (count && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      setChosen((chosen + (event.key === "ArrowDown" ? 1 : count)) % count);
    } else if ((event.key === "Enter" || (event.key === "Tab" && !event.shiftKey)) && pick) {
      take(pick.text);
    } else if (event.key === "Enter") {
      submit();
    } else if (event.key === "Escape") {
      setTyping(false);
      input.current?.blur();
    } else {
      return;
    }
    event.preventDefault();
  };
  const onInput = (/** @type {any} */ event) => {
    setText(event.target.value);
    setAt(event.target.selectionStart ?? event.target.value.length);
    setTyping(true);
    setChosen(-1);
  };
  return html`
    <div class="query" role="search">
      <input ref=${input} value=${text} type="text" spellcheck=${false} autocomplete="off" autocapitalize="off" enterkeyhint="search" placeholder="status:dead destination:billing type:invoice.* key:order/42 since:2h"
        role="combobox" aria-label="Query" aria-expanded=${found ? "true" : "false"} aria-controls="candidates" aria-autocomplete="list" aria-describedby="query-problem"
        aria-invalid=${problem ? "true" : undefined} aria-activedescendant=${found && chosen >= 0 ? `candidate-${chosen}` : undefined}
        onInput=${onInput} onKeyDown=${onKeyDown} onFocus=${() => setTyping(true)} onBlur=${() => setTyping(false)} />
      <ul id="candidates" role="listbox" aria-label="Completions" hidden=${!found}>${found?.candidates.map((one, n) => html`
        <li key=${one.text} id=${`candidate-${n}`} role="option" aria-selected=${n === chosen ? "true" : "false"}
          onMouseDown=${(/** @type {Event} */ event) => { event.preventDefault(); take(one.text); }}><code>${one.text}</code><small>${one.about ?? ""}</small></li>`)}</ul>
      <p id="query-problem" class="query-problem" aria-live="polite">${problem ?? ""}</p>
    </div>`;
}
