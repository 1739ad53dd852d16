"""What a page owes to readers with a keyboard, a screen reader or weak eyes: rules that axe-core has.

`faults_of(frame)` lists what is wrong, by the name of the rule in axe-core (version 4.10): names of
controls and pictures, landmarks, order of headings, ids, and contrast of texts (WCAG 2.1, 1.4.3).
"""

# ruff: noqa: E501

RULES = r"""
() => {
  const faults = [], told = (e) => `<${e.tagName.toLowerCase()}${e.id ? " #" + e.id : ""} class='${e.getAttribute("class") || ""}'> ${(e.textContent || "").trim().slice(0, 40)}`;
  const fault = (rule, e) => faults.push(`${rule}: ${told(e)}`);
  const seen = (e) => {
    const box = e.getBoundingClientRect(), style = getComputedStyle(e);
    return box.width > 0 && box.height > 0 && style.visibility !== "hidden" && !e.closest("[aria-hidden=true], [hidden]");
  };
  const named = (e) => {
    const by = (e.getAttribute("aria-labelledby") || "").split(" ").map((id) => document.getElementById(id)?.textContent || "").join("");
    const own = e.tagName === "SELECT" || e.tagName === "INPUT" || e.tagName === "TEXTAREA" ? "" : e.textContent;
    const titled = e.querySelector?.(":scope > title")?.textContent || "";
    const labels = [...(e.labels || [])].map((label) => label.textContent).join("");
    return [e.getAttribute("aria-label") || "", by, own, titled, labels, e.title || "", e.getAttribute("alt") || ""].join("").trim() !== "";
  };
  const all = (selector) => [...document.querySelectorAll(selector)].filter(seen);
  if (!document.documentElement.lang) fault("html-has-lang", document.documentElement);
  if (!document.title.trim()) fault("document-title", document.documentElement);
  for (const e of all("button, a[href], [role=button], summary")) if (!named(e)) fault("button-name", e);
  for (const e of all("input, select, textarea")) if (!named(e)) fault("label", e);
  for (const e of all("img")) if (!e.hasAttribute("alt")) fault("image-alt", e);
  for (const e of all("[role=img]")) if (!named(e)) fault("svg-img-alt", e);
  for (const e of all("svg, canvas")) {
    if (!e.closest("[role=img], button, a") && !named(e)) fault("svg-img-alt", e);
  }
  for (const e of all("iframe")) if (!named(e)) fault("frame-title", e);
  const mains = all("main, [role=main]");
  if (mains.length !== 1) faults.push(`landmark-one-main: ${mains.length}`);
  const headings = all("h1, h2, h3, h4, h5, h6").map((e) => [+e.tagName[1], e]);
  if (!headings.some(([level]) => level === 1)) faults.push("page-has-heading-one: none");
  headings.forEach(([level, e], k) => { if (k && level > headings[k - 1][0] + 1) fault("heading-order", e); });
  const ids = {};
  for (const e of document.querySelectorAll("[id]")) ids[e.id] = (ids[e.id] || 0) + 1;
  for (const [id, count] of Object.entries(ids)) if (count > 1) faults.push(`duplicate-id: ${id}`);
  for (const e of all("[tabindex]")) if (e.tabIndex > 0) fault("tabindex", e);
  // Contrast of texts to what is painted behind them.
  const numbers = (colour) => (colour.match(/[\d.]+/g) || []).map((x, i) => colour.startsWith("color(") && i < 3 ? 255 * x : +x);
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255).map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const over = (top, below, a) => top.slice(0, 3).map((c, i) => a * c + (1 - a) * below[i]);
  const behind = (e) => {
    const layers = [];
    for (let at = e; at; at = at.parentElement) {
      const [r, g, b, a = 1] = numbers(getComputedStyle(at).backgroundColor);
      if (a > 0) layers.push([r, g, b, a]);
      if (a === 1) break;
    }
    return layers.reverse().reduce((below, [r, g, b, a]) => over([r, g, b], below, a), [255, 255, 255]);
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const pale = new Set();
  while (walker.nextNode()) {
    const e = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !seen(e) || /SCRIPT|STYLE|OPTION|TITLE|TEXTAREA/i.test(e.tagName)) continue;
    if (e.closest("math, .katex") || e.closest(":disabled")) continue;
    if (/^[^\p{L}\p{N}]*$/u.test(walker.currentNode.textContent)) continue;  // strokes, no words
    const style = getComputedStyle(e), svg = e.closest("svg");
    const [r, g, b, a = 1] = numbers(svg ? style.fill : style.color);
    if (r === undefined) continue;
    let opacity = a;
    for (let at = e; at; at = at.parentElement) opacity *= +getComputedStyle(at).opacity;
    const below = behind(svg ? svg.parentElement : e), own = over([r, g, b], below, opacity);
    const [x, y] = [light(own), light(below)].sort((p, q) => q - p), ratio = (x + 0.05) / (y + 0.05);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && +style.fontWeight >= 700);
    if (ratio < (large ? 3 : 4.5)) pale.add(`color-contrast: ${ratio.toFixed(2)} of ${own.map(Math.round)} on ${below.map(Math.round)} in ${told(e)}`);
  }
  return [...faults, ...pale];
}
"""


def faults_of(frame):
    """What a page or a frame of one owes; nothing where all is well."""
    return frame.evaluate(RULES)
