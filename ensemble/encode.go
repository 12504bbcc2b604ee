package ensemble

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/internal/result"
)

// resultVersion is the version of the form in which results are stored. It changes when older results cannot be read.
const resultVersion = 2

// The parts of an encoded result. It is a ZIP archive, whose directory has a sum of each part (CRC-32). Parts are
// Parquet files of columns, except for the head. Parts without measurements are missing.
const (
	headPart      = "result.json"
	universesPart = "universes.parquet" // a row for each universe
	// a row for each sample: those of the first universe by rising time, then those of the next
	samplesPart = "samples.parquet"
	pairsPart   = "pairs.parquet" // for each sample, a row for each distance
	// a file for each instrument, with a row for each of its quantities, for each sample
	valuesFolder = "values/"
	clustersPart = "clusters.parquet"
	objectsPart  = "objects.parquet"
	keptPart     = "kept.parquet"
	lastPart     = "last.parquet"
)

// head has the values that all rows of a result share.
type head struct {
	Version int      `json:"version"`
	Job     string   `json:"job"`
	Times   []uint64 `json:"times"`
	Places  []Place  `json:"places"` // of universes and objects
	Last    *uint64  `json:"last,omitempty"`
}

// placeOf returns the number of a place in the head. It adds the place if it is new.
func (h *head) placeOf(p Place) uint64 {
	if n := len(h.Places); n > 0 && h.Places[n-1] == p { // as nearly always
		return uint64(n - 1)
	}
	i := slices.Index(h.Places, p)
	if i < 0 {
		i = len(h.Places)
		h.Places = append(h.Places, p)
	}
	return uint64(i)
}

// Encode returns the result in the form in which it is stored and sent. The same result always has the same bytes.
func (r *Result) Encode() ([]byte, error) {
	var out bytes.Buffer
	archive := zip.NewWriter(&out)
	add := func(name string, data []byte) error {
		w, err := archive.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
		if err == nil {
			_, err = w.Write(data)
		}
		return err
	}
	h := head{Version: resultVersion, Job: r.Job, Times: r.Times}
	if r.Last != nil {
		h.Last = &r.Last.Generation
	}
	for _, part := range r.parts(&h) {
		data, err := part.columns.Pack()
		if err == nil {
			err = add(part.name, data)
		}
		if err != nil {
			return nil, err
		}
	}
	text, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	if err := add(headPart, text); err != nil {
		return nil, err
	}
	err = archive.Close()
	return out.Bytes(), err
}

// part is a file of columns in an encoded result.
type part struct {
	name    string
	columns result.Packed
}

// parts returns all parts but the head, and completes the head.
func (r *Result) parts(h *head) []part {
	parts := []part{{universesPart, r.packUniverses(h)}}
	samples := result.Packed{Whole: map[string][]uint64{}, Real: map[string][]float64{}, Bytes: map[string][][]byte{}}
	for name, column := range r.Whole() {
		if len(*column) > 0 {
			samples.Whole[name] = *column
		}
	}
	for name, column := range r.Real() {
		if len(*column) > 0 {
			samples.Real[name] = *column
		}
	}
	if len(r.Span) > 0 {
		spans := make([]uint64, len(r.Span))
		for i, s := range r.Span {
			spans[i] = uint64(s)
		}
		samples.Whole["span"] = spans
	}
	parts = append(parts, part{samplesPart, samples})
	whole := func(name string, columns map[string][]uint64) {
		parts = append(parts, part{name, result.Packed{Whole: columns}})
	}
	if len(r.Pairs) > 0 {
		whole(pairsPart, map[string][]uint64{"pairs": r.Pairs})
	}
	for _, name := range slices.Sorted(maps.Keys(r.Values)) {
		parts = append(parts, part{
			valuesFolder + name + ".parquet", result.Packed{Real: map[string][]float64{"value": r.Values[name]}},
		})
	}
	if len(r.Clusters) > 0 {
		whole(clustersPart, packRows(r.Clusters, func(s *SizeSum) []uint64 {
			return []uint64{uint64(s.Rule), s.Generation, s.Size, s.Clusters, s.Squares, s.Largest, s.Ties}
		}, sizeNames))
		if slices.ContainsFunc(r.Clusters, func(s SizeSum) bool { return s.Tails > 0 || s.TailProducts > 0 }) {
			maps.Copy(parts[len(parts)-1].columns.Whole, packRows(r.Clusters, func(s *SizeSum) []uint64 {
				return []uint64{s.Products, s.Tails, s.TailProducts}
			}, kineticsNames))
		}
	}
	if len(r.Objects) > 0 {
		objects := part{objectsPart, result.Packed{Whole: packRows(r.Objects, func(o *ObjectSum) []uint64 {
			return []uint64{h.placeOf(o.Place), o.Soups, o.Count, o.Squares, o.Products}
		}, objectNames), Bytes: map[string][][]byte{}}}
		for i := range r.Objects {
			objects.columns.Bytes["apgcode"] = append(objects.columns.Bytes["apgcode"], []byte(r.Objects[i].Code))
		}
		parts = append(parts, objects)
	}
	if len(r.Kept) > 0 {
		kept := part{keptPart, result.Packed{
			Whole: packRows(r.Kept, func(k *Kept) []uint64 { return []uint64{uint64(k.Universe)} }, keptNames),
			Bytes: map[string][][]byte{},
		}}
		for _, k := range r.Kept {
			kept.columns.Bytes["cells"] = append(kept.columns.Bytes["cells"], k.Cells)
		}
		parts = append(parts, kept)
	}
	if r.Last != nil {
		parts = append(parts, part{lastPart, result.Packed{Bytes: map[string][][]byte{"states": r.Last.Universes}}})
	}
	return parts
}

// The columns of the parts that are lists of rows.
var (
	sizeNames = []string{"rule", "generation", "size", "clusters", "squares", "largest", "ties"}
	// of measure kinetics alone
	kineticsNames = []string{"products", "tails", "tail_products"}
	objectNames   = []string{"place", "soups", "count", "squares", "products"}
	keptNames     = []string{"universe"}
)

// packRows returns rows as columns.
func packRows[T any](rows []T, of func(row *T) []uint64, names []string) map[string][]uint64 {
	columns := make([][]uint64, len(names))
	for k := range columns {
		columns[k] = make([]uint64, len(rows))
	}
	for i := range rows {
		for k, v := range of(&rows[i]) {
			columns[k][i] = v
		}
	}
	packed := map[string][]uint64{}
	for k, name := range names {
		packed[name] = columns[k]
	}
	return packed
}

// packUniverses returns the rows of universes as columns. A column that has no values is left out. Universes that have
// not settled have 0 for their period.
func (r *Result) packUniverses(h *head) result.Packed {
	n := len(r.Universes)
	whole := map[string][]uint64{}
	for _, name := range []string{"place", "index", "seed", "generation", "population"} {
		whole[name] = make([]uint64, n)
	}
	set := func(name string, i int, v uint64) {
		if whole[name] == nil {
			whole[name] = make([]uint64, n)
		}
		whole[name][i] = v
	}
	for i := range r.Universes {
		u := &r.Universes[i]
		whole["place"][i], whole["index"][i], whole["seed"][i] = h.placeOf(u.Place), u.Index, u.Seed
		whole["generation"][i], whole["population"][i] = u.Generation, u.Population
		if u.Transient != nil {
			settled, period := uint64(0), uint64(0)
			if *u.Settled {
				settled, period = 1, *u.Period
			}
			set("settled", i, settled)
			set("transient", i, *u.Transient)
			set("period", i, period)
		}
		if u.Objects != nil {
			set("objects", i, *u.Objects)
		}
		if len(r.Ends) > 0 {
			set("end", i, r.Ends[i])
		}
	}
	return result.Packed{Whole: whole}
}

// SameResult reports whether two encoded results are equal, even if different versions of the program packed them.
func SameResult(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	first, errA := DecodeResult(a)
	second, errB := DecodeResult(b)
	return errA == nil && errB == nil && reflect.DeepEqual(first, second)
}

// DecodeResult reads what Encode wrote.
func DecodeResult(data []byte) (*Result, error) {
	if bytes.HasPrefix(data, []byte{0x1f, 0x8b}) {
		return nil, errors.New("it was made by an earlier version of gosper, in a form that this version does not read: " +
			"merge the folder with that version, or give --out a new folder")
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("not a result: %w", err)
	}
	d := decoder{r: &Result{}, parts: map[string]*result.Packed{}}
	for _, f := range archive.File {
		if err := d.read(f); err != nil {
			return nil, fmt.Errorf("not a result of this version of gosper: %s: %w", f.Name, err)
		}
	}
	if err := d.assemble(); err != nil {
		return nil, fmt.Errorf("not a result: %w", err)
	}
	return d.r, d.r.check()
}

// decoder puts a result together.
type decoder struct {
	r     *Result
	head  head
	parts map[string]*result.Packed
}

// read reads one part.
func (d *decoder) read(f *zip.File) error {
	if f.Method != zip.Store {
		return errors.New("it is compressed")
	}
	in, err := f.Open()
	if err != nil {
		return err
	}
	data, err := io.ReadAll(in) // to the end, where the sum is checked
	if err != nil {
		return err
	}
	if f.Name == headPart {
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&d.head); err != nil {
			return err
		}
		if d.head.Version != resultVersion {
			return fmt.Errorf("version %d, want %d", d.head.Version, resultVersion)
		}
		return nil
	}
	known := []string{universesPart, samplesPart, pairsPart, clustersPart, objectsPart, keptPart, lastPart}
	if !slices.Contains(known, f.Name) && !strings.HasPrefix(f.Name, valuesFolder) {
		return errors.New("unknown part")
	}
	columns, err := result.Unpack(data)
	d.parts[f.Name] = columns
	return err
}

// assemble makes the result from its parts. Rows that name places outside the head are errors.
func (d *decoder) assemble() error {
	r := d.r
	r.Job, r.Times = d.head.Job, d.head.Times
	if d.head.Version == 0 {
		return errors.New("it has no head")
	}
	if err := d.universes(); err != nil {
		return err
	}
	if samples := d.parts[samplesPart]; samples != nil {
		whole, real := r.Whole(), r.Real()
		for name, column := range samples.Whole {
			switch {
			case whole[name] != nil:
				*whole[name] = column
			case name == "span":
				r.Span = make([]byte, len(column))
				for i, s := range column {
					r.Span[i] = byte(min(s, 255))
				}
			default:
				return fmt.Errorf("unknown column %s", name)
			}
		}
		for name, column := range samples.Real {
			if real[name] == nil {
				return fmt.Errorf("unknown column %s", name)
			}
			*real[name] = column
		}
	}
	if pairs := d.parts[pairsPart]; pairs != nil {
		r.Pairs = pairs.Whole["pairs"]
	}
	for part, columns := range d.parts {
		if name, ok := strings.CutPrefix(part, valuesFolder); ok {
			if r.Values == nil {
				r.Values = map[string][]float64{}
			}
			r.Values[strings.TrimSuffix(name, ".parquet")] = columns.Real["value"]
		}
	}
	return errors.Join(d.clusters(), d.objects(), d.kept())
}

// rows returns columns of whole numbers of a part, in the order of names, and their number of rows.
func (d *decoder) rows(part string, names []string) (columns [][]uint64, n int, err error) {
	from := d.parts[part]
	if from == nil {
		return nil, 0, nil
	}
	for _, name := range names {
		column, ok := from.Whole[name]
		if !ok {
			return nil, 0, fmt.Errorf("%s has no column %s", part, name)
		}
		columns, n = append(columns, column), len(column)
	}
	return columns, n, nil
}

// placeAt returns a place of the head.
func (d *decoder) placeAt(number uint64) (Place, error) {
	if number >= uint64(len(d.head.Places)) {
		return Place{}, fmt.Errorf("place %d of %d", number, len(d.head.Places))
	}
	return d.head.Places[number], nil
}

// universes reads the rows of universes from their columns. Pointers of optional columns point into
// one list for all rows, since millions of rows would otherwise be as many allocations.
func (d *decoder) universes() error {
	columns, n, err := d.rows(universesPart, []string{"place", "index", "seed", "generation", "population"})
	if err != nil || n == 0 {
		return err
	}
	whole := d.parts[universesPart].Whole
	has, transient, period, objects := whole["settled"], whole["transient"], whole["period"], whole["objects"]
	if (transient == nil) != (period == nil) || (transient == nil) != (has == nil) {
		return errors.New("universes lack one of settled, transient and period")
	}
	d.r.Ends = whole["end"]
	d.r.Universes = make([]Universe, n)
	settled := make([]bool, len(transient))
	for i := range d.r.Universes {
		u := &d.r.Universes[i]
		if u.Place, err = d.placeAt(columns[0][i]); err != nil {
			return err
		}
		u.Index, u.Seed, u.Generation, u.Population = columns[1][i], columns[2][i], columns[3][i], columns[4][i]
		if transient != nil {
			settled[i] = has[i] != 0
			u.Settled, u.Transient = &settled[i], &transient[i]
			if settled[i] {
				u.Period = &period[i]
			}
		}
		if objects != nil {
			u.Objects = &objects[i]
		}
	}
	return nil
}

// clusters reads the sums of sizes. Those of measure kinetics are in columns of their own, if it was
// measured.
func (d *decoder) clusters() error {
	columns, n, err := d.rows(clustersPart, sizeNames)
	if err != nil || n == 0 {
		return err
	}
	d.r.Clusters = make([]SizeSum, n)
	var kinetics [][]uint64
	if d.parts[clustersPart].Whole["tails"] != nil {
		if kinetics, _, err = d.rows(clustersPart, kineticsNames); err != nil {
			return err
		}
	}
	for i := range d.r.Clusters {
		d.r.Clusters[i] = SizeSum{
			Rule: int(columns[0][i]), Generation: columns[1][i], Size: columns[2][i],
			SizeSums: SizeSums{Clusters: columns[3][i], Squares: columns[4][i], Largest: columns[5][i], Ties: columns[6][i]},
		}
		if kinetics != nil {
			s := &d.r.Clusters[i]
			s.Products, s.Tails, s.TailProducts = kinetics[0][i], kinetics[1][i], kinetics[2][i]
		}
	}
	return nil
}

// objects reads the sums of objects.
func (d *decoder) objects() error {
	columns, n, err := d.rows(objectsPart, objectNames)
	if err != nil || n == 0 {
		return err
	}
	codes := d.parts[objectsPart].Bytes["apgcode"]
	if len(codes) != n {
		return errors.New("objects have no codes")
	}
	d.r.Objects = make([]ObjectSum, n)
	for i := range d.r.Objects {
		place, err := d.placeAt(columns[0][i])
		if err != nil {
			return err
		}
		d.r.Objects[i] = ObjectSum{
			Place: place, Code: string(codes[i]),
			Soups: columns[1][i], Count: columns[2][i], Squares: columns[3][i], Products: columns[4][i],
		}
	}
	return nil
}

// kept reads the cells that are kept, and the last states.
func (d *decoder) kept() error {
	columns, n, err := d.rows(keptPart, keptNames)
	if err != nil {
		return err
	}
	if n > 0 && len(d.parts[keptPart].Bytes["cells"]) != n {
		return errors.New("universes are kept without cells")
	}
	for i := range n {
		if columns[0][i] >= uint64(len(d.r.Universes)) {
			return errors.New("cells of an unknown universe")
		}
		d.r.Kept = append(d.r.Kept, Kept{Universe: int(columns[0][i]), Cells: d.parts[keptPart].Bytes["cells"][i]})
	}
	if d.head.Last != nil {
		d.r.Last = &Last{Generation: *d.head.Last}
		if last := d.parts[lastPart]; last != nil {
			d.r.Last.Universes = last.Bytes["states"]
		}
	}
	return nil
}
