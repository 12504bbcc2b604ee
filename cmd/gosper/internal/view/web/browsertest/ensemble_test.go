package browsertest

import (
	"bufio"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestEnsemblePage shows an ensemble that grows, and opens one of its universes in the viewer.
func TestEnsemblePage(t *testing.T) {
	ctx := browser(t)
	folder := t.TempDir()
	program := filepath.Join(folder, "gosper")
	build := exec.Command("go", "build", "-o", program, "./cmd/gosper")
	build.Dir = "../../../../../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	run := func(shard string) {
		t.Helper()
		cmd := exec.Command(program, "ensemble", "run", "--rule", "B3/S23", "--size", "64", "--size", "96", "-n", "60", "-g",
			"200", "--every", "10", "--start", "exact~1=900",
			"--measure", "clusters,settling", "--per-job", "20", "--out", "soups", "-q", "--shard", shard)
		cmd.Dir = folder
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run("1/2")
	served := exec.Command(program, "serve", "--ensemble", "soups", "--listen", "127.0.0.1:0", "--size", "32")
	served.Dir = folder
	out, err := served.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := served.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		served.Process.Signal(os.Interrupt)
		served.Wait()
	})
	address := ""
	for lines := bufio.NewScanner(out); address == "" && lines.Scan(); {
		if _, found, is := strings.Cut(lines.Text(), "soups: "); is {
			address = found
		}
	}
	do(t, ctx, scheme("light"), chromedp.Navigate(address))
	drawn := `document.querySelectorAll("#figures img").length >= 4 && [...document.querySelectorAll("#figures img")].every(p => p.complete && p.naturalWidth > 0)`
	until(t, ctx, `document.getElementById("done")?.dataset.done === "3" && `+drawn)
	run("2/2")
	until(t, ctx, `document.getElementById("done").dataset.done === "6" && range.textContent === "1 to 100 of 120" && `+
		drawn)
	if rows := value[int](t, ctx, `workers.tBodies[0].rows.length`); rows == 0 {
		t.Error("no worker is named")
	}
	shot(t, ctx, "ensemble-light")
	do(t, ctx, scheme("dark"), chromedp.EmulateViewport(390, 844))
	until(t, ctx, `innerWidth === 390`)
	shot(t, ctx, "ensemble-phone-dark")
	if wide := value[float64](t, ctx, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("on a phone the page is %v pixels wide", wide)
	}
	do(t, ctx, chromedp.EmulateViewport(1280, 800), scheme("light"))
	do(t, ctx, chromedp.Click(chromedp.CSS("#after")))
	until(t, ctx, `range.textContent === "101 to 120 of 120"`)
	seed := value[string](t, ctx, `universes.querySelector("tbody a").title`)
	link := value[string](t, ctx, `universes.querySelector("tbody a").href`)

	if _, err := os.Stat("../node_modules/axe-core/axe.min.js"); err == nil {
		do(t, ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			// for axe, which is not the page's
			_, err := cdp.Call(ctx, target, page.SetBypassCSP, page.SetBypassCSPParams{Enabled: true})
			return err
		}), chromedp.Navigate(address))
		until(t, ctx, `document.getElementById("done")?.dataset.done === "6" && `+drawn)
		check := axe(t, ctx)
		check("light")
		do(t, ctx, scheme("dark"))
		check("dark")
	}
	open(t, ctx, link)
	do(t, ctx, chromedp.KeyEvent("i"))
	until(
		t, ctx, `document.getElementById("readout").dataset.population === "900" && document.getElementById("statistics").textContent.includes("`+seed+`, density 0, exact~1=900") && document.getElementById("statistics").textContent.includes("B3/S23:T96,96")`)
}
