// The words of the page. English stands in index.html for what is there from the start, and is read from it.

const ENGLISH = {
  "limit": "Up to {mb} MB and {pages} pages.",
  "keeps": "This server keeps uploaded documents and their results.",
  "path-more": "Below {roots}.",
  "path-more-several": "It begins with one of: {roots}.",
  "typed-placeholder": "concept: word, another word",
  "sending": "Sending the document …",
  "waiting": "Waiting for its turn …",
  "reading": "Reading: {done} of {pages} pages",
  "searching": "Searching and checking …",
  "elapsed": "{seconds} s",
  "no-document": "Choose a PDF first.",
  "no-concepts": "Say what to look for: at least one concept with a word that stands for it.",
  "no-words": "{line} has no words: write after the colon the words that stand for it, or take the line out.",
  "no-name": "This line has no name before its colon: {line}",
  "no-table": "Choose a concept table first.",
  "not-pdf": "This is no PDF by its name; only PDFs can be audited.",
  "cancelled": "The audit was cancelled. Nothing is known of the document.",
  "failed": "No result",
  "not-a-finding": "The audit did not take place: this says nothing about what is in the document.",
  "unreachable": "The server cannot be reached, or ended before the result was complete.",
  "hits": "Concepts",
  "concept": "Concept",
  "count": "Hits",
  "where": "On",
  "nowhere": "no page",
  "beside": "counted, not needed",
  "unmet": "What stands against it",
  "remedy": "To settle it:",
  "obligations": "Obligations: {counts}.",
  "strength": "Strength:",
  "open-report": "Open the full report",
  "save-report": "Save the report",
  "save-json": "Save the JSON",
  "new-tab": "(opens a new tab)",
  "done": "Done: {headline}. {hits}.",
};

const JAPANESE = {
  "language": "言語",
  "title": "本当に書かれていないのか。",
  "lead": "PDFを選び、探すものを入力してください。docaudit は読み取れる語をすべて検索し、読み取れない箇所を一覧にし、反対の材料がないときにだけ「ない」と言います。",
  "document": "文書",
  "choose": "PDFを選ぶ",
  "drop": "またはここにドロップ",
  "path": "またはサーバー上のパス",
  "concepts": "探すもの",
  "concepts-how": "概念表の渡し方",
  "typed": "入力する",
  "file": "表をアップロード",
  "named": "表を選ぶ",
  "typed-label": "概念を1行に1つ：名前、コロン、その概念を表す語",
  "typed-more": "すべての概念が同じページで出会うと「言及あり」になります。概念ごとに、どれか1語があれば足ります。",
  "table-label": "概念表（CSV、TSV、JSON、YAML、XLSX）",
  "named-label": "このサーバーの概念表",
  "question": "質問",
  "question-label": "何を知りたいですか（省略可）",
  "question-more": "質問の語は概念に含まれている必要があります。含まれないときは結果に示します。",
  "options": "オプション",
  "ocr": "画像の中の文字（OCR）",
  "ocr-auto": "文字情報で説明できない部分を読む",
  "ocr-full": "全ページを読んで照合する（遅い）",
  "ocr-off": "読まない",
  "scope": "概念が出会う範囲",
  "scope-page": "ページ",
  "scope-section": "節",
  "scope-paragraph": "段落",
  "scope-sentence": "文",
  "password": "PDFのパスワード",
  "start": "監査する",
  "cancel": "中止",
  "privacy": "文書は監査が終わると削除されます。",
  "health": "サーバーの状態",
  "limit": "{mb} MB、{pages}ページまで。",
  "keeps": "このサーバーはアップロードされた文書と結果を保存します。",
  "path-more": "{roots} の下。",
  "path-more-several": "次のいずれかで始まります：{roots}。",
  "typed-placeholder": "概念：語、別の語",
  "sending": "文書を送信しています…",
  "waiting": "順番を待っています…",
  "reading": "読み取り中：{pages}ページ中{done}ページ",
  "searching": "検索と確認をしています…",
  "elapsed": "{seconds}秒",
  "no-document": "まずPDFを選んでください。",
  "no-concepts": "探すものを入力してください。概念とそれを表す語が少なくとも1つ必要です。",
  "no-words": "「{line}」を表す語がありません。コロンの後に語を書くか、その行を削除してください。",
  "no-name": "コロンの前に概念の名前がない行があります：{line}",
  "no-table": "まず概念表を選んでください。",
  "not-pdf": "名前からするとPDFではありません。監査できるのはPDFだけです。",
  "cancelled": "監査を中止しました。文書については何もわかっていません。",
  "failed": "結果なし",
  "not-a-finding": "監査は行われませんでした。文書に何が書かれているかについては何も示しません。",
  "unreachable": "サーバーに接続できないか、結果が完成する前に終了しました。",
  "hits": "概念",
  "concept": "概念",
  "count": "件数",
  "where": "場所",
  "nowhere": "なし",
  "beside": "数えるだけで、必須ではない",
  "unmet": "妨げとなっていること",
  "remedy": "解決するには：",
  "obligations": "要件：{counts}。",
  "strength": "強さ：",
  "open-report": "報告書全文を開く",
  "save-report": "報告書を保存",
  "save-json": "JSONを保存",
  "new-tab": "（新しいタブで開きます）",
  "done": "完了：{headline}。{hits}。",
};

const inPage = {};
let language = "en";

/** Says something in the language of the page, with values in its places. */
export function say(key, values = {}) {
  const text = language === "ja" ? JAPANESE[key] : (ENGLISH[key] ?? inPage[key]);
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

export function tongue() {
  return language;
}

/** Puts the whole page into a language. */
export function speak(wanted) {
  for (const element of document.querySelectorAll("[data-say]")) {
    inPage[element.dataset.say] ??= element.textContent;
  }
  language = wanted === "ja" ? "ja" : "en";
  document.documentElement.lang = language;
  for (const element of document.querySelectorAll("[data-say]")) element.textContent = say(element.dataset.say);
}
