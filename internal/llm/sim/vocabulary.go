package sim

import "strings"

// The vocabulary of payment orders, lower case, in the languages that the
// attacks are written in. It is no dictionary: a message in a language that is
// missing here is still read by its recipients and amounts.

// set makes a word set of blank-separated words.
func set(lists ...string) map[string]bool {
	words := make(map[string]bool)
	for _, list := range lists {
		for word := range strings.FieldsSeq(list) {
			words[word] = true
		}
	}
	return words
}

// orderVerbs ask for something to be done with money.
var orderVerbs = set(
	`pay send transfer wire remit settle order purchase buy release move disburse process reimburse refund issue
	forward execute initiate make credit deposit submit run approve authorize authorise book put push route
	transfer_funds resend retry reissue repeat reorder orders`,
	`paga pague pagar pagad págale páguele págame envía envia enviar envíe envie envíale transfiere transfiera
	transferir manda mande mandar haz haga hágame realiza realice gire gira deposita deposite abona abone compra
	pide abonar liquida liquide transfira faça manda-me efetue liquidar`,
	`payez payer paye paie envoyez envoyer envoie virez virer vire transférez transférer transfère versez verser
	réglez régler effectuez faites commande commandez`,
	`zahle zahlen zahl bezahle bezahlen überweise überweisen ueberweise ueberweisen überweis sende senden schicke
	schick schicken transferiere begleiche begleichen bestelle bestellen veranlasse anweisen überweist`,
	`paghi pagare invia inviare invii trasferisci trasferire bonifica versa esegui effettua`,
	`betaal betalen stuur maak overmaken verstuur boek betala skicka överför betal overfør`,
	`bestelling bestellung orden pedido commande ordine zamówienie sipariş заказ toán`,
	`zapłać zaplac przelej wyślij przekaż zaplať zaplaťte pošlete pošli převeď převeďte plătește plătiți trimite
	transferă fizess utalj küldj utalja maksa lähetä siirrä`,
	`öde ödeyin gönder gönderin aktar aktarın yap yatır kirim bayar lipa tuma chuyển gửi`,
	`оплати оплатите заплати заплатите переведи переведите перевести отправь отправьте отправить перечисли
	перечислите сплати сплатіть перекажи перекажіть πλήρωσε στείλε πληρώστε`,
	`ادفع حول حوّل أرسل ارسل حوّلوا שלח העבר שלם भेजें भुगतान भेजो`)

// scriptOrders are orders in scripts without blanks; they are looked for inside
// a run of letters.
var scriptOrders = []string{"支付", "转账", "汇款", "付款", "转给", "轉帳", "匯款", "送金", "支払", "振り込", "송금", "이체", "지급", "보내", "โอน"}

func isOrder(word string) bool {
	if orderVerbs[word] {
		return true
	}
	return containsScript(word, scriptOrders)
}

func containsScript(word string, list []string) bool {
	if len(word) < 3 || word[0] < 0xe0 { // the scripts in question begin at U+0800
		return false
	}
	for _, item := range list {
		if strings.Contains(word, item) {
			return true
		}
	}
	return false
}

// pastVerbs tell of a payment that was made; a clause with one of these and no
// order is a report.
var pastVerbs = set(
	`paid sent wired transferred received remitted spent cost went`,
	`pagamos pagó pagado pagué enviado enviamos recibido recibí pagou recebemos enviei`,
	`bezahlt überwiesen gezahlt erhalten payé versé reçu pagato ricevuto betaald ontvangen zapłaciliśmy оплатили ödedik`)

// interrogatives begin a question that wants words and no payment. Can, could
// and would are missing on purpose: with them people ask for a payment.
var interrogatives = set(
	`how what whats what’s when did was were is are why who which has have does where whose who's hows whos`,
	`cuánto cuándo qué quién cómo por cuál combien quand quel quelle est-ce qui pourquoi quanto quando qual cosa chi
	wann wie wer warum hat haben ist sind hoeveel wanneer wat сколько когда кто почему ile kiedy kto kim neden`)

// negators stand before an order that is not to be carried out.
var negators = set(`not don't dont don’t never no ne nicht niemals nunca non niet nie не jamás`)

// senders stand before an address that is no payee.
var senders = set(`from cc bcc contact sender reply-to replyto signed von copy email e-mail`)

// amountKeys stand before a number that is an amount without a currency.
var amountKeys = set(
	`amount total sum value pay send transfer wire move amt
	importe monto cantidad montant somme betrag summe valor importo bedrag kwota kwotę сумма сумму tutar suma`)

// recipientLinks stand between an amount and the one who gets it.
var recipientLinks = set(`to an a à al para pra pro naar do till til для на into with ke vers sur chez na dla إلى στον στη`)

// followers may stand behind a bare amount; any other word there is what the
// number counts ("12 boxes").
var followers = set(
	`to for memo then and this that pls please now today on in as ref reference via per each from by or at plus thx thanks
	y a al para por con e et à pour motif und an für je auf per aan voor en w na dla do с на для за и til till`)

// counters stand before a number that names a thing and is no amount.
var counters = set(`week weeks day month year invoice number no nr room level part page section line item window step
	semana semaine woche mes mois factura facture rechnung fattura faktura nummer número numéro неделя`)

// bounds stand before an amount that is a limit or a state and no payment.
var bounds = set(`limit limits max maximum cap under balance below least hasta límite grenze limite saldo kontostand minimum`)

// ceilings stand behind such an amount.
var ceilings = set(`limit limits max maximum cap ceiling`)

// laterWords say that a payment is one of the next day. The German "morgen" is a
// morning too, which does no harm to an order without a limit of the day.
var laterWords = set(
	`tomorrow midnight mañana medianoche amanhã meia-noite domani mezzanotte demain lendemain minuit morgen mitternacht
	middernacht jutro północ północy imorgon holnap holnapi éjfél mâine завтра полночь полночи yarın غدا غداً`)

// eachWords say that one amount goes to every recipient named.
var eachWords = set(`each apiece jeweils cada chacun chacune ciascuno elk`)

// memoScripts are memo keys in scripts without blanks.
var memoScripts = []string{"备注", "附言", "摘要", "用途", "備考", "메모", "적요"}

// memoFillers stand between a memo's key and the memo.
var memoFillers = set(`can could should must to say says read reads be is as with the text stays scriva será es o el la lautet`)

// memoKeys stand before a memo; "for" is treated on its own.
var memoKeys = set(`memo reference ref concepto referencia referência verwendungszweck motif objet causale
	omschrijving tytuł назначение призначення açıklama descrição`)

// Topics of messages that ask for a look-up and no payment. The tools' own names
// are missing on purpose: pasted receipts are full of them.
var (
	balanceWords = set(`balance saldo kontostand solde bakiye баланс`)
	verifyWords  = set(`verify check validate confirm verifica verifique verificar prüfe prüfen vérifie vérifiez
		vérifier controleer sprawdź проверь проверьте doğrula lookup`)
	historyWords = set(`history transactions statement movimientos historial umsätze historique movimenti`)
)
