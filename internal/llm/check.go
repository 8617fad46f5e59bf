package llm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// Listing says what a provider's list of models (GET models below its base URL)
// tells about a key and an id.
type Listing string

// The three words. The zero value is ListsNothing.
const (
	ListsNothing Listing = "nothing" // unconfirmed, or in another form: only that somebody answers
	ListsKey     Listing = "key"     // a refused key is refused here too
	ListsIDs     Listing = "ids"     // that, and every model that may be asked is in the list
)

// checkTimeout bounds Check; it is no completion, so it takes no longer than a page.
const checkTimeout = 20 * time.Second

// Check asks a provider for its list of models, which costs nothing, and says what
// would make every completion fail: nobody answers, the certificate is not
// trusted, the key is refused, the model does not exist. What the provider does
// not tell without a completion passes.
func Check(ctx context.Context, m Model, p Provider, baseURL, key string) error {
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
			p.Name, c.host, excerpt(c.redact(transportText(err))), modelsFile, orVariable(p))
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReplyBytes))
	if err != nil {
		return nil // half a list says nothing
	}
	return c.listed(p, res.StatusCode, body)
}

// listed reads the answer.
func (c *chatClient) listed(p Provider, status int, body []byte) error {
	if p.Lists != ListsKey && p.Lists != ListsIDs {
		return nil
	}
	if status != http.StatusOK {
		if errorClass(status, body) == KeyDead {
			return fmt.Errorf("variable %s: provider %s refuses the key: HTTP %d: %s", p.KeyEnv, p.Name, status, excerpt(c.redact(string(body))))
		}
		return nil
	}
	var list struct {
		Data []struct {
			ID ModelID `json:"id"`
		} `json:"data"`
	}
	if p.Lists != ListsIDs || json.Unmarshal(body, &list) != nil || len(list.Data) == 0 {
		return nil
	}
	for _, d := range list.Data {
		if d.ID == *c.model.ID || d.ID == "models/"+*c.model.ID { // Google's list has the prefix
			return nil
		}
	}
	return fmt.Errorf("%s: model %s: id %q is not among the %d models that provider %s lists for this key", modelsFile, c.model.Slug, *c.model.ID, len(list.Data), p.Name)
}
