package gosper_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/pattern"
)

// A soup on a torus of a million cells, a thousand generations on.
func Example() {
	ctx := context.Background()
	u, err := gosper.Open("B3/S23:T1000,1000")
	if err != nil {
		log.Fatal(err)
	}
	defer u.Close()
	if err := u.Fill(ctx, gosper.Soup{Density: 0.5, Seed: 1}); err != nil {
		log.Fatal(err)
	}
	if err := u.Step(ctx, 1000); err != nil {
		log.Fatal(err)
	}
	population, err := u.Population()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("generation", u.Generation(), "population", population)
	// Output: generation 1000 population 43679
}

func must[T any](v T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return v
}

// Patterns come from files, from those that are built in, or by their apgcode.
func ExampleOpenPattern() {
	u := must(gosper.OpenPattern("gosper-gun"))
	defer u.Close()
	if err := u.Step(context.Background(), 300); err != nil {
		log.Fatal(err)
	}
	fmt.Println(u.Rule(), must(u.Population()))
	// Output: B3/S23 86
}

// Engines differ in speed alone. Hashed life leaps where a pattern repeats itself.
func ExampleWithEngine() {
	u := must(gosper.OpenPattern("gosper-gun", gosper.WithEngine("hashlife")))
	defer u.Close()
	if err := u.Step(context.Background(), 1_000_000_000_000); err != nil {
		log.Fatal(err)
	}
	fmt.Println(must(u.Population()))
	// Output: 166666666713
}

// Cells can be set and read one by one; rows are faster.
func ExampleUniverse_SetCell() {
	u := must(gosper.Open("B3/S23:T8,8"))
	defer u.Close()
	for x := 2; x <= 4; x++ {
		if err := u.SetCell(x, 3, 1); err != nil {
			log.Fatal(err)
		}
	}
	if err := u.Step(context.Background(), 1); err != nil {
		log.Fatal(err)
	}
	for y := 2; y <= 4; y++ {
		fmt.Println(must(u.Cell(2, y)), must(u.Cell(3, y)), must(u.Cell(4, y)))
	}
	// Output:
	// 0 1 0
	// 0 1 0
	// 0 1 0
}

// Rows are bits: cell x+i is bit i%64 of word i/64.
func ExampleUniverse_ReadRow() {
	u := must(gosper.OpenPattern("glider"))
	defer u.Close()
	box := must(u.Extent())
	row := make([]uint64, (box.W+63)/64)
	for y := box.Y; y < box.Y+box.H; y++ {
		if err := u.ReadRow(row, 0, box.X, y, box.W); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%03b\n", row[0])
	}
	// Output:
	// 010
	// 100
	// 111
}

// Patterns of other programs can be put anywhere.
func ExampleUniverse_Paste() {
	glider := must(gosper.OpenPattern("glider"))
	defer glider.Close()
	path := filepath.Join(must(os.MkdirTemp("", "gosper")), "glider.rle")
	defer os.RemoveAll(filepath.Dir(path))
	if err := glider.Save(path); err != nil {
		log.Fatal(err)
	}

	u := must(gosper.Open("B3/S23:T64,64"))
	defer u.Close()
	p := must(pattern.ReadFile(path))
	for i := range 3 {
		if err := u.Paste(p, 10*i, 0); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Println(must(u.Population()))
	// Output: 15
}

// Clusters of live cells, and whether one of them spans the universe.
func ExampleUniverse_Clusters() {
	u := must(gosper.Open("B3/S23:T500,500"))
	defer u.Close()
	if err := u.Fill(context.Background(), gosper.Soup{Density: 0.45, Seed: 1}); err != nil {
		log.Fatal(err)
	}
	c := must(u.Clusters(component.Eight))
	fmt.Println("clusters", c.Sizes.Count(), "largest", c.Sizes.Largest(), "spanning", c.Span != 0)
	// Output: clusters 1931 largest 105285 spanning true
}

// A run that was interrupted can go on in another process, or on another machine.
func ExampleResume() {
	path := filepath.Join(must(os.MkdirTemp("", "gosper")), "acorn.ckpt")
	defer os.RemoveAll(filepath.Dir(path))
	ctx := context.Background()

	u := must(gosper.OpenPattern("acorn"))
	if err := u.Step(ctx, 2000); err != nil {
		log.Fatal(err)
	}
	if err := u.WriteCheckpoint(path); err != nil {
		log.Fatal(err)
	}
	u.Close()

	u = must(gosper.Resume(path))
	defer u.Close()
	if err := u.Step(ctx, 5206-u.Generation()); err != nil {
		log.Fatal(err)
	}
	fmt.Println(u.Generation(), must(u.Population()))
	// Output: 5206 633
}

func ExampleIdentify() {
	o := must(gosper.Identify("copperhead"))
	fmt.Println(o.Code, "period", o.Period, "moves", o.DX, o.DY)
	// Output: xq10_o5995ozes88sezw33 period 10 moves 0 -1
}

// What random soups settle into, with standard errors.
func ExampleCensus() {
	c := must(gosper.Census(context.Background(), "B3/S23", "gosper", "C1", 200))
	for _, o := range c.Counts[:3] {
		fmt.Printf("%s %d\n", o.Code, o.Count)
	}
	// Output:
	// xs4_33 1172
	// xp2_7 1011
	// xs6_696 655
}

// Many universes, measured with error bars.
func ExampleEnsemble() {
	dir := must(os.MkdirTemp("", "gosper"))
	defer os.RemoveAll(dir)
	spec := ensemble.Spec{
		Rules: []string{"B3/S23"}, Sizes: []string{"64"}, Densities: ensemble.Densities{0.5},
		Universes: 100, Generations: 200, Measures: []string{"clusters"},
	}
	data := must(gosper.Ensemble(context.Background(), spec, "cpu", dir))
	for _, s := range data.Summary {
		if s.Quantity == "density" && s.Generation == 200 {
			fmt.Printf("density %.4f ± %.4f\n", s.Mean, *s.Error)
		}
	}
	// Output: density 0.0747 ± 0.0018
}
