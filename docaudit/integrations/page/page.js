// The page to try docaudit: sends the form, waits, shows the report. It keeps nothing.

const JAPANESE = {
  language: "言語", title: "本当に書かれていないのか。", path: "またはサーバー上のパス", named: "サーバーの概念表",
  "typed-below": "下に入力したもの", typed: "または概念を1行に1つ: 名前、コロン、それを表す語",
  question: "知りたいこと（省略可）", ocr: "画像内の文字（OCR）", password: "PDFのパスワード", start: "監査する",
  cancel: "中止", "save-report": "レポートを保存", "save-json": "JSONを保存", deleted: "文書は監査が終わると削除される。",
  keeps: "このサーバーは文書と結果を保存する。", working: "監査中: {0} 秒", done: "完了", cancelled: "中止した。文書については何も分からない。",
  unreachable: "サーバーに届かない。文書については何も分からない。", "no-document": "先にPDFを選ぶ。",
  "bad-line": "名前、コロン、語のいずれかがない行: {0}", "no-concepts": "概念を1つ以上入力する。",
  "not-a-finding": "監査は行われなかった。文書に何があるかについては何も言えない。",
};
const ENGLISH = {
  keeps: "This server keeps the document and its result.", working: "Working: {0} s", done: "Done",
  cancelled: "Cancelled. Nothing is known of the document.",
  unreachable: "The server cannot be reached. Nothing is known of the document.", "no-document": "Choose a PDF first.",
  "bad-line": "A line lacks a name, a colon or words: {0}", "no-concepts": "Type at least one concept.",
  "not-a-finding": "The audit did not take place: this says nothing about what is in the document.",
};
for (const element of document.querySelectorAll("[data-say]")) ENGLISH[element.dataset.say] ??= element.textContent;

const $ = (id) => document.getElementById(id);
const say = (key, value = "") => ($("language").value === "ja" ? JAPANESE : ENGLISH)[key]?.replace("{0}", value) ?? ENGLISH[key];
let running = null;
let links = [];

function speak() {
  document.documentElement.lang = $("language").value;
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
}

/** The lines "concept: word, word" as a mapping; throws the message of what is missing: no line is left out. */
function concepts() {
  const table = {};
  for (const line of $("typed").value.split("\n").map((text) => text.trim()).filter(Boolean)) {
    const [, name, listed] = line.match(/^([^:：]+)[:：](.*)$/) ?? [];
    const words = (listed ?? "").split(/[,、，;；]/).map((word) => word.trim()).filter(Boolean);
    if (!name?.trim() || !words.length) throw new Error(say("bad-line", line));
    table[name.trim()] = [...(table[name.trim()] ?? []), ...words];
  }
  if (!Object.keys(table).length) throw new Error(say("no-concepts"));
  return JSON.stringify(table);
}

function request() {
  const form = new FormData();
  const [file, path, named] = [$("document").files[0], $("path").value.trim(), $("named").value];
  if (!file && !path) throw new Error(say("no-document"));
  form.append(file ? "document" : "path", file ?? path);
  form.append(named ? "table" : "concepts", named || concepts());
  form.append("question", $("question").value);
  const options = { language: $("language").value, ocr: $("ocr").value };
  if ($("password").value) options.password = $("password").value;
  form.append("options", JSON.stringify(options));
  return form;
}

/** What went wrong; texts never become markup. */
function showProblem(problem, ofServer) {
  const texts = [problem.file ? `${problem.file}: ${problem.message}` : problem.message];
  texts.push(...(problem.problems ?? []).slice(0, 20), problem.remedy, problem.code);
  if (ofServer) texts.push(say("not-a-finding"));
  const paragraphs = texts.filter(Boolean).map((text) => Object.assign(document.createElement("p"), { textContent: text }));
  $("problem").replaceChildren(...paragraphs);
  $("problem").hidden = false;
  $("problem").focus();
}

function offerFile(id, text, type, name) {
  $(id).href = URL.createObjectURL(new Blob([text], { type }));
  $(id).download = name;
  links.push($(id).href);
}

function showResult({ justification, report }) {
  const stem = JSON.parse(justification).document.name.replace(/\.pdf$/i, "");
  $("report").srcdoc = report;
  offerFile("save-report", report, "text/html", `${stem}.report.html`);
  offerFile("save-json", justification, "application/json", `${stem}.justification.json`);
  $("result").hidden = false;
  $("status").textContent = say("done");
  $("result").focus();
}

async function start(event) {
  event.preventDefault();
  for (const id of ["problem", "result"]) $(id).hidden = true;
  links.splice(0).forEach(URL.revokeObjectURL);
  let body;
  try {
    body = request();
  } catch (error) {
    showProblem(error, false);
    return;
  }
  running = new AbortController();
  const began = performance.now();
  const tick = () => ($("status").textContent = say("working", Math.round((performance.now() - began) / 1000)));
  const clock = setInterval(tick, 1000);
  [$("start").disabled, $("cancel").hidden] = [true, false];
  tick();
  try {
    const answer = await fetch("/v1/audit?format=page", { method: "POST", body, signal: running.signal });
    const content = await answer.json();
    $("status").textContent = "";
    if (answer.ok) showResult(content);
    else showProblem(content, true);
  } catch (error) {
    $("status").textContent = "";
    showProblem({ message: say(error.name === "AbortError" ? "cancelled" : "unreachable") }, false);
  } finally {
    clearInterval(clock);
    [$("start").disabled, $("cancel").hidden] = [false, true];
  }
}

$("language").value = navigator.language.toLowerCase().startsWith("ja") ? "ja" : "en";
speak();
$("language").addEventListener("change", speak);
$("form").addEventListener("submit", start);
$("cancel").addEventListener("click", () => running?.abort());
const offer = await (await fetch("/v1/offer")).json();
$("path-field").hidden = !offer.roots.length;
$("named-field").hidden = !offer.tables.length;
$("named").append(...offer.tables.map((name) => new Option(name, name)));
if (offer.keeps) $("privacy").dataset.say = "keeps";
$("version").textContent = offer.version;
speak();
