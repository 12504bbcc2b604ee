package census

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
)

// finder returns a function that reports whether --find names an apgcode, or nil without --find. Each text is an
// apgcode, the beginning of some (xq, xp15, yl*), or a pattern.
func finder(
	ctx context.Context, c *console.Console, texts []string, r rule.Rule, limits census.Limits,
) (func(code string) bool, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	var exact, begins []string
	for _, text := range texts {
		class, rest, isCode := strings.Cut(text, "_")
		switch begin, all := strings.CutSuffix(text, "*"); {
		case all:
			begins = append(begins, begin)
		case slices.Contains([]string{"xs", "xp", "xq", "yl", "ov", "zz"}, text):
			begins = append(begins, text)
		case !isCode && census.IsClass(class):
			begins = append(begins, text+"_")
		case text == census.Pathological:
			exact = append(exact, text)
		case isCode && rest != "" && census.IsClass(class) && class[0] == 'x' && !strings.Contains(rest, "/"):
			if _, err := census.ParseCode(text, r.States); err != nil {
				return nil, fmt.Errorf("--find: %w", err)
			}
			exact = append(exact, text)
		case isCode && rest != "" && census.IsClass(class) && class[0] != 'x':
			exact = append(exact, text)
		default:
			code, err := codeOf(ctx, c, text, r, limits)
			if err != nil {
				return nil, fmt.Errorf("--find: %w", err)
			}
			exact = append(exact, code)
		}
	}
	return func(code string) bool {
		return slices.Contains(exact, code) ||
			slices.ContainsFunc(begins, func(begin string) bool { return strings.HasPrefix(code, begin) })
	}, nil
}

// codeOf returns the apgcode of a pattern under a rule.
func codeOf(ctx context.Context, c *console.Console, name string, r rule.Rule, limits census.Limits) (string, error) {
	p, err := start.OpenPattern(ctx, c, name, pattern.Options{})
	if err != nil {
		return "", err
	}
	if err := p.CheckStates(r.States); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	cells, err := census.CellsOf(p.Cells)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	counter, err := census.NewCounter(r, limits)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	if err := counter.CheckGeneration(p.Generation); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	o := counter.Identify(cells)
	if o.Code == "" {
		return "", fmt.Errorf("%s has no apgcode under %v: name a still life, an oscillator, a spaceship or a gun", name, r)
	}
	return o.Code, nil
}
