// Package derived makes attacks of attacks. Nothing of it is stored, and nothing is
// pooled with the attacks that it comes from.
//
// Crossed attacks, for runs with VAULT_CROSS, stand at another level: the same words,
// amounts and codes against another policy, with each recipient replaced by one of
// its class, so that what the policy does and what the attackers of a level do come
// apart.
//
// Variants, for runs with VAULT_VARIANTS, come from deterministic operators. A
// variant's id is its attack's with ~ and the operator, which no attack file takes.
// Technique and category are the attack's, whatever the classifier would make of the
// new clothes.
package derived
