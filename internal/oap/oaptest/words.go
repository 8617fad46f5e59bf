package oaptest

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// code is a well-formed audit code, another one for each step.
func (d *draft) code() string { return fmt.Sprintf("APC-2026-%04d", d.step) }

// oneCode holds exactly one audit code where the passport asks for one; elsewhere
// anything goes.
func (d *draft) oneCode() {
	if !d.policy.AuditCode && chance(d.T, "no code", 8) {
		d.notOneCode()
		return
	}
	d.req.Memo = fmt.Sprintf(pick(d.T, "memo",
		"%s", "pay (%s)", "Freigabe: %s.", "_%s_", "%s\nAPC-20260-0001", "APC-%s APC-2026-0001x", "xAPC-2026-0001 %s", "٫%s\u0308",
	), d.code())
}

// notOneCode has none or two, or something that only looks like one.
func (d *draft) notOneCode() {
	switch memo := pick(d.T, "memo without a code",
		"", "invoice 7", "apc-2026-0001", "APC-2026-001", "APC-2026-00011", "XAPC-2026-0001", "éAPC-2026-0001", "APC-2026-0001字",
		"APC–2026–0001", "АPC-2026-0001", "APC-２０２６-0001", "APC-2026-0001²", "APC-2026-0001APC-2026-0002", "%s %s", "%s,APC-2026-9999", "%s\x00%s",
	); memo {
	case "%s %s", "%s\x00%s":
		d.req.Memo = fmt.Sprintf(memo, d.code(), d.code())
	case "%s,APC-2026-9999":
		d.req.Memo = fmt.Sprintf(memo, d.code())
	default:
		d.req.Memo = memo
	}
}

// freshKey was not used on its day: it is new, of the fewest characters that a
// key may have, or it was used the day before.
func (d *draft) freshKey() {
	today := d.spent.On(d.req.At).Keys
	d.req.IdempotencyKey = fmt.Sprintf(pick(d.T, "key", "key-%04d", "ключ%04d", "evaluation#%d", "APC-2026-%04d", "KEY-%04d"), d.step)
	if chance(d.T, "yesterday's", 4) {
		for _, key := range d.keys(d.req.At.AddDate(0, 0, -1)) {
			if !today[key] {
				d.req.IdempotencyKey = key
			}
		}
	}
}

func (d *draft) usedKey() {
	d.freshKey()
	if used := d.keys(d.req.At); len(used) > 0 {
		d.req.IdempotencyKey = pick(d.T, "used key", used...)
	}
}

// shortKey has a character less than a key must have, and more bytes.
func (d *draft) shortKey() {
	d.req.IdempotencyKey = fmt.Sprintf(pick(d.T, "short key", "key-%03d", "ключ%03d", "%d", "🔑🔑🔑%04d"), d.step)
}

func (d *draft) keys(day time.Time) []string {
	return slices.Sorted(maps.Keys(d.spent.On(day).Keys))
}
