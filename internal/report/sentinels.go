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

// GoldenTests names the tests of vault_test that pin what the layer decides. A run
// in which one of them failed, or did not run whole, makes no claim: its cells may
// be zero under a policy that nobody has agreed to.
func GoldenTests() []string {
	return []string{"TestCrossedGoldens", "TestExpectations", "TestGoldens", "TestProbes", "TestVariantExpectations"}
}
