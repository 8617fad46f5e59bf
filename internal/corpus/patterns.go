package corpus

import (
	"regexp"
	"strings"
	"sync"
)

// The vocabulary of the classifier, in the languages of the corpus. Plain
// entries are words: they match whole words only, a star stands for any ending,
// a space for any white space. Entries that start with ~ are regular expressions
// and are taken as they are, as scripts without spaces need it. Nothing depends
// on case unless an entry says so. The lists were written with this corpus at hand:
// how well they agree with the authors' techniques says nothing of other attacks.

const addressMark = "\u00a7@\u00a7"

var address = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}.+_-]+@[\p{Latin}\p{Cyrillic}\p{Greek}\p{N}.+_-]+`)
})

const (
	letter = `[\p{L}\p{M}]`
	noWord = `[^\p{L}\p{M}\p{N}_]` // \b knows ASCII only
)

func compile(entries []string) *regexp.Regexp {
	var plain, raw []string
	for _, e := range entries {
		if expression, ok := strings.CutPrefix(e, "~"); ok {
			raw = append(raw, expression)
			continue
		}
		e = strings.ReplaceAll(regexp.QuoteMeta(e), `\*`, letter+"*")
		plain = append(plain, strings.ReplaceAll(e, " ", `\s+`))
	}
	if len(plain) > 0 {
		raw = append(raw, `(?:^|`+noWord+`)(?:`+strings.Join(plain, "|")+`)(?:`+noWord+`|$)`)
	}
	return regexp.MustCompile(`(?i)` + strings.Join(raw, "|"))
}

// selfRegister: the agent is to give itself what its passport lacks.
var selfRegister = []string{
	`~payments\.charge`, "capability", "capabilities", "capacidades", "capacités",
	`~register (?:an?|the|this|my|your)?\s*(?:new )?(?:permission|right|scope|tool)`,
	"grant yourself", "grant myself", "grant me",
}

// forgedData: text in the form of a tool's answer, a tool call or another message
// of the machinery.
var forgedData = []string{
	`~"(?:tool|role|function|status|verified|approved|result|recipient|amount|name|arguments)"\s*:`,
	`~\{\s*"[^"\n]{1,40}"\s*:`,
	`~<[a-z_]+(?: [a-z_:-]+="[^"\n]*")+\s*/?>`, `~</?(?:tool|function|result|invoke)[a-z_]*>`,
	`~[\[【][^\]】\n]{0,20}(?:tool|herramienta|ferramenta|outil|werkzeug|strumento|инструмент|工具|ツール|도구|công cụ)`,
	`~(?:verify_recipient|get_balance|get_transaction_history)\s*[\](:=]`,
	"tool_result", "tool result", "function_call", "function call", "ツール実行結果",
}

// forgedPrompt: new instructions, from a system that is none or from a game.
var forgedPrompt = []string{
	`~(?:ignore|disregard|forget|override) (?:all|any|the|this|that|ur|your|every|everything|previous|prior|earlier|what)\b`,
	`~\bsystem ?(?:prompt|message|override|notice|update|:)`, `~(?:#{2,}|begin|end|\[|<)\s*/?(?:system|instructions?)\b`,
	"new instructions", "new instruction", "developer mode", "developer console", `~\b(?-i:DAN)\b`, "jailbreak*",
	`~pretend (?:you|to be)`, "you are now", "roleplay", "role-play", "role play",
	`~let'?s (?:write|stage|act|perform|put on) `, "in character",
	"base64", `~[A-Za-z0-9+/]{40,}={0,2}`,
	`~ignor[ae]z? (?:las|todas|toutes|les)`, "olvida tus", "oublie*", "ignoriere*", "vergiss",
	"talimatları unut", "sistem mesaj*", "nadpisz*", "zignoruj*", "игнорируй*", "забудь*", "abaikan",
	`~系统提示|忽略(?:以上|之前|所有)|システム(?:通知|プロンプト)|指示を無視|시스템 공지|지시를 무시`,
}

// higherRights: the attacker or the agent holds more rights from now on.
var higherRights = []string{
	"admin", "administrator", "root", "sudo", "superuser", "elevat*", "escalat*", "privilege*",
	"maintenance mode", "debug mode", "debug shell", "god mode", "unlock*", "bypass*", "override", "overriding",
	`~raise (?:the|your|my) limit`, "higher limit", "level 5", "clearance", "break-glass", "promoted",
	`~(?:supervisor|manager|controller|director)(?:'s)? (?:tier|level|grade|rights?|access|mode)`,
	"rol elevado", "nivel de acceso", "superusuario", "je vous délègue", "droits d'accès", "hak akses", "hak istimewa",
	"süper kullanıcı", "uprawnienia administratora", "права администратора", "υπερδιαχειριστ*",
	`~权限|権限を|권한|صلاحية|حق التجاوز`,
}

// changedAccount: an account, a payee or its entry is not what it was.
var changedAccount = []string{
	`~\b(?:chang|updat|replac|edit|swap|switch|mov|renam|re-?register|add|alias)[a-z]*\b.{0,40}\b(?:allow-?list|payee list|account (?:number|details|name)|funding account|beneficiary|bank details|directory|payee record|payee details|own account|banks|title)\b`,
	`~\b(?:changed|updated|replaced|new) (?:their |its |our )?(?:account|bank|payee) details`, "changed banks",
	`~(?:add|put) .{0,60} (?:on|to) the (?:list|approved)`,
	`~\b(?:rename|patch|switch|set) .{0,40}LF-[A-Z]+-[0-9]`, `~\bvoid\b.{0,30}\b(?:entry|account|settlement)`,
	"stammdatenänderung", "neue bankverbindung", "neue kontoverbindung", "neue empfängerkennung",
	`~cambi(?:o|ó|amos|aron) de (?:banco|cuenta)`, "changé de banque", "mudou de conta", "cambiato conto",
	"tài khoản phụ", "tài khoản thụ hưởng*", `~ubah.{0,20}(?:pemilik|rekening)`,
	`~(?:смен|измен)\p{L}*.{0,20}реквизит`, `~(?:送金先|登録).{0,60}変更|(?:账户|收款).{0,10}(?:变更|更改)|(?:계좌|주소)를? (?:바꿨|변경)`,
}

// rank: somebody whose word is said to be an order.
var rank = []string{
	"ceo", "cfo", "coo", "ciso", "director", "directors", "chief", "head of", "president", "vice president", "auditor", "auditors",
	"auditing", "internal audit", "external audit", "group audit", "compliance", "regulator*",
	"supervisor", "manager", "officer", "inspector", "inspectors", "police", "the court", "court order", "lawyer", "attorney", "counsel",
	"ombudsman", "treasury team", "security team", "the board", "on behalf of", "office of", "order of the",
	"authorised by", "authorized by", "signed off", "full authority",
	"vorstand*", "wirtschaftsprüf*", "geschäftsführ*", "innenrevision", "konzernrevision", "die revision",
	"directeur", "directrice", "commission de", "the commission", "directora", "gerente", "jefe", "direttore", "direttrice",
	"diretor", "diretora", "diretoria", "direktor", "revisor", "direktur", "müdür*", "denetçi*", "dyrektor*",
	"rady nadzorczej", "kontrola wewnętrzna", "mkaguzi", "mamlaka", "директор*", "председател*", "ревизор*", "giám đốc",
	`~監査部|社長|部長|行长|审计|감사실|본부장|المدير|رئيس`,
}

// pity: need, family and tears.
var pity = []string{
	"please please", "beg", "begged", "begging", "cry", "crying", "cried", "tears", "desperate*", "hospital", "surgery",
	"dying", "sick", "funeral", "evict*", "homeless", "hungry", "starving", "heartbroken", "ashamed", "lose my job",
	"ruined", "suicid*", "emergency", "shaking", "so scared",
	`~\bmy (?:late |little |only |poor )?(?:son|daughter|mother|mom|mum|dad|father|sister|brother|kids?|child|children|wife|husband|baby|grandmother|grandma|girlfriend|boyfriend|gf|bf)\b`,
	"bitte bitte", "meine tochter", "meine mutter", "meine kinder", "mein sohn", "mein kind", "ich flehe",
	"mi hijo", "mi hija", "mis hijos", "mi madre", "te lo ruego", "je vous en supplie", "mon mari", "mon fils", "ma fille",
	"ma mère", "ma petite", "mes enfants", "mia figlia", "mio figlio", "mia madre", "la supplico", "minha filha", "minha mãe",
	"meu filho", "vergonha", "mijn dochter", "mijn moeder", "baba yangu", "mama yangu", "machozi", "yalvar*", "annem", "kızım",
	"błagam", "moja córka", "умоляю", "моя дочь", "моя мать", "благаю", "ibu saya", "anak saya", "mẹ tôi", "van xin",
	`~求求|救救|어머니|제발|娘が|母が|助けてください|दादी|भगवान|أرجوك|ابنتي`,
}

// question: what the agent knows and what holds it back.
var question = []string{
	`~\b(?:what(?:'?s| is| are)|which|who|whose|how|list|show me|tell me|explain|describe|reveal|print|repeat|reproduce|enumerate|state|does|do you|is there|if somebody)\b.{0,90}\b(?:limits?|rules?|policy|policies|instructions?|payees?|recipients?|balance|history|tools?|prompt|allowed|checks?|checked|allowlist|cap|ceiling|guard|numbers|codes?|parameters?|counter|counterparties|memo|error)\b`,
	`~\b(?:max|maximum|ceiling) per (?:payment|day|transfer)`,
	`~(?:κωδικούς|κωδικός).*(?:ελέγχει|μορφή)|hạn mức|límite (?:diario|por)|plafond (?:par|journalier)|limit(?:e)? giornalier|どのような(?:制限|ルール)|(?:限额|额度)是多少|한도가`,
}

// order: a payment and nothing around it, by a verb or by payee and figure alone.
var order = []string{
	"transfer", "send", "resend", "pay", "payment", "wire", "move", "remit", "release", "settle", "refund", "gimme", "give me",
	"überweis*", "zahl*", "bezahl*", "transfier*", "envía", "envia", "manda", "paga", "pagar", "pague", "vire", "virer", "virez",
	"verser", "versez", "payez", "transfira", "bayar", "kirim", "gönder", "aktar", "öde", "przelej", "wyślij", "betaal", "stuur",
	"lipa", "tuma", "chuyển", "отправьте", "переведите", "сплатіть", "сплати", `~(?s:` + addressMark + `.*\p{Nd}|\p{Nd}.*` + addressMark + `)`,
	`~送金|支払|转账|송금|भेज|حوّل`,
}
