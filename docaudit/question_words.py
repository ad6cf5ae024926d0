"""Words of questions that carry no topic of their own, in English, German, Japanese and Chinese."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """a an the this that these those it its he she they them their his her our your my we us you i me who whom whose
    which what when where whether why how is are was were be been being am do does did done doing has have had having can
    could may might must shall should will would not no nor yes and or but if then than so as at by for from in into of
    on onto off over under to with without within about between among across during before after since until till
    through per via any anything anyone all each every some something someone none both either neither only also
    too very just there here such other another same own out up down again ever never exactly please tell me
    don't doesn't didn't isn't aren't wasn't weren't hasn't haven't can't cannot won't what's who's where's how's
    it's there's that's let's""".split()  # noqa: SIM905
)
"""Words of grammar."""

FRAME_WORDS = frozenset(
    """much many more most less least few fewer lot long often far big large kind kinds type types sort number
    amount quantity total level extent share percentage percent rate value figure estimate average
    use usage consume consumption need require requirement cost price spend take make give get go come happen
    mention say state describe contain include report discuss explain cover address refer reference note list name
    found told given measure record observe
    specify define provide present show indicate identify find know tell speak talk give mean apply exist concern
    relate regard according regarding concerning related relevant respect
    document documents report text file paper page pages section chapter passage part content contents
    information detail details statement author authors question answer
    year years today now currently current expected
    thing things way ways reason reasons purpose case cases example examples place""".split()  # noqa: SIM905
)
"""Words that ask, and words for the document itself: not what a question is about."""

TOPICS = frozenset(
    {
        ("going", "concern"),
        ("going", "concerns"),
        ("related", "party"),
        ("related", "parties"),
        ("information", "security"),
        ("case", "law"),
        ("use", "case"),
        ("use", "cases"),
        ("price", "level"),
        ("text", "mining"),
        ("reporting", "standard"),
    }
)
"""Pairs of words that name a topic together, though one or both of them only ask when they stand alone."""

GERMAN_MARKS = frozenset(
    """wie wieviel welche welcher welches welchen wer wo wann warum gibt der das des und oder nicht ist sind wird werden
    wurde wurden eine einen einer eines von für über im zum zur""".split()  # noqa: SIM905
)
"""A question with one of these is German; its other words of grammar, some of them English words too, count only then."""

GERMAN_WORDS = GERMAN_MARKS | frozenset(
    """die den dem ein einem was wem wen wozu wofür wodurch worüber weshalb wieso viel viele vielen mehr meist meisten
    wenig wenige hoch groß lange oft es er sie wir ihr ich du man sich sein seine ihre ihren in an auf aus bei mit nach
    zu bis um durch gegen ohne unter zwischen vor seit während am vom beim ins ans kein keine keinen keiner hat haben
    hatte war waren kann können könnte muss müssen soll sollen darf dürfen will wollen auch nur noch schon sehr so als
    wenn dann dass ob aber denn doch dort hier da dieser diese dieses diesen jeder jede jedes alle allen etwas jemand
    nichts bitte sagt sagen steht stehen nennt nennen genannt erwähnt erwähnen beschreibt beschreiben enthält enthalten
    berichtet dokument dokuments dokumente bericht berichts text seite seiten abschnitt kapitel angabe angaben
    information informationen frage antwort jahr jahre jahren jahres heute verbraucht verbrauchen verbrauch kostet kosten
    benötigt benötigen nutzt nutzen verwendet verwenden gilt gelten betrifft betreffen insgesamt höhe anzahl menge""".split()  # noqa: SIM905
)

FRAME_CJK = frozenset(
    """何 何人 何年 何件 何処 何時 誰 幾 幾つ 幾ら 文書 文章 資料 書類 記載 記述 記録 言及 説明 報告 報告書
    規定 内容 本文 文中 場合 必要 不要 使用 利用 消費 要求 有無 存在 可能 可否 関連 関係 該当 対象 対応 方法 理由 目的
    具体 具体的 全体 部分 程度 割合 数値 数量 合計 総量 総額 平均 年間 現在 今後
    以上 以下 以外 質問 回答 確認 教示 明記 定義 箇所 場所 項目
    ページ ドキュメント レポート
    什么 甚么 哪些 哪里 哪个 多少 怎么 怎样 如何 为什么 是否 有没有 有无 文件 文档 报告 提到 提及 说明 描述 记载
    包含 内容 使用 消耗 消费 需要 要求 费用 关于 有关 相关 情况 其中 本文 这份 该文 可以 能否
    這份 為什麼 什麼 關於 報告 說明 記載 消耗 費用 需要""".split()  # noqa: SIM905
)
"""The same in Japanese and Chinese."""

SUFFIXES_CJK = frozenset("量率額数等的性内中上下時後前別毎各当本同約计数额时后吗嗎呢了是的之在有与與和或")
"""Single signs that are no topic when they are left of a run: they measure, point, or join Chinese words."""

STEMS_CJK = frozenset(
    "関使用含書示載述言際為及又者物事所他多少教知定行決求申尋問見聞読出入来得受取持付置比認起経至基従伴応通対因依若但"
)
"""Single signs that, alone in a run, begin a Japanese verb or name nothing (関する, 含む, 事); 水 and 税 are topics."""
