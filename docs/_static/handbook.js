"use strict";
/* Frames are as high as the page inside them. */
function fitted(frame) {
  const inside = frame.contentDocument;
  if (!inside || !inside.documentElement || !inside.body) return;
  const fit = () => {
    const height = Math.ceil(inside.body.getBoundingClientRect().height);
    if (height > 40) frame.style.height = height + 4 + "px";
  };
  fit();
  new ResizeObserver(fit).observe(inside.body);
}
window.addEventListener("load", () => {
  for (const frame of document.querySelectorAll("article iframe")) {
    frame.addEventListener("load", () => fitted(frame));
    fitted(frame);
  }
});
