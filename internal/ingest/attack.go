package ingest

// attackFields are the fields of a mapping of attacks.
var attackFields = []field{
	{"messages", true}, {"level", true}, {"session", true}, {"lang", false}, {"date", false}, {"technique", false},
	{"goal", false}, {"expect", false}, {"reason", false}, {"twin", false},
}
