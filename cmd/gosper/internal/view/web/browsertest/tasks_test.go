package browsertest

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/web"
	"github.com/gosper-life/gosper/grid"
)

// mostActions is the number of actions that a task may take.
const mostActions = 3

// action is one thing that a user does, in the words of docs/serve.md.
type action struct {
	words string
	do    func(t *testing.T, ctx context.Context)
}

// check looks at what actions have done.
type check func(t *testing.T, ctx context.Context, s *session.Session)

// key presses a key that is written as in the documentation, such as Shift-V.
func key(name string) action {
	last := name[strings.LastIndex(name, "-")+1:]
	modifiers := int64(0)
	if strings.HasPrefix(name, "Ctrl-") {
		modifiers |= control
	}
	if strings.HasPrefix(name, "Shift-") {
		modifiers |= shift
	}
	pressed, code := last, last
	switch {
	case last == "Space":
		pressed = " "
	case len(last) == 1 && modifiers&shift == 0:
		pressed, code = strings.ToLower(last), "Key"+last
	}
	return action{name, func(t *testing.T, ctx context.Context) { do(t, ctx, press(pressed, code, modifiers)) }}
}

// typed types a text and Enter into the field that has the focus.
func typed(text string) action {
	return action{fmt.Sprintf("type `%s`", text), func(t *testing.T, ctx context.Context) {
		do(t, ctx, chromedp.KeyEvent(text+kb.Enter))
	}}
}

// inSight waits until an element is where a pointer can reach it, and returns its middle.
func inSight(t *testing.T, ctx context.Context, selector string) (x, y float64) {
	t.Helper()
	at := fmt.Sprintf(`((e) => {
		const r = e?.getBoundingClientRect();
		const at = r && [r.x + r.width / 2, r.y + r.height / 2];
		return at && e.contains(document.elementFromPoint(...at)) ? at : null;
	})(document.querySelector(%q))`, selector)
	until(t, ctx, at+` !== null`)
	middle := value[[]float64](t, ctx, at)
	return middle[0], middle[1]
}

// clicked clicks on the middle of an element without scrolling to it.
func clicked(what, selector string) action {
	return action{"click " + what, func(t *testing.T, ctx context.Context) {
		x, y := inSight(t, ctx, selector)
		do(t, ctx, chromedp.MouseClickXY(x, y))
	}}
}

// listed opens a list of choices, which the browser draws, and chosen chooses from it.
func listed(what, id string) action {
	return action{"click " + what, func(t *testing.T, ctx context.Context) { inSight(t, ctx, "#"+id) }}
}

func chosen(what, id, choice string) action {
	return action{"click " + what, func(t *testing.T, ctx context.Context) { choose(t, ctx, id, choice) }}
}

// scrolled turns the wheel over the controls until an element is in sight.
func scrolled(selector string) action {
	return action{"scroll the controls", func(t *testing.T, ctx context.Context) {
		x, y := inSight(t, ctx, "#h-rule")
		below := value[float64](t, ctx,
			fmt.Sprintf(`document.querySelector(%q).getBoundingClientRect().bottom - innerHeight`, selector))
		do(t, ctx, chromedp.MouseEvent(chromedp.MouseWheel, x, y, func(p *input.DispatchMouseEventParams) {
			p.DeltaX, p.DeltaY = 1e-6, below+40
		}))
	}}
}

// at is the middle of a cell in pixels, as each task begins.
func at(x, y int) (float64, float64) { return 640 + 24*float64(x-1), 400 + 24*float64(y-1) }

// clickedOn clicks on a cell.
func clickedOn(what string, x, y int) action {
	return action{"click " + what, func(t *testing.T, ctx context.Context) { do(t, ctx, chromedp.MouseClickXY(at(x, y))) }}
}

// dragged drags from one cell to another.
func dragged(x0, y0, x1, y1 int) action {
	return action{"drag", func(t *testing.T, ctx context.Context) {
		fromX, fromY := at(x0, y0)
		toX, toY := at(x1, y1)
		do(t, ctx, chromedp.DragAndDropXY(fromX, fromY, toX, toY, 6))
	}}
}

// script prepares the page for a task by a script. Users do not do it.
func script(text string) action {
	return action{"", func(t *testing.T, ctx context.Context) { value[any](t, ctx, text+"; null") }}
}

// tasks lists the tasks, each of which begins with a glider in generation 0.
var tasks = []struct {
	name    string
	before  []action // what the task needs, not counted
	actions []action
	check   check
}{
	{"open a pattern", nil, []action{key("Shift-V"), typed("acorn")}, cells(0, 7)},
	{"paste", nil, []action{pastedText("3o!"), key("Enter")}, cells(0, 7, grid.Rect{Y: 1, W: 3, H: 1})},
	{"draw", nil, []action{key("C"), dragged(4, 5, 6, 5)}, cells(0, 8, grid.Rect{X: 4, Y: 5, W: 3, H: 1})},
	{"erase", nil, []action{key("C"), clickedOn("a live cell", 1, 0)}, cells(0, 4, grid.Rect{Y: 2, W: 3, H: 1})},
	{"select", nil, []action{key("S"), dragged(0, 0, 2, 2)}, shown(`edit.dataset.area === "0,0,3,3"`)},
	{
		"copy", nil,
		[]action{key("S"), dragged(0, 0, 2, 2), key("Ctrl-C")},
		copied("bo$2bo$3o!"),
	},
	{
		"cut", nil,
		[]action{key("S"), dragged(0, 0, 2, 2), key("Ctrl-X")},
		func(t *testing.T, ctx context.Context, s *session.Session) {
			copied("bo$2bo$3o!")(t, ctx, s)
			cells(0, 0)(t, ctx, s)
		},
	},
	{
		"paste, turned", nil,
		[]action{pastedText("3o!"), key(">"), key("Enter")},
		cells(0, 6, grid.Rect{X: 1, W: 1, H: 3}),
	},
	{"undo", []action{key("C"), dragged(4, 5, 6, 5)}, []action{key("Z")}, cells(0, 5)},
	{"type a rule", nil, []action{key("R"), typed("B36/S23")}, shown(ruleName + ` === "HighLife"`)},
	{
		"browse the rules", nil,
		[]action{clicked("the field of the rule", "#rule"), clicked("one of the list", "#rule-list-1")},
		shown(ruleName + ` !== "Life" &&
			` + ruleName + ` === document.getElementById("rule-list-1").firstChild.textContent`),
	},
	{"step", nil, []action{key("Space")}, cells(1, 5)},
	{
		"play", nil,
		[]action{key("Enter")},
		shown(`readout.dataset.playing === "true" && Number(readout.dataset.generation) > 10`),
	},
	{
		"play ten times as fast",
		[]action{script(`if (!speed.value.startsWith("30")) throw speed.value`)},
		[]action{clicked("the speed", "#speed"), typed("300")},
		speeds(session.Speed{Step: 5, PerSecond: 60}),
	},
	{"go to a generation", nil, []action{key("J"), typed("1000")}, cells(1000, 5)},
	{"reset", []action{key("J"), typed("1000")}, []action{key("Home")}, cells(0, 5)},
	{"fit", []action{key("1")}, []action{key("F")}, looks(func(at [3]float64) bool { return at[2] == 24 })},
	{
		"follow the cells", nil,
		[]action{key("Shift-F")},
		func(t *testing.T, ctx context.Context, s *session.Session) {
			goTo(t, ctx, "400")
			cells(400, 5)(t, ctx, s)
			looks(func(at [3]float64) bool { return math.Hypot(at[0]-101.5, at[1]-101.5) < 10 })(t, ctx, s)
		},
	},
	{
		"go to a cell",
		[]action{script(`window.prompt = () => "-20, 1000"`)},
		[]action{key("Shift-J"), {"type `-20, 1000`", func(*testing.T, context.Context) {}}},
		looks(func(at [3]float64) bool { return at[0] == -19.5 && at[1] == 1000.5 }),
	},
	{
		"choose a theme", nil,
		[]action{scrolled("#theme"), listed("*Theme*", "theme"), chosen("one of the list", "theme", "contrast")},
		shown(`document.documentElement.dataset.theme === "contrast"`),
	},
	{
		"make a soup with symmetry", nil,
		[]action{
			listed("*Symmetry*", "symmetry"), chosen("one of the list", "symmetry", "C4"), clicked("*Fill*", "#soup .wide"),
		},
		func(t *testing.T, ctx context.Context, s *session.Session) {
			eventually(t, "a symmetric soup is loaded", func() bool {
				from := s.Status().Soup
				return from != nil && from.Start.String() == "symmetric~as=C4"
			})
			until(t, ctx, `Number(readout.dataset.population) > 1000`)
		},
	},
	{
		"identify objects", nil,
		[]action{key("E")},
		shown(`document.querySelector("#kinds tbody tr td")?.textContent === "glider"`),
	},
	{
		"go back on the timeline",
		[]action{key("J"), typed("400")},
		[]action{scrolled("#graph"), clicked("the graph", "#graph")},
		shown(`Math.abs(Number(readout.dataset.generation) - 200) <= 2 && readout.dataset.playing === "false"`),
	},
	{
		"save a file",
		[]action{script(`URL.createObjectURL = (b) => (b.text().then((text) => (window.saved = text)), "data:,")`)},
		[]action{key("Ctrl-S")},
		shown(`window.saved?.includes("bo$2bo$3o!")`),
	},
	{"copy a link", nil, []action{scrolled("#link"), clicked("*Link*", "#link")}, copied("pattern=glider")},
	{
		"copy HTML for another page", nil,
		[]action{scrolled("#embed"), clicked("*Embed*", "#embed")},
		copied(`<gosper-life link="#`),
	},
}

const ruleName = `document.getElementById("rule-name").textContent`

// pastedText presses Ctrl-V while the system's clipboard has a text.
func pastedText(text string) action {
	return action{"Ctrl-V", func(t *testing.T, ctx context.Context) { do(t, ctx, clipboard(text)) }}
}

// shown checks what the page shows.
func shown(expression string) check {
	return func(t *testing.T, ctx context.Context, _ *session.Session) { until(t, ctx, expression) }
}

// copied checks what is on the system's clipboard.
func copied(part string) check {
	return shown(fmt.Sprintf(`window.copied?.includes(%q)`, part))
}

// cells checks the generation and the population of a universe at rest, and that areas are full of live cells.
func cells(generation, population int, full ...grid.Rect) check {
	return func(t *testing.T, ctx context.Context, s *session.Session) {
		atRest(t, ctx, generation, population)
		for _, r := range full {
			area, err := s.Cells(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := grid.Population(area); err != nil || int(n) != r.W*r.H {
				t.Errorf("%d cells live in %v (%v), want all", n, r, err)
			}
		}
	}
}

// speeds checks how fast the universe would play.
func speeds(want session.Speed) check {
	return func(t *testing.T, _ context.Context, s *session.Session) {
		eventually(t, fmt.Sprintf("the session has speed %v", want), func() bool { return s.Status().Speed == want })
	}
}

// looks checks the middle of the view and the pixels of a cell.
func looks(right func(at [3]float64) bool) check {
	return func(t *testing.T, ctx context.Context, _ *session.Session) {
		if at := lookedAt(t, ctx); !right(at) {
			t.Errorf("the page looks at %v", at)
		}
	}
}

// TestTasks does what people do with the page, and counts their actions. Opening the page does not count.
func TestTasks(t *testing.T) {
	ctx := browser(t)
	for _, task := range tasks {
		t.Run(task.name, func(t *testing.T) {
			if n := len(task.actions); n > mostActions {
				t.Errorf("%d actions, want at most %d", n, mostActions)
			}
			s := serve(t, named(t, "glider"), "127.0.0.1:0", web.Options{})
			open(t, ctx, s.url()+"#pattern=glider&at=1.5,1.5,24")
			atRest(t, ctx, 0, 5)
			value[any](t, ctx, `navigator.clipboard.writeText = async (text) => { window.copied = text; }; null`)
			for _, a := range task.before {
				a.do(t, ctx)
				settled(t, ctx)
			}
			if len(task.before) > 0 {
				value[any](t, ctx, `document.activeElement.blur(); null`)
			}
			for _, a := range task.actions {
				settled(t, ctx)
				a.do(t, ctx)
			}
			task.check(t, ctx, s.session)
		})
	}
}

// TestTasksAreDocumented: docs/serve.md has the same tasks and actions.
func TestTasksAreDocumented(t *testing.T) {
	var table strings.Builder
	table.WriteString("| task | actions | number |\n| --- | --- | --- |\n")
	for _, task := range tasks {
		var words []string
		for _, a := range task.actions {
			words = append(words, a.words)
		}
		fmt.Fprintf(&table, "| %s | %s | %d |\n", task.name, strings.Join(words, ", "), len(words))
	}
	text, err := os.ReadFile("../../../../../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), table.String()) {
		t.Errorf("docs/serve.md wants this table:\n%s", &table)
	}
}
