"use strict";
const table = document.getElementById("matrix");
const body = table.tBodies[0];
const rows = [...body.rows];
const form = document.getElementById("filter");
const shown = document.getElementById("shown");
const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });
const key = (row, column) => row.cells[column].dataset.k ?? row.cells[column].textContent.trim();

function sort(heading) {
  const column = heading.cellIndex;
  const up = heading.getAttribute("aria-sort") !== "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", up ? "ascending" : "descending");
  // Rows that are equal keep their order by name, whichever way the column goes.
  const order = rows.map((row, place) => [key(row, column), place, row]);
  order.sort((a, b) => (up ? 1 : -1) * collator.compare(a[0], b[0]) || a[1] - b[1]);
  body.append(...order.map((one) => one[2]));
}

function filter() {
  const text = form.elements.text.value.trim().toLocaleLowerCase();
  const finding = form.elements.finding.value;
  const only = form.elements.table ? form.elements.table.value : "";
  let count = 0;
  for (const row of rows) {
    const found = only ? [row.cells[Number(only)]] : [...row.querySelectorAll("td[data-f]:not([data-c])")];
    row.hidden =
      !`${row.cells[0].textContent} ${row.cells[0].dataset.n ?? ""}`.toLocaleLowerCase().includes(text) ||
      (finding !== "" && !found.some((cell) => cell.dataset.f === finding));
    count += row.hidden ? 0 : 1;
  }
  for (const line of table.rows) {
    for (const cell of line.cells) {
      if (cell.dataset.t) cell.hidden = only !== "" && cell.dataset.t !== only;
    }
  }
  shown.value = shown.dataset.said.replace("{n}", count).replace("{total}", rows.length);
}

table.tHead.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button) sort(button.closest("th"));
});
form.addEventListener("input", filter);
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => setTimeout(filter));
form.hidden = false;
filter();
