// Package chat asks a live model over chat completions, through openai-go. The
// library is imported here and nowhere else, so that what only needs the types of
// llm does not link it.
package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"vaultbench/internal/llm"
)

// Open makes the client of a live model. baseURL, where not empty, replaces the
// provider's; the key is the value of the provider's variable. Errors say what to
// mend and never show the key or the URL, which may hold one.
func Open(m llm.Model, p llm.Provider, baseURL string, key string) (llm.Client, error) {
	if m.ID == nil {
		return nil, fmt.Errorf("%s: model %s: id is null: fill in the identifier that provider %s documents", llm.ModelsFile, m.Slug, p.Name)
	}
	if baseURL == "" && p.BaseURL == nil {
		return nil, fmt.Errorf("%s: provider %s: base_url is null: fill it in%s", llm.ModelsFile, p.Name, orVariable(p))
	}
	if baseURL == "" {
		baseURL = *p.BaseURL
	}
	u, err := parseBaseURL(baseURL)
	if err != nil {
		return nil, fmt.Errorf("%s: provider %s: base_url%s: %w", llm.ModelsFile, p.Name, orVariable(p), err)
	}
	if err := checkKey(key); err != nil {
		return nil, fmt.Errorf("model %s: variable %s: %w", m.Slug, p.KeyEnv, err)
	}
	return &chatClient{model: m, base: u.String(), host: u.Host, key: key, keyEnv: p.KeyEnv, post: newAPI(u, key)}, nil
}

func orVariable(p llm.Provider) string {
	if p.BaseURLEnv == "" {
		return ""
	}
	return " or variable " + p.BaseURLEnv
}

func parseBaseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Opaque != "":
		return nil, errors.New("malformed: want http(s)://host[:port]/path")
	case u.User != nil, u.RawQuery != "", u.ForceQuery, u.Fragment != "":
		return nil, errors.New("malformed: no user, query or fragment may stand in it")
	}
	return u, nil
}

// checkKey refuses what would break the header that carries the key: mostly a
// line break or a blank that came along when it was copied.
func checkKey(key string) error {
	if key == "" {
		return errors.New("empty or not set: put the provider's key there")
	}
	for i := range len(key) {
		if key[i] <= ' ' || key[i] >= 0x7F {
			return fmt.Errorf("key has a blank, a control or a non-ASCII character at byte %d of %d: copy it again", i+1, len(key))
		}
	}
	return nil
}

// postFunc sends the body of a request for a completion.
type postFunc func(ctx context.Context, body []byte, opts ...option.RequestOption) error

// newAPI fills in the one service that is asked and does not call a constructor of
// the library, which reads OPENAI_* variables (key, organisation, project, base URL,
// headers) behind the caller's back. The library's own retries are off: it knows
// neither the limiter of the key nor the cap. It is not openai.Client: naming that
// has the compiler instantiate every stream and page of the library, seconds of each
// build, and holding it where an interface can reach it has the linker keep every
// service, 30 MB that nothing calls.
func newAPI(base *url.URL, key string) postFunc {
	service := openai.ChatCompletionService{Options: []option.RequestOption{
		option.WithBaseURL(base.String()), option.WithAPIKey(key), option.WithHTTPClient(httpClient), option.WithMaxRetries(0),
	}}
	return func(ctx context.Context, body []byte, opts ...option.RequestOption) error {
		opts = append(opts, option.WithRequestBody("application/json", body), option.WithResponseBodyInto(new([]byte)))
		_, err := service.New(ctx, openai.ChatCompletionNewParams{}, opts...)
		return err
	}
}

// httpClient is shared so that parallel cells reuse connections. It has no
// time-out of its own, the caller's context has. Redirects are not followed: the
// reply must come from the host that was asked for.
var httpClient = &http.Client{
	Transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 1024, // as many as may be under way: a dropped connection costs more than a request
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 15 * time.Second,
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// CloseIdle drops the connections that wait for another request: at the end of a
// run nothing stays behind.
func CloseIdle() { httpClient.CloseIdleConnections() }
