// What screen readers and keyboards need and the theme leaves out: levels of headings of the contents,
// names of its landmarks, and a place in the order of keys for what is wider than the page.
function reached() {
  for (const each of document.querySelectorAll("[role=heading]:not([aria-level])")) each.setAttribute("aria-level", "2");
  document.querySelector(".sidebar-drawer")?.setAttribute("aria-label", "Handbook");
  document.querySelector(".toc-drawer")?.setAttribute("aria-label", "On this page");
  for (const each of document.querySelectorAll("pre, .table-wrapper, div.math, .output")) {
    if (each.scrollWidth > each.clientWidth + 1) each.setAttribute("tabindex", "0");
    else if (each.getAttribute("tabindex") === "0") each.removeAttribute("tabindex");
  }
}

addEventListener("load", reached);
addEventListener("resize", reached);
