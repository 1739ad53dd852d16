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

report(document.documentElement);
