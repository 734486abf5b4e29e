// What every module draws with: Preact, its hooks, and htm in place of JSX.
import { Fragment, h, render } from "./vendor/preact.mjs";
import htm from "./vendor/htm.mjs";

export { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./vendor/hooks.mjs";
export { Fragment, render };

/** A template of markup. Whatever is inserted becomes text, never markup. */
export const html = htm.bind(h);

/**
 * Class names, without those that do not apply.
 * @param {...(string | false | null | undefined)} names
 */
export const classes = (...names) => names.filter(Boolean).join(" ");
