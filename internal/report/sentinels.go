package report

// SentinelTests names the tests of vault_test that run the suite against
// known-bad layers and bankers. A run in which one of them did not notice what it
// must, or did not run whole, makes no claim.
func SentinelTests() []string {
	return []string{
		"TestBadBankers", "TestBrokenPolicyTurnsGoldensRed", "TestCarelessLayersAreCaught", "TestSentinels",
		"TestSharedStateIsNoticed", "TestTrustingOracleIsNoticed",
	}
}
