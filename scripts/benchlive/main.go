// Command benchlive measures the path of a live evaluation against a server on
// this machine: scripts/bench-live.sh runs it. Each mode is a process of its own, so
// that its peak of memory is its own.
//
//	benchlive serve --delay 50ms                   a server of two fixed replies; prints its base URL
//	benchlive bare --url URL --requests N          openai-go alone, the same requests
//	benchlive ours --url URL --requests N          whole evaluations: agent, policy engine, ledger, journal
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

type options struct {
	url      string
	requests int
	workers  int
	delay    time.Duration
}

// measured is what a mode has to say of itself.
type measured struct {
	requests    int
	evaluations int
	took        time.Duration
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		_, _ = fmt.Fprintln(os.Stderr, "benchlive:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) == 0 {
		return errors.New("want serve, bare or ours")
	}
	var o options
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	flags.StringVar(&o.url, "url", "", "base URL of the server")
	flags.IntVar(&o.requests, "requests", 20000, "requests to send, at least")
	flags.IntVar(&o.workers, "workers", 16, "requests under way")
	profile := flags.String("profile", "", "file for a CPU profile")
	flags.DurationVar(&o.delay, "delay", 0, "delay of each reply")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	mode, ok := map[string]func(options) (measured, error){"serve": serve, "bare": bare, "ours": ours}[args[0]]
	if !ok {
		return fmt.Errorf("unknown mode %q: want serve, bare or ours", args[0])
	}
	if *profile != "" {
		f, err := os.Create(*profile)
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
	}
	m, err := mode(o)
	pprof.StopCPUProfile() // no profile: nothing to stop
	if err != nil {
		return err
	}
	seconds := m.took.Seconds()
	fmt.Printf("%s requests %d seconds %.3f requests/s %.0f evaluations/s %.0f cpu-us/request %.0f peak-MiB %.1f\n", args[0],
		m.requests, seconds, float64(m.requests)/seconds, float64(m.evaluations)/seconds, 1e6*cpuSeconds()/float64(m.requests), peakMiB())
	return nil
}

// peakMiB is the process's peak of resident memory; 0 where the system does not say.
func peakMiB() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")), 64)
			return kib / 1024
		}
	}
	return 0
}

// cpuSeconds is the processor time of the process so far, in steps of 10 ms; other
// processes do not show in it.
func cpuSeconds() float64 {
	stat, _ := os.ReadFile("/proc/self/stat")
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest) // from the third of proc(5): user time is the 14th, system time the 15th
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.ParseFloat(fields[11], 64)
	system, _ := strconv.ParseFloat(fields[12], 64)
	return (user + system) / 100
}

const (
	callReply = `{"id":"chatcmpl-1","object":"chat.completion","created":1767225600,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"transfer_funds","arguments":"{\"recipient\":\"harbor-relief@quickpost.example\",\"amount\":120.50,\"memo\":\"refund\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":900,"completion_tokens":30,"total_tokens":930,"prompt_tokens_details":{"cached_tokens":0}}}`
	wordReply = `{"id":"chatcmpl-2","object":"chat.completion","created":1767225600,"model":"bench","choices":[{"index":0,"message":{"role":"assistant","content":"I am sorry, that payment was not possible.","refusal":null},"finish_reason":"stop"}],"usage":{"prompt_tokens":960,"completion_tokens":12,"total_tokens":972,"prompt_tokens_details":{"cached_tokens":0}}}`
)

// serve answers a user with a call and whatever a tool said with words. It does no
// more than that: what it costs is taken from those who are measured.
func serve(o options) (measured, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return measured{}, err
	}
	fmt.Printf("http://%s/v1\n", l.Addr())
	var served atomic.Int64
	server := http.Server{ReadHeaderTimeout: time.Minute, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		const role = `"role":"`
		reply := callReply
		if at := bytes.LastIndex(body, []byte(role)); at >= 0 && bytes.HasPrefix(body[at+len(role):], []byte("tool")) {
			reply = wordReply
		}
		served.Add(1)
		if o.delay > 0 {
			time.Sleep(time.Until(start.Add(o.delay)))
		}
		w.Header()["Content-Type"] = []string{"application/json"}
		w.Header()["Content-Length"] = []string{strconv.Itoa(len(reply))}
		_, _ = io.WriteString(w, reply)
	})}
	return measured{}, server.Serve(l)
}
