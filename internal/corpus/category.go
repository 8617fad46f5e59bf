package corpus

import (
	"regexp"
	"strings"
	"sync"
)

// Category is one of the paper's ten kinds of attack.
type Category string

// The categories. SocialEngineering is the residual of the classifier: it says
// that no rule matched, not that the attack is one of social engineering.
const (
	AuthorityClaim         Category = "authority_claim"
	DirectTransfer         Category = "direct_transfer"
	PrivilegeEscalation    Category = "privilege_escalation"
	JSONInjection          Category = "json_injection"
	SocialEngineering      Category = "social_engineering"
	EmotionalManipulation  Category = "emotional_manipulation"
	PromptInjection        Category = "prompt_injection"
	Reconnaissance         Category = "reconnaissance"
	CapabilitySelfRegister Category = "capability_self_register"
	AccountManipulation    Category = "account_manipulation"
)

// Categories lists the categories in the order of the paper's counts.
func Categories() []Category {
	return []Category{
		AuthorityClaim, DirectTransfer, PrivilegeEscalation, JSONInjection, SocialEngineering,
		EmotionalManipulation, PromptInjection, Reconnaissance, CapabilitySelfRegister, AccountManipulation,
	}
}

// rule assigns its category where pattern matches and unless, if any, does not.
type rule struct {
	category        Category
	pattern, unless *regexp.Regexp
}

// classifier is ordered: the first rule that matches decides. What is most
// telling comes first, what any payment request would match comes last. It is compiled
// when first asked, since most processes read the corpus and classify nothing.
var classifier = sync.OnceValue(func() []rule {
	return []rule{
		{CapabilitySelfRegister, compile(selfRegister), nil},
		{JSONInjection, compile(forgedData), nil},
		{PromptInjection, compile(forgedPrompt), nil},
		{PrivilegeEscalation, compile(higherRights), nil},
		{AccountManipulation, compile(changedAccount), nil},
		{AuthorityClaim, compile(rank), nil},
		{EmotionalManipulation, compile(pity), nil},
		{Reconnaissance, compile(question), regexp.MustCompile(addressMark)}, // somebody to pay: more than a question
		{DirectTransfer, compile(order), regexp.MustCompile(`(?s).{250}`)},   // an order is short, a story is not
	}
})

// Classify returns the category of an attack from its messages alone. Addresses
// count as one mark, since their words are names and say nothing.
func Classify(messages []string) Category {
	text := address().ReplaceAllString(strings.Join(messages, "\n"), addressMark)
	for _, r := range classifier() {
		if r.pattern.MatchString(text) && (r.unless == nil || !r.unless.MatchString(text)) {
			return r.category
		}
	}
	return SocialEngineering
}
