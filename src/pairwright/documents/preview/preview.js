"use strict";
// A box on the page and its entry in the list light up together; a click pins both, Escape lets go.
const partner = (node) =>
  document.getElementById(node.id.endsWith("x") ? node.id.slice(0, -1) : node.id + "x");
const pairOf = (target) => {
  const node = target instanceof Element ? target.closest(".box, .block") : null;
  return node ? [node, partner(node)].filter(Boolean) : [];
};
const light = (event, on) => pairOf(event.target).forEach((node) => node.classList.toggle("lit", on));
for (const [name, on] of [["mouseover", true], ["mouseout", false], ["focusin", true], ["focusout", false]]) {
  document.addEventListener(name, (event) => light(event, on));
}
const release = () => document.querySelectorAll(".pinned").forEach((node) => node.classList.remove("pinned"));
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.box, a.count");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const pair = pairOf(link);
  const pinned = pair[0].classList.contains("pinned");
  release();
  if (pinned) return;
  pair.forEach((node) => node.classList.add("pinned"));
  pair[1]?.scrollIntoView({ block: "nearest", behavior: "smooth" });
});
document.addEventListener("keydown", (event) => event.key === "Escape" && release());
