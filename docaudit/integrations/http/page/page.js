// The page to try docaudit: sends the form, follows the stream of events, shows the result. It keeps nothing.

import { say, speak, tongue } from "./words.js";

const $ = (id) => document.getElementById(id);
let offer = { tables: [], roots: [] };
let running = null;
let links = [];

/** An element with attributes and children; texts never become markup. */
function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// ---- the form

function chosenWay() {
  return document.querySelector("input[name=how]:checked").value;
}

function showWay() {
  for (const way of ["typed", "file", "named"]) $(`${way}-field`).hidden = way !== chosenWay();
}

function showDocument() {
  const file = $("document").files[0];
  $("chosen").textContent = file ? file.name : say("choose");
  const [unit, name] = file?.size >= 1048576 ? [1048576, "MB"] : [1024, "KB"];
  const size = file ? Math.ceil(file.size / unit).toLocaleString(tongue()) : "";
  $("drop-more").textContent = file ? `${size} ${name}` : say("drop");
}

function showOffer() {
  if (offer.max_upload_mb) {
    const pages = offer.max_pages.toLocaleString(tongue());
    $("limit").textContent = say("limit", { mb: offer.max_upload_mb, pages });
  }
  const several = offer.roots.length > 1 ? "path-more-several" : "path-more";
  $("path-more").textContent = say(several, { roots: offer.roots.join(", ") });
  $("path-field").hidden = !offer.roots.length;
  $("named-choice").hidden = !offer.tables.length;
  if (offer.keeps) $("privacy").textContent = say("keeps");
  $("version").textContent = offer.version ?? "";
  $("typed").placeholder = say("typed-placeholder");
}

/**
 * Lines "concept: word, word" as a mapping; a line without a colon is a concept that is called what it says.
 * A line that says only half of it is a fault, never left out: `fault` and its name tell which.
 */
export function concepts(text) {
  const found = new Map();
  for (const line of text.split("\n").map((one) => one.trim()).filter(Boolean)) {
    const [, before, listed] = line.match(/^([^:：]*)[:：](.*)$/) ?? [null, line, line];
    const name = before.trim();
    const words = listed.split(/[,、，;；]/).map((word) => word.trim()).filter(Boolean);
    if (!name) return { fault: "no-name", line };
    if (!words.length) return { fault: "no-words", line: name };
    found.set(name, [...(found.get(name) ?? []), ...words]);
  }
  return found.size ? { found: Object.fromEntries(found) } : { fault: "no-concepts", line: "" };
}

/** The request, or null after saying what is missing. */
function asked() {
  const form = new FormData();
  const file = $("document").files[0];
  const path = $("path").value.trim();
  if (file && !/\.pdf$/i.test(file.name) && file.type !== "application/pdf") return missing("not-pdf", "document");
  if (file) form.append("document", file);
  else if (path) form.append("path", path);
  else return missing("no-document", "document");
  if (chosenWay() === "file") {
    if (!$("table").files[0]) return missing("no-table", "table");
    form.append("concepts", $("table").files[0]);
  } else if (chosenWay() === "named") {
    form.append("table", $("named").value);
  } else {
    const { found, fault, line } = concepts($("typed").value);
    if (fault) return missing(fault, "typed", { line });
    form.append("concepts", JSON.stringify(found));
  }
  if ($("question").value.trim()) form.append("question", $("question").value.trim());
  const options = { language: tongue(), ocr: $("ocr").value, scope: $("scope").value };
  if ($("password").value) options.password = $("password").value;
  form.append("options", JSON.stringify(options));
  return form;
}

function missing(key, field, values = {}) {
  showProblem({ message: say(key, values) }, false);
  $(field).focus();
  return null;
}

// ---- the work

async function start(event) {
  event.preventDefault();
  clear();
  const form = asked();
  if (!form) return;
  running = new AbortController();
  const began = performance.now();
  const clock = setInterval(() => {
    $("elapsed").textContent = say("elapsed", { seconds: Math.round((performance.now() - began) / 1000) });
  }, 250);
  busy(true);
  try {
    await follow(form, running.signal);
  } catch (error) {
    if (error.name === "AbortError") tell(say("cancelled"));
    showProblem({ message: say(error.name === "AbortError" ? "cancelled" : "unreachable") }, false);
  } finally {
    clearInterval(clock);
    running = null;
    busy(false);
  }
}

async function follow(form, signal) {
  doing(say("sending"));
  const answer = await fetch("/v1/audit", {
    method: "POST",
    body: form,
    signal,
    headers: { Accept: "application/x-ndjson" },
  });
  if (!answer.ok) {
    showProblem(await answer.json(), true);
    return;
  }
  let last = null;
  for await (const event of events(answer.body)) {
    last = event.event;
    if (last === "accepted") doing(say("waiting"));
    if (last === "step") step(event);
    if (last === "problem") showProblem(event, true);
    if (last === "result") showResult(event);
  }
  if (last !== "result" && last !== "problem") throw new Error("the stream ended early");
}

async function* events(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

function step({ done, pages }) {
  $("progress").max = pages;
  $("progress").value = done;
  const text = done < pages ? say("reading", { done, pages }) : say("searching");
  $("doing").textContent = text;
  // Not each page aloud: a tenth of them is enough.
  if (done === pages || done % Math.max(1, Math.round(pages / 10)) === 0) tell(text);
}

function doing(text) {
  $("doing").textContent = text;
  $("progress").removeAttribute("value");
  tell(text);
}

function busy(is) {
  $("start").disabled = is;
  $("cancel").hidden = !is;
  $("work").hidden = !is;
  if (is) $("cancel").focus();
  else $("elapsed").textContent = "";
}

function tell(text) {
  $("said").textContent = text;
}

function clear() {
  for (const id of ["problem", "result"]) {
    $(id).hidden = true;
    $(id).replaceChildren();
  }
  for (const link of links) URL.revokeObjectURL(link);
  links = [];
}

// ---- what came of it

function showProblem({ message, remedy, problems, file, code }, ofServer) {
  const listed = (problems ?? []).slice(0, 20).map((one) => make("li", {}, one));
  const english = { lang: "en" };
  $("problem").replaceChildren(
    make("h2", {}, say("failed")),
    make("p", ofServer ? english : {}, file ? `${file}: ${message}` : message),
    ...(listed.length ? [make("ul", english, ...listed)] : []),
    ...(remedy ? [make("p", english, remedy)] : []),
    ...(ofServer ? [make("p", { class: "soft" }, say("not-a-finding"))] : []),
    ...(code ? [make("p", { class: "soft small" }, make("code", {}, code))] : []),
  );
  $("problem").hidden = false;
  if (ofServer) $("problem").focus();
}

function link(text, content, type, name) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  links.push(address);
  return make("a", { href: address, download: name, class: "button second" }, text);
}

function showResult({ summary, justification, report }) {
  const about = JSON.parse(justification).document;
  const stem = about.name.replace(/\.pdf$/i, "");
  const open = link(say("open-report"), report, "text/html;charset=utf-8", "");
  open.removeAttribute("download");
  open.className = "button";
  open.target = "_blank";
  open.rel = "noopener";
  open.append(make("span", { class: "hidden" }, ` ${say("new-tab")}`));
  $("result").replaceChildren(
    make(
      "div",
      { class: `finding ${summary.finding}` },
      make("p", { class: "about", dir: "auto" }, about.name),
      make("h2", { id: "headline" }, summary.headline),
      make("p", {}, summary.verdict),
      make("p", { class: "about" }, `${say("strength")} ${summary.strength}`),
    ),
    make(
      "div",
      { class: "rest" },
      make("p", { class: "said", dir: "auto" }, summary.explanation),
      make("h3", {}, `${say("hits")} · ${summary.hits_in_words}`),
      conceptTable(summary.concepts),
      ...unmet(summary.unmet),
      make("p", { class: "soft small" }, say("obligations", { counts: summary.obligations })),
      make(
        "div",
        { class: "links" },
        open,
        link(say("save-report"), report, "text/html;charset=utf-8", `${stem}.report.html`),
        link(say("save-json"), justification, "application/json", `${stem}.justification.json`),
      ),
    ),
  );
  $("result").hidden = false;
  tell(say("done", { headline: summary.headline, hits: summary.hits_in_words }));
  $("result").focus();
}

function conceptTable(rows) {
  const head = ["concept", "count", "where"].map((key) =>
    make("th", { scope: "col", class: key === "count" ? "count" : "" }, say(key)),
  );
  const body = rows.map((row) =>
    make(
      "tr",
      {},
      make("th", { scope: "row", dir: "auto" }, row.required ? row.name : `${row.name} (${say("beside")})`),
      make("td", { class: "count" }, row.hits.toLocaleString(tongue())),
      make("td", {}, row.on || say("nowhere")),
    ),
  );
  return make("table", {}, make("thead", {}, make("tr", {}, ...head)), make("tbody", {}, ...body));
}

function unmet(checks) {
  if (!checks.length) return [];
  const items = checks.map((check) =>
    make(
      "li",
      {},
      make("strong", {}, check.title),
      make("span", { lang: "en" }, check.evidence),
      check.where ? ` (${check.where})` : "",
      make("div", { class: "soft" }, `${say("remedy")} `, make("span", { lang: "en" }, check.remedy)),
    ),
  );
  return [make("h3", {}, say("unmet")), make("ul", { class: "unmet" }, ...items)];
}

// ---- beginning

function dropping() {
  const drop = $("drop");
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => {
      event.preventDefault();
      drop.classList.add("over");
    });
  }
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  drop.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) $("document").files = event.dataTransfer.files;
    showDocument();
  });
}

function setLanguage(wanted) {
  speak(wanted);
  $("language").value = tongue();
  showOffer();
  showDocument();
}

async function begin() {
  setLanguage(navigator.language.toLowerCase().startsWith("ja") ? "ja" : "en");
  showWay();
  dropping();
  $("form").addEventListener("submit", start);
  $("cancel").addEventListener("click", () => running?.abort());
  $("language").addEventListener("change", () => setLanguage($("language").value));
  $("document").addEventListener("change", showDocument);
  for (const way of document.querySelectorAll("input[name=how]")) way.addEventListener("change", showWay);
  offer = await (await fetch("/v1/offer")).json();
  $("named").replaceChildren(...offer.tables.map((name) => make("option", { value: name }, name)));
  showOffer();
}

begin();
