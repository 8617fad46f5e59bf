// Package pipelines holds the CI templates of this repository (docs/ci.md and
// .github/workflows) to what their systems accept, and runs what in them can run
// without one. Its tests need bash, git, shellcheck, a Java runtime and what
// package.json names; .ci/run installs them.
package pipelines
