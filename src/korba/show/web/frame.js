// Makes the frame that a notebook or a report shows a page in as high as the page.
function fitFrame(root) {
  const frame = window.frameElement;
  if (!frame || !frame.hasAttribute("srcdoc")) return;
  root.classList.add("framed");
  new ResizeObserver(() => requestAnimationFrame(() => {
    frame.style.height = `${Math.ceil(root.getBoundingClientRect().bottom + 8)}px`;
  })).observe(root);
}
