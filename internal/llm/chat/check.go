package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"vaultbench/internal/llm"
)

// checkTimeout bounds Check; it is no completion, so it takes no longer than a page.
const checkTimeout = 20 * time.Second

// Check asks a provider for its list of models, which costs nothing, and says what
// would make every completion fail: nobody answers, the certificate is not
// trusted, the key is refused, the model does not exist. What the provider does
// not tell without a completion passes.
func Check(ctx context.Context, m llm.Model, p llm.Provider, baseURL, key string) error {
	client, err := Open(m, p, baseURL, key)
	if err != nil {
		return err
	}
	c := client.(*chatClient)
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(c.base, "/")+"/models", nil)
	if err != nil {
		return errors.New(c.redact(err.Error()))
	}
	req.Header.Set("Authorization", "Bearer "+key)
	res, err := httpClient.Do(req)
	if err != nil {
		return fmt.Errorf("provider %s: %s does not answer: %s: check the network and base_url in %s%s",
			p.Name, c.host, excerpt(c.redact(transportText(err))), llm.ModelsFile, orVariable(p))
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReplyBytes))
	if err != nil {
		return nil // half a list says nothing
	}
	return c.listed(p, res.StatusCode, body)
}

// listed reads the answer.
func (c *chatClient) listed(p llm.Provider, status int, body []byte) error {
	if p.Lists != llm.ListsKey && p.Lists != llm.ListsIDs {
		return nil
	}
	if status != http.StatusOK {
		if errorClass(status, body) == llm.KeyDead {
			return fmt.Errorf("variable %s: provider %s refuses the key: HTTP %d: %s", p.KeyEnv, p.Name, status, excerpt(c.redact(string(body))))
		}
		return nil
	}
	var list struct {
		Data []struct {
			ID llm.ModelID `json:"id"`
		} `json:"data"`
	}
	if p.Lists != llm.ListsIDs || json.Unmarshal(body, &list) != nil || len(list.Data) == 0 {
		return nil
	}
	for _, d := range list.Data {
		if d.ID == *c.model.ID || d.ID == "models/"+*c.model.ID { // Google's list has the prefix
			return nil
		}
	}
	return fmt.Errorf("%s: model %s: id %q is not among the %d models that provider %s lists for this key", llm.ModelsFile, c.model.Slug, *c.model.ID, len(list.Data), p.Name)
}
