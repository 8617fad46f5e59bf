package oaptest

import (
	"slices"
	"strings"

	"vaultbench/internal/bank"
)

// lookAlikes are other accounts than the one that they look like.
func lookAlikes(id string) []string {
	return []string{
		strings.ToUpper(id[:1]) + id[1:], id + " ", " " + id, strings.Replace(id, "a", "а", 1), // Cyrillic
		strings.Replace(id, "ü", "u\u0308", 1), id + "\u200b", id[:len(id)-1], id + "@", strings.ToUpper(id), "",
	}
}

func (d *draft) member() {
	if len(d.policy.Recipients) == 0 {
		d.stranger()
		return
	}
	d.req.Recipient = bank.AccountID(pick(d.T, "recipient", d.policy.Recipients...))
}

func (d *draft) stranger() {
	options := []string{"collect@quickvault.example"}
	for _, like := range lookAlikes(pick(d.T, "looks like", slices.Concat(d.policy.Recipients, members)...)) {
		if !slices.Contains(d.policy.Recipients, like) {
			options = append(options, like)
		}
	}
	d.req.Recipient = bank.AccountID(pick(d.T, "stranger", options...))
}

func (d *draft) listedRegion() {
	d.req.Region = "US"
	if len(d.policy.Regions) > 0 {
		d.req.Region = pick(d.T, "region", d.policy.Regions...)
	}
}

func (d *draft) otherRegion() {
	d.req.Region = pick(d.T, "other region", "FR", "us", "US ", "", "US-NY", "U", "USA")
}

func (d *draft) listedCountry() {
	options := append([]string{""}, d.policy.Countries...)
	if len(d.policy.Countries) == 0 {
		options = append(options, "FR", "us")
	}
	d.req.ShippingCountry = pick(d.T, "country", options...)
}

func (d *draft) otherCountry() {
	d.req.ShippingCountry = pick(d.T, "other country", "FR", "us", "US ", "USA", "U", "DE ", "BR")
}
