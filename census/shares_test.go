package census

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
)

// published reads the counts of testdata/census_b3s23_C1_top.csv: the commonest objects of Catagolue's census
// of B3/S23, C1, in October
// 2020. Their shares are of all 1.766·10^14 objects.
func published(t testing.TB) (codes []string, shares map[string]float64) {
	t.Helper()
	file, err := os.Open("testdata/census_b3s23_C1_top.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	const objects = 1.766e14
	shares = map[string]float64{}
	for _, row := range rows {
		n, err := strconv.ParseFloat(row[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		codes = append(codes, row[0])
		shares[row[0]] = n / objects
	}
	return codes, shares
}

// TestShares holds the shares of the 14 commonest objects to the published ones, within 4 standard errors: with
// few soups in a minute's tests, with a million objects where GOSPER_LONG is set.
func TestShares(t *testing.T) {
	soups := uint64(3000)
	if os.Getenv("GOSPER_LONG") != "" {
		soups = 50000
	}
	codes, shares := published(t)
	s := Search{Rule: parseRule(t, "B3/S23"), Root: "gosper", Soups: soups}
	r, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d objects of %d kinds", r.Objects, len(r.Counts))
	found := map[string]Count{}
	for _, c := range r.Counts {
		found[c.Code] = c
	}
	for _, code := range codes[:14] {
		c := found[code]
		if c.Error == nil {
			t.Fatalf("%s: %d found, without an error", code, c.Count)
		}
		deviation := (c.Share - shares[code]) / *c.Error
		t.Logf("%-20s %8d  share %.6f ± %.6f, published %.6f: %+.2f standard errors", code, c.Count, c.Share, *c.Error,
			shares[code], deviation)
		if !(deviation > -4 && deviation < 4) {
			t.Errorf("%s: share %.6f ± %.6f, published %.6f", code, c.Share, *c.Error, shares[code])
		}
	}
	if r.Endless > soups/10000 { // a switch engine now and then
		t.Errorf("%d soups did not settle", r.Endless)
	}
}
