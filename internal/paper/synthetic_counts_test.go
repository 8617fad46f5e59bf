package paper_test

import (
	"fmt"

	"vaultbench/internal/authz"
)

func (s *synthetic) fill(arch, level int) {
	for track := range 2 {
		s.upTo(models*perLevel[level], arch, all(level), range14(0, models), track, final)
	}
}

func (s *synthetic) restrictedAlone() {
	for _, level := range []int{1, 2, 3} {
		s.fill(alone, level)
	}
	// 76,842 of 78,652: two single-turn, so that 2,807 prompts were finished by all.
	s.upTo(1, alone, span(1, 937, 938), []int{0}, single, absent)
	s.upTo(1, alone, span(2, 577, 578), []int{1}, single, absent)
	s.upTo(1, alone, span(1, 155, 156), []int{muse}, multi, absent) // of json_injection
	s.upTo(272, alone, span(1, 300, 900), []int{muse}, multi, absent)
	s.upTo(281, alone, all(2), []int{muse}, multi, absent)
	s.upTo(1254, alone, span(3, 39, 1293), []int{muse}, multi, absent)
	s.unpermitted()
	// Level 4 single-turn: 809 prompts from all, 921 to 1,090 by model.
	s.upTo(809*models, alone, span(3, 0, 809), range14(0, models), single, request)
	s.upTo(112, alone, span(3, 809, 921), []int{0}, single, request)
	s.upTo(281, alone, span(3, 1012, 1293), []int{1}, single, request)
	s.upTo(200*12, alone, span(3, 1093, 1293), range14(2, models), single, request)
	// Level 2 single-turn: 8, 30 and 20 by model, one of them unpermitted already.
	s.upTo(8, alone, span(1, 40, 48), []int{0}, single, request)
	s.upTo(29, alone, span(1, 40, 70), []int{1}, single, request)
	s.upTo(20*12, alone, span(1, 40, 60), range14(2, models), single, request)
	// Multi-turn: 502 at Level 2 (113 unpermitted), 13 at Level 3, 13,631 at Level 4.
	s.upTo(502-113, alone, span(1, 400, 555), range14(0, 10), multi, request)
	s.upTo(13, alone, span(2, 300, 310), range14(0, 10), multi, request)
	s.upTo(3146, alone, all(3), []int{kimi, glm, qwen}, multi, request)
	s.upTo(13631-3146-26, alone, all(3), append(range14(0, 10), muse), multi, request)
	// 22 requests that the bank refused.
	s.upTo(22, alone, span(3, 600, 700), []int{2}, single, func(c *state) bool { c.payments = 0; return true })
}

func (s *synthetic) unpermitted() {
	others, excluded := append(range14(0, 10), muse), 35
	for n, h := range outcomes() {
		for i, beaten := range h.models {
			a := at(h.level, h.from+i)
			for j := range beaten {
				m := others[(n+i+j)%10]
				switch {
				case h.track == single:
					m = 1 // who requests there
				case j == 0 && excluded > 0:
					m, excluded = kimi, excluded-1
				}
				c := &s.grid[alone][a][m][h.track]
				if !request(c) {
					panic(fmt.Sprintf("attack %d beats model %d twice", a, m))
				}
				c.unpermitted = true
			}
		}
	}
}

// restrictedBehind: 68,970 matched pairs, 581 and 639 of which disagree, and 327
// evaluations without a partner.
func (s *synthetic) restrictedBehind() {
	for _, level := range []int{1, 2, 3} {
		for _, a := range all(level) {
			for m := range models {
				for track := range 2 {
					from := s.grid[alone][a][m][track]
					excluded := track == multi && (m == kimi || m == glm || m == qwen && (level > 1 || a >= at(1, 555)))
					if from.final && !excluded {
						s.grid[behind][a][m][track] = state{final: true, requested: from.requested && !from.unpermitted}
					}
				}
			}
		}
	}
	// 105 matched requests were unpermitted alone: behind they are asked again.
	for _, level := range []int{1, 3} {
		for _, a := range all(level) {
			for m := range models {
				for track := range 2 {
					if c := &s.grid[behind][a][m][track]; c.final && s.grid[alone][a][m][track].unpermitted {
						c.requested = true
					}
				}
			}
		}
	}
	s.upTo(581, behind, span(3, 0, 300), range14(2, models), single, func(c *state) bool { c.requested = false; return true })
	s.upTo(639, behind, span(1, 100, 300), range14(2, models), single, func(c *state) bool {
		was := c.requested
		c.requested = true
		return !was
	})
	s.upTo(327, behind, span(3, 39, 1293), []int{muse}, multi, final)
	s.upTo(107, behind, span(3, 39, 1293), []int{muse}, multi, func(c *state) bool { c.requested = true; return true })
}

// decide: 25,527 evaluations with a request, 157 of them denied throughout, 15
// denied and paid; 25,640 calls.
func (s *synthetic) decide() {
	var reasons []string
	for _, r := range []struct {
		code authz.DenialReason
		n    int
	}{{authz.ReasonRecipientNotMember, 148}, {authz.ReasonInvalidContext, 17}, {authz.ReasonLimitExceeded, 13}, {authz.ReasonAuditCodeMissing, 9}} {
		for range r.n {
			reasons = append(reasons, string(r.code))
		}
	}
	n := 0
	for _, level := range []int{1, 2, 3} {
		for _, a := range all(level) {
			for m := range models {
				for track := range 2 {
					c := &s.grid[behind][a][m][track]
					if !c.requested {
						continue
					}
					if n < 157+15 {
						c.denied = 1 + one(n < 15)
						c.reasons, reasons = reasons[:c.denied], reasons[c.denied:]
					}
					if n >= 157 {
						c.payments = 1 + one(n >= 1000 && n < 1083)
					}
					n++
				}
			}
		}
	}
}

func (s *synthetic) open() {
	s.fill(alone, 0)
	s.fill(behind, 0)
	s.upTo(352, alone, all(0), []int{muse}, multi, absent)
	s.upTo(2126, alone, all(0), range14(0, models), single, request)
	s.upTo(582, alone, span(0, 200, 700), range14(0, models), single, func(c *state) bool { c.filtered = !c.requested; return c.filtered })
	s.upTo(709*2, behind, all(0), []int{kimi, glm}, multi, absent)
	s.upTo(449, behind, span(0, 260, 709), []int{qwen}, multi, absent)
	s.upTo(89, behind, all(0), []int{muse}, multi, absent)
	s.upTo(1900, behind, all(0), range14(0, models), single, request)
}

func (s *synthetic) vault() {
	s.fill(alone, 4)
	s.fill(behind, 4)
	s.upTo(853, alone, all(4), []int{muse}, multi, absent)
	s.upTo(711, alone, all(4), []int{9}, multi, absent)
	s.upTo(5640, alone, all(4), range14(0, models), single, request)
	unpaid, bank := 5640-5362, 3683
	for _, a := range all(4) {
		for m := range models {
			c := &s.grid[alone][a][m][single]
			switch {
			case !c.requested:
			case unpaid > 0:
				c.payments, unpaid = 0, unpaid-1
			default:
				c.unpermitted, c.bank = true, bank > 0
				bank--
			}
		}
	}
	s.upTo(853*4, behind, all(4), []int{kimi, glm, qwen, muse}, multi, absent)
	s.upTo(363, behind, all(4), []int{9}, multi, absent)
	n := 0
	s.upTo(4960, behind, all(4), range14(0, models), single, func(c *state) bool {
		c.requested = true
		c.denied = 1 + one(n < 9385-4960)
		for range c.denied {
			c.reasons = append(c.reasons, string(authz.ReasonCapabilityMissing))
		}
		n++
		return true
	})
}

// errors: 5,395 of the evaluations that are missing stand as error rows.
func (s *synthetic) errors() {
	left := 5395
	for arch := range 2 {
		for a := range s.prompts {
			for m := range models {
				for track := range 2 {
					if c := &s.grid[arch][a][m][track]; !c.final && left > 0 {
						c.failed = true
						left--
					}
				}
			}
		}
	}
}
