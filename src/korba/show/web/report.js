// The page's theme, and the pages in its frames, which are written for light paper and recoloured.
function report(root) {
  const colours = JSON.parse(document.getElementById("colours").textContent);
  const frames = [...document.querySelectorAll("iframe[data-page]")];
  const system = window.matchMedia("(prefers-color-scheme: dark)");
  const plain = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found = Object.keys(colours).filter((each) => each !== "white").map(plain);
  const any = new RegExp(found.join("|"), "g");
  const recoloured = (page) => page.replace(any, (each) => colours[each]);
  const dark = () => root.dataset.theme === "dark" || (root.dataset.theme === "auto" && system.matches);
  const show = () => {
    for (const frame of frames) {
      const page = frame.dataset.page;
      frame.srcdoc = dark() ? recoloured(page) : page;
    }
  };
  system.addEventListener("change", show);
  document.getElementById("theme").addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark";
    show();
  });
  window.addEventListener("beforeprint", () => {
    document.querySelectorAll("details").forEach((each) => { each.open = true; });
  });
  show();
  followed(document.querySelectorAll("nav a"));
}

// The contents say which section one reads: the last whose heading is in the upper third or above.
function followed(links) {
  const heads = [...links].map((link) => document.getElementById(link.hash.slice(1)));
  let frame = 0;
  const told = () => {
    frame = 0;
    const end = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
    const above = heads.filter((head) => head.getBoundingClientRect().top < innerHeight / 3);
    const now = end ? heads.length - 1 : above.length - 1;
    links.forEach((link, k) => {
      if (k === now) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    });
  };
  addEventListener("scroll", () => { frame = frame || requestAnimationFrame(told); }, { passive: true });
  addEventListener("resize", told);
  told();
}

// A cursor over plots: a line at one place of an axis, in all panels of the page that have this axis.
function pointed(frames) {
  const number = (e, name) => +e.getAttribute(name), ns = "http://www.w3.org/2000/svg";
  const shown = frames.map((frame) => {
    const line = frame.parentNode.appendChild(document.createElementNS(ns, "path"));
    line.setAttribute("class", "cursor");
    return line;
  });
  const told = frames.map((frame) => {
    const text = frame.parentNode.appendChild(document.createElementNS(ns, "text"));
    text.setAttribute("class", "cursor-value");
    text.setAttribute("font-size", 11);
    text.setAttribute("fill", "currentColor");
    return text;
  });
  const draw = (axis, value) => frames.forEach((frame, k) => {
    const low = number(frame, "data-low"), high = number(frame, "data-high"), share = (value - low) / (high - low);
    const here = frame.dataset.axis === axis && share >= 0 && share <= 1;
    const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => number(frame, name)), at = x + share * w;
    shown[k].setAttribute("d", here ? `M${at.toFixed(1)},${y} v${h}` : "");
    told[k].textContent = here ? (+value.toPrecision(4)).toString() : "";
    if (here) told[k].setAttribute("x", Math.min(at + 4, x + w - 34).toFixed(1));
    told[k].setAttribute("y", y + 11);
  });
  for (const svg of new Set(frames.map((frame) => frame.ownerSVGElement))) {
    const own = frames.filter((frame) => frame.ownerSVGElement === svg);
    svg.addEventListener("pointermove", (event) => {
      const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const frame = own.find((e) => {
        const [x, y, w, h] = ["x", "y", "width", "height"].map((name) => number(e, name));
        return at.x >= x && at.x <= x + w && at.y >= y && at.y <= y + h;
      });
      if (!frame) return draw("", NaN);
      const low = number(frame, "data-low"), high = number(frame, "data-high");
      draw(frame.dataset.axis, low + (high - low) * (at.x - number(frame, "x")) / number(frame, "width"));
    });
    svg.addEventListener("pointerleave", () => draw("", NaN));
  }
}

// What is wider than the page can be moved by keys: it has a place in their order, and a name.
function reached() {
  for (const each of document.querySelectorAll(".wide, .equations, figure, pre")) {
    const own = each.querySelector("caption, figcaption, p") || each.closest("section")?.querySelector("h2");
    if (each.scrollWidth > each.clientWidth + 1) {
      each.setAttribute("tabindex", "0");
      each.setAttribute("role", "region");
      each.setAttribute("aria-label", own ? own.textContent : "wide");
    } else if (each.getAttribute("role") === "region") {
      for (const name of ["tabindex", "role", "aria-label"]) each.removeAttribute(name);
    }
  }
}

addEventListener("resize", reached);
document.addEventListener("toggle", reached, true);
reached();
pointed([...document.querySelectorAll("rect[data-axis]")]);
report(document.documentElement);
