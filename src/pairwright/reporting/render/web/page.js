"use strict";
// A table is sorted by the column whose heading is pressed: numbers with the largest first, texts from A.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const rows = [...body.rows];
  table.querySelectorAll("thead th").forEach((head, place) => {
    const button = head.querySelector("button");
    button.addEventListener("click", () => {
      const numeric = head.classList.contains("number");
      const now = head.getAttribute("aria-sort");
      const first = numeric ? "descending" : "ascending";
      const turn = { ascending: "descending", descending: "ascending" };
      const order = now ? turn[now] : first;
      for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", order);
      const sign = order === "ascending" ? 1 : -1;
      const key = (row) => (numeric ? row.cells[place].dataset.value : row.cells[place].textContent.trim());
      const compare = (a, b) => {
        const [x, y] = [key(a), key(b)];
        if (numeric) {
          // Cells without a number stay at the end.
          if (x === undefined || y === undefined) return (x === undefined) - (y === undefined);
          return sign * (Number(x) - Number(y));
        }
        return sign * x.localeCompare(y, document.documentElement.lang, { numeric: true });
      };
      for (const row of [...rows].sort(compare)) body.append(row);
    });
  });
}
// A link opens the section that it leads to; paper has all sections open.
const unfold = (id) => {
  const folded = document.getElementById(id)?.querySelector(":scope > details");
  if (folded) folded.open = true;
};
for (const link of document.querySelectorAll("nav a")) link.addEventListener("click", () => unfold(link.hash.slice(1)));
addEventListener("beforeprint", () => document.querySelectorAll("main section").forEach((it) => unfold(it.id)));
unfold(location.hash.slice(1));
