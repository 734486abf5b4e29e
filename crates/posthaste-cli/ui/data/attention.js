// The page's title and icon carry the number of things that need a person, so that a tab in the background tells it too.

const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="8" fill="#4450c8"/><path d="M7 11.5 16 18l9-6.5M7 10h18v12.5H7z" fill="none" stroke="#fff" stroke-width="2.2" stroke-linejoin="round"/>BADGE</svg>`;

/** @param {number} count */
function badge(count) {
  if (!count) return "";
  const text = count > 9 ? "9+" : String(count);
  return `<circle cx="23" cy="22" r="9" fill="#d92d20"/><text x="23" y="26" font-size="12" font-weight="700" font-family="sans-serif" text-anchor="middle" fill="#fff">${text}</text>`;
}

let shown = -1;

/** @param {number} count @param {string} page */
export function show(count, page) {
  document.title = `${count ? `(${count}) ` : ""}${page} · Posthaste`;
  if (count === shown) return;
  shown = count;
  const link = document.querySelector("link[rel=icon]");
  if (link instanceof HTMLLinkElement) link.href = `data:image/svg+xml,${encodeURIComponent(ICON.replace("BADGE", badge(count)))}`;
}
