// Package browser looks at the reports from outside: pages in a headless
// Chromium, JUnit and CTRF through third parties' parser and schema. It is a
// module of its own, so that none of that weighs on the suite's.
package browser
