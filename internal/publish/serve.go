package publish

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"vaultbench/internal/record"
	"vaultbench/internal/report"
	"vaultbench/internal/report/page"
)

// MaxServedText is how much of one text is served, in bytes.
const MaxServedText = 1 << 20

// served is how many evaluations one answer lists.
const servedStep = 50

// Server shows a run's page over its whole record, which it reads by line.
type Server struct {
	page     []byte
	policy   string
	folder   string
	manifest record.Manifest
	planned  map[string]record.PlannedCell
	messages report.MessagesFunc
	index    []entry
}

// entry is what one evaluation is found by, and where its line stands.
type entry struct {
	report.Transcript        // without replies, calls and transfers
	attack, source    string // as the record has them
	offset            int64
	length            int
}

// Serve verifies a run's record and prepares to serve it.
func (r Run) Serve() (*Server, error) {
	p, err := r.Read()
	if err != nil {
		return nil, err
	}
	p.Served = true
	var b bytes.Buffer
	if err := page.Write(&b, p); err != nil {
		return nil, err
	}
	s := &Server{page: b.Bytes(), policy: page.Policy(true), folder: r.Folder, manifest: p.Manifest, planned: map[string]record.PlannedCell{}, messages: r.Messages}
	for _, c := range p.Manifest.Cells {
		s.planned[c.Cell.Name()] = c
	}
	return s, s.read()
}

// read makes the index.
func (s *Server) read() error {
	lengths, err := lineLengths(s.path())
	if err != nil {
		return err
	}
	offset, n := int64(0), 0
	return record.ReadPlanned(s.path(), s.manifest, func(e record.Evaluation) error {
		if n == len(lengths) {
			return errors.New("the file has grown: it was sealed before")
		}
		t := s.show(e, 256)
		t.ID = report.Cut(e.ID, report.MaxText) // as report.html has it: its links lead here, too
		t.Replies, t.Calls, t.Transfers = nil, nil, nil
		s.index = append(s.index, entry{t, string(e.Attack), e.Source, offset, lengths[n]})
		offset += int64(lengths[n])
		n++
		return nil
	})
}

func (s *Server) path() string { return filepath.Join(s.folder, record.EvaluationsFile) }

func (s *Server) show(e record.Evaluation, limit int) report.Transcript {
	return report.Show(e, s.planned[e.Cell.Name()], s.manifest.Directories[e.Cell.Level], limit)
}

// lineLengths are those of a file's lines, line feeds included.
func lineLengths(path string) ([]int, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }()
	var out []int
	buffer, length := make([]byte, 1<<16), 0
	for {
		n, err := f.Read(buffer)
		for part := buffer[:n]; len(part) > 0; {
			i := bytes.IndexByte(part, '\n')
			if i < 0 {
				length += len(part)
				break
			}
			out, length = append(out, length+i+1), 0
			part = part[i+1:]
		}
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Listen opens a port of the loopback address; any free one where port is 0.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// ServeHTTP answers reads that name this machine; anything else, such as a page
// elsewhere whose name was made to lead here, is refused.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", s.policy+"; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !loopback(r.Host):
		http.Error(w, "unknown host: use 127.0.0.1 or localhost", http.StatusMisdirectedRequest)
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "nothing here can be changed", http.StatusMethodNotAllowed)
	case r.URL.Path == "/":
		h.Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(s.page)
	case r.URL.Path == "/evaluations":
		s.find(w, r.URL.Query())
	case r.URL.Path == "/evaluation":
		s.get(w, r.URL.Query().Get("id"))
	default:
		http.NotFound(w, r)
	}
}

// loopback reports whether a Host header names this machine alone.
func loopback(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = host
	}
	return name == "127.0.0.1" || name == "localhost"
}

func (s *Server) find(w http.ResponseWriter, q url.Values) {
	offset, err := strconv.Atoi(q.Get("offset"))
	if err != nil || offset < 0 {
		http.Error(w, "offset: want a whole number", http.StatusBadRequest)
		return
	}
	out := struct {
		Total int                 `json:"total"`
		Items []report.Transcript `json:"items"`
	}{Items: []report.Transcript{}}
	f, err := os.Open(s.path())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer func() { _ = f.Close() }()
	for _, e := range s.index {
		ok, err := s.matches(f, e, q)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		if !ok {
			continue
		}
		if out.Total >= offset && len(out.Items) < servedStep {
			out.Items = append(out.Items, e.Transcript)
		}
		out.Total++
	}
	answer(w, out)
}

// matches holds an evaluation against the filters, as the page's script does.
func (s *Server) matches(f *os.File, e entry, q url.Values) (bool, error) {
	is := func(name, value string) bool { return q.Get(name) == "" || q.Get(name) == value }
	set := q.Get("set")
	benign, own := e.Cell.Track == "benign", slices.Contains([]string{"single", "multi", "recorded"}, string(e.Cell.Track))
	switch {
	case q.Get("level") != "" && !slices.Contains(strings.Split(q.Get("level"), ","), string(e.Cell.Level)),
		!is("group", string(e.Cell.Group())), set == "benign" && !benign, set == "attacks" && !own,
		!is("category", e.Category), !is("model", string(e.Cell.Model)), !is("track", string(e.Cell.Track)), !is("arch", string(e.Cell.Architecture)),
		!is("kind", string(e.Kind)), !is("attack", e.Attack), !is("end", string(e.End)),
		q.Get("flag") != "" && !slices.Contains(e.Flags, report.Flag(q.Get("flag"))),
		q.Get("code") != "" && !slices.Contains(e.Codes, record.DenialReason(q.Get("code"))):
		return false, nil
	}
	return s.says(f, e, q.Get("q"))
}

// says looks for a text in the whole line and in what the user wrote.
func (s *Server) says(f *os.File, e entry, text string) (bool, error) {
	if text == "" {
		return true, nil
	}
	text = strings.ToLower(text)
	line := make([]byte, e.length)
	if _, err := f.ReadAt(line, e.offset); err != nil {
		return false, fmt.Errorf("read %q: %w", e.ID, err)
	}
	if bytes.Contains(bytes.ToLower(line), []byte(text)) {
		return true, nil
	}
	messages, _ := s.messages(e.attack, e.source)
	return slices.ContainsFunc(messages, func(m string) bool { return strings.Contains(strings.ToLower(m), text) }), nil
}

func (s *Server) get(w http.ResponseWriter, id string) {
	i := slices.IndexFunc(s.index, func(e entry) bool { return e.ID == id })
	if i < 0 {
		http.Error(w, "no such evaluation", http.StatusNotFound)
		return
	}
	e, err := s.load(s.index[i])
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	out := struct {
		Transcript report.Transcript `json:"transcript"`
		Messages   []string          `json:"messages"`
	}{Transcript: s.show(e, MaxServedText)}
	if raw, ok := s.messages(string(e.Attack), e.Source); ok {
		for _, m := range raw {
			out.Messages = append(out.Messages, report.Cut(m, MaxServedText))
		}
	}
	answer(w, out)
}

func (s *Server) load(at entry) (record.Evaluation, error) {
	f, err := os.Open(s.path())
	if err != nil {
		return record.Evaluation{}, err
	}
	defer func() { _ = f.Close() }()
	line := make([]byte, at.length)
	if _, err := f.ReadAt(line, at.offset); err != nil {
		return record.Evaluation{}, err
	}
	return record.Decode(line)
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // whoever asked may have gone
}
