package browser

import (
	"context"

	"github.com/chromedp/cdproto/emulation"
)

func printMedia(ctx context.Context) error {
	return emulation.SetEmulatedMedia().WithMedia("print").Do(ctx)
}
