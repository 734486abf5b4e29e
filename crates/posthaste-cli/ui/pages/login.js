// Logging in by token.
import { html, useState } from "../dom.js";
import { logIn } from "../data/api.js";
import { ErrorNote } from "../parts/words.js";

export function LoginPage() {
  const [error, setError] = useState(/** @type {Error | null} */ (null));
  const submit = (/** @type {any} */ event) => {
    event.preventDefault();
    logIn(event.target.elements.token.value).catch(setError);
  };
  return html`<main class="login"><form onSubmit=${submit}>
    <img src="/ui/assets/icon.svg" alt="" width="40" height="40" /><h1>Posthaste</h1>
    <label class="field">Token<input name="token" type="password" autocomplete="current-password" required autofocus /></label>
    <${ErrorNote} error=${error} />
    <button type="submit" class="primary">Log in</button>
    <p class="faint">Tokens are in the config, under <code>[http.tokens.NAME]</code>. One with <code>role = "operator"</code> may also change things.</p>
  </form></main>`;
}
