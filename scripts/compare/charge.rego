# finance.payment.charge.v1 in Rego: the set of the gates and rules that fail. The
# pack's order is put on them afterwards.
package charge

limits := input.passport.limits

caps := limits.currency_limits[input.currency]

rank := {"L0": 0, "L1": 1, "L2": 2, "L3": 3, "L4KYC": 4, "L4FIN": 5}

failed contains "passport_status_active" if input.passport.status != "active"

failed contains "passport_status_active" if input.now >= input.passport.expires_at

failed contains "capability" if not "payments.charge" in input.passport.capabilities

failed contains "assurance_minimum" if rank[input.passport.assurance_level] < rank.L2

failed contains "assurance_minimum" if rank[input.passport.assurance_level] < rank[limits.require_assurance_at_least]

failed contains "context_schema" if input.amount < 1

failed contains "context_schema" if not regex.match(`^[A-Z]{3}$`, input.currency)

failed contains "context_schema" if count(input.idempotency_key) < 8

failed contains "context_schema" if count(input.items) < 1

failed contains "context_schema" if {
	some item in input.items
	item.qty < 1
}

failed contains "context_schema" if {
	some item in input.items
	item.price < 1
}

failed contains "region" if not input.region in input.passport.regions

failed contains "currency_supported" if not caps

failed contains "per_tx_amount_cap" if input.amount > caps.max_per_tx

failed contains "item_count_cap" if count(input.items) > limits.max_items_per_tx

failed contains "merchant_allowed" if {
	count(limits.allowed_merchant_ids) > 0
	not input.merchant_id in limits.allowed_merchant_ids
}

failed contains "country_allowed" if {
	count(limits.allowed_countries) > 0
	input.shipping_country
	not input.shipping_country in limits.allowed_countries
}

failed contains "category_block" if {
	some item in input.items
	item.category in limits.blocked_categories
}

failed contains "audit_code_required" if {
	limits.audit_code_required
	not one_audit_code
}

one_audit_code if {
	regex.match(`(?s)(^|[^\pL\pN])APC-[0-9]{4}-[0-9]{4}($|[^\pL\pN])`, input.memo)
	not regex.match(`(?s)(^|[^\pL\pN])APC-[0-9]{4}-[0-9]{4}[^\pL\pN](.*[^\pL\pN])?APC-[0-9]{4}-[0-9]{4}($|[^\pL\pN])`, input.memo)
}

failed contains "daily_cap_check" if input.daily_total + input.amount > caps.daily_cap

failed contains "idempotency_check" if input.recent_keys[input.idempotency_key]
