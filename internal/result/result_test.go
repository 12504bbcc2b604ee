package result

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/parquet-go/parquet-go"
	"pgregory.net/rapid"
)

type Place struct {
	Rule  string `parquet:"rule" json:"rule"`
	Width int    `parquet:"width" json:"width"`
}

type row struct {
	Place
	Seed    uint64   `parquet:"seed" json:"seed,string" unit:"1"`
	Density float64  `parquet:"density" json:"density" unit:"cells/cell"`
	Period  *uint64  `parquet:"period" json:"period"`
	Joules  *float64 `parquet:"joules" json:"joules"`
	Counts  []uint64 `parquet:"counts" json:"counts"`
	Whole   bool     `parquet:"whole" json:"whole"`
	Note    string   `parquet:"note,optional" json:"note,omitempty"`
}

func ptr[T any](v T) *T { return &v }

// emptyIsNone is there because Parquet does not tell an empty list from none.
var emptyIsNone = cmpopts.EquateEmpty()

var rows = []row{
	{
		Place: Place{"B3/S23", 64}, Seed: 1<<64 - 1, Density: 0.1, Period: ptr(uint64(2)), Counts: []uint64{1, 2, 1 << 63},
		Whole: true, Note: `a "b", <c>` + "\nd",
	},
	{Place: Place{"R2,C0,M0,S2..3,B3..3,NM", 1}, Density: 1e-300, Joules: ptr(0.0)},
}

func TestRoundTrip(t *testing.T) {
	for _, ext := range Formats {
		for name, want := range map[string][]row{"some": rows, "none": {}} {
			t.Run(name+ext, func(t *testing.T) {
				path := filepath.Join(t.TempDir(), "rows"+ext)
				if err := Write(path, want); err != nil {
					t.Fatal(err)
				}
				first, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				got, err := Read[row](path)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got, emptyIsNone); diff != "" {
					t.Error(diff)
				}
				if err := Write(path, got); err != nil {
					t.Fatal(err)
				}
				if again, _ := os.ReadFile(path); !bytes.Equal(first, again) {
					t.Error("the same rows made other bytes")
				}
			})
		}
	}
}

func TestText(t *testing.T) {
	dir := t.TempDir()
	for ext, want := range map[string]string{
		".csv": "rule,width,seed,density,period,joules,counts,whole,note\n" +
			`B3/S23,64,"18446744073709551615",0.1,2,,"[1,2,9223372036854775808]",true,"a ""b"", <c>` + "\nd\"\n" +
			`"R2,C0,M0,S2..3,B3..3,NM",1,"0",1e-300,,0,,false,` + "\n",
		".jsonl": `{"rule":"B3/S23","width":64,"seed":"18446744073709551615","density":0.1,"period":2,"joules":null,"counts":[1,2,9223372036854775808],"whole":true,"note":"a \"b\", <c>\nd"}` + "\n" +
			`{"rule":"R2,C0,M0,S2..3,B3..3,NM","width":1,"seed":"0","density":1e-300,"period":null,"joules":0,"counts":null,"whole":false}` + "\n",
	} {
		path := filepath.Join(dir, "rows"+ext)
		if err := Write(path, rows); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestParquetTypesAndUnits: a seed keeps its 64 bits, and the file says in what units columns are.
func TestParquetTypesAndUnits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	if err := Write(path, rows); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	seed, _ := file.Schema().Lookup("seed")
	if kind := seed.Node.Type().String(); kind != "INT(64,false)" {
		t.Errorf("the seed is of type %s", kind)
	}
	if units, _ := file.Lookup(UnitsKey); units != `{"density":"cells/cell","seed":"1"}` {
		t.Errorf("units %s", units)
	}
}

// TestCSVText has text that reads as a number, and cells that need quotes, the first of a record among them.
func TestCSVText(t *testing.T) {
	type row struct {
		Text string  `json:"text"`
		Seed *uint64 `json:"seed,string"`
	}
	rows := []row{
		{Text: "", Seed: ptr(uint64(7))},
		{Text: "12"},
		{Text: "1e5"},
		{Text: "B3/S23"},
		{Text: " a"},
		{Text: "a\"b"},
		{Text: "a\rb"},
	}
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := Write(path, rows); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "text,seed\n,\"7\"\n\"12\",\n\"1e5\",\nB3/S23,\n\" a\",\n\"a\"\"b\",\n\"a\rb\",\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Error(diff)
	}
	got, err := Read[row](path)
	if diff := cmp.Diff(rows, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestRefusals(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	type other struct {
		Wide int `parquet:"wide" json:"wide"`
	}
	type narrow struct {
		Width string `parquet:"width" json:"width"`
	}
	unknown, typed := filepath.Join(dir, "unknown.parquet"), filepath.Join(dir, "typed.parquet")
	if err := Write(unknown, []other{{}}); err != nil {
		t.Fatal(err)
	}
	if err := Write(typed, []narrow{{}}); err != nil {
		t.Fatal(err)
	}
	const known = "known are rule, width, seed, density, period, joules, counts, whole, note"
	for path, want := range map[string]string{
		file("a.txt", ""):                         "unknown extension; known are .parquet, .csv, .jsonl",
		file("empty.csv", ""):                     "the file is empty: want a line with the names of the columns",
		file("unknown.csv", "rule,hight\n"):       `column "hight" is unknown; ` + known,
		file("twice.csv", "rule,rule\n"):          `column "rule" occurs twice`,
		file("typed.csv", "rule,width\na,1\nb,x"): `line 3, column "width": "x" is not a valid value`,
		file("short.csv", "rule,width\na\n"):      "wrong number of fields",
		file("unknown.jsonl", "\n{\"hight\":1}"):  `line 2: json: unknown field "hight"`,
		file("two.jsonl", "{} {}"):                "line 1: want one object",
		file("cut.jsonl", `{"rule":`):             "line 1: unexpected EOF",
		file("no.parquet", "PAR1 this is not"):    "not a Parquet file that can be read",
		unknown:                                   `column "wide" is unknown; known are`,
		typed:                                     `column "width" holds`,
	} {
		_, err := Read[row](path)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) {
			t.Errorf("%s: got %v, want %s", path, err, want)
		}
	}
	if err := Write(filepath.Join(dir, "gone", "a.csv"), rows); err == nil {
		t.Error("wrote into a folder that is not there")
	}
	zero := 0.0
	if err := Write(filepath.Join(dir, "nan.csv"), []row{{Density: zero / zero}}); err == nil ||
		!strings.Contains(err.Error(), `row 1, column "density"`) {
		t.Errorf("got %v", err)
	}
	if _, err := os.Stat(filepath.Join(dir, "nan.csv")); err == nil {
		t.Error("a half-written file was left")
	}
}

func TestManyRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.parquet")
	want := make([]row, 5000)
	for i := range want {
		want[i].Seed, want[i].Counts, want[i].Period = uint64(i), []uint64{uint64(i), 1}, ptr(uint64(i))
	}
	if err := Write(path, want); err != nil {
		t.Fatal(err)
	}
	got, err := Read[row](path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, emptyIsNone); diff != "" {
		t.Error(diff)
	}
}

func TestAnyTextComesBack(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		want := []row{{
			Note:    rapid.StringMatching(`[ -~\n\tä"',]*`).Draw(t, "note"),
			Density: rapid.Float64Range(-1e300, 1e300).Draw(t, "density"),
		}}
		for _, ext := range Formats {
			path := filepath.Join(dir, "rows"+ext)
			if err := Write(path, want); err != nil {
				t.Fatal(err)
			}
			got, err := Read[row](path)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, emptyIsNone); diff != "" {
				t.Fatal(ext, diff)
			}
		}
	})
}

func FuzzReadParquet(f *testing.F) {
	// Few columns and few rows, so that the fuzzer soon reaches every part of the file.
	type small struct {
		Name  string   `parquet:"name" json:"name"`
		Value *float64 `parquet:"value" json:"value"`
	}
	half := 0.5
	var file bytes.Buffer
	if err := Encode(&file, ".parquet", []small{{"one", nil}, {"two", &half}}); err != nil {
		f.Fatal(err)
	}
	f.Add(file.Bytes())
	f.Add(file.Bytes()[:file.Len()-9])
	f.Fuzz(func(t *testing.T, text []byte) {
		if rows, err := readParquet[small](bytes.NewReader(text), int64(len(text))); err != nil && rows != nil {
			t.Error("rows beside an error")
		}
	})
}

func TestManifest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest.json")
	want := Manifest{
		Spec: []byte(`{}`), Build: ThisBuild(), Workers: map[string]Worker{"a-1": {Jobs: 3, Engine: "cpu"}},
		Runs:    []Run{{Command: []string{"ensemble", "run"}, Jobs: 3, Killed: true}},
		Started: time.Date(2026, 11, 21, 18, 0, 0, 0, time.UTC), Finished: time.Date(2026, 11, 21, 18, 1, 0, 0, time.UTC),
		Seconds: 60, Files: map[string]string{"universes.parquet": "00"},
	}
	if err := want.WriteManifest(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadManifest(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if want.Build.Go == "" || want.Build.Platform == "" {
		t.Errorf("build %+v", want.Build)
	}
}

// TestPiecesMakeTheSameFile: the file does not depend on the number of rows in a write.
func TestPiecesMakeTheSameFile(t *testing.T) {
	long := make([]row, 5000)
	for i := range long {
		long[i] = row{
			Place: Place{"B3/S23", i % 3}, Seed: uint64(i) * 0x9E3779B97F4A7C15, Density: 1 / float64(i+1),
			Period: &long[i].Seed, Counts: []uint64{uint64(i)},
		}
	}
	for _, ext := range Formats {
		var whole []byte
		for _, piece := range []int{len(long), 1, 63, 64, 1000, parquetPortion, parquetPortion + 1} {
			path := filepath.Join(t.TempDir(), "rows"+ext)
			w, err := Create[row](path, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer w.Abort()
			for some := range slices.Chunk(long, piece) {
				if err := w.Write(some...); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if whole == nil {
				whole = got
			} else if !bytes.Equal(whole, got) {
				t.Errorf("%s: other bytes in pieces of %d rows", ext, piece)
			}
		}
	}
}

// TestAbortLeavesNothing: a file that is not closed does not appear, and an earlier file stays.
func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rows.csv")
	if err := Write(path, rows); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	w, err := Create[row](path, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Write(rows[1:]...); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	after, err := os.ReadFile(path)
	if entries, _ := os.ReadDir(dir); err != nil || !bytes.Equal(before, after) || len(entries) != 1 {
		t.Errorf("%v and %v are there after an abort; %v", entries, after, err)
	}
}
