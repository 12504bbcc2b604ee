package rule_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/ruletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// checkRoundTrip fails unless what String prints reads back as the same rule and is canonical.
func checkRoundTrip(t interface{ Fatalf(string, ...any) }, r rule.Rule) {
	again, err := rule.Parse(r.String())
	if err != nil {
		t.Fatalf("the printed rule does not parse: %v", err)
	}
	if !again.Equal(r) || !r.Equal(again) {
		t.Fatalf("%q reads back as %q, another rule", r, again)
	}
	if again.String() != r.String() {
		t.Fatalf("%q reads back as %q", r, again)
	}
}

func TestRoundTrip(t *testing.T) {
	for name, gen := range map[string]*rapid.Generator[rule.Rule]{
		"outer-totalistic": ruletest.OuterTotalistic(),
		"isotropic":        ruletest.Isotropic(),
		"MAP":              ruletest.MAP(),
		"larger than Life": ruletest.LargerThanLife(),
		"HROT":             ruletest.HROT(),
		"custom":           ruletest.Custom(),
		"weighted":         ruletest.Weighted(),
		"marked":           ruletest.Marked(),
		"extended":         ruletest.Extended(),
		"destructive":      ruletest.Destructive(),
		"partitioned":      ruletest.Partitioned(),
	} {
		t.Run(name, rapid.MakeCheck(func(t *rapid.T) {
			r := gen.Draw(t, "rule")
			if rapid.Bool().Draw(t, "bounded") {
				kind := rapid.SampledFrom([]topology.Kind{
					topology.Torus, topology.Plane, topology.Klein, topology.Cross, topology.Sphere,
				}).Draw(t, "kind")
				side := rapid.IntRange(1, 2000).Draw(t, "side")
				grid, err := topology.New(kind, side, side)
				if err != nil {
					t.Fatal(err)
				}
				r.Topology, r.Bounded = grid, true
			}
			checkRoundTrip(t, r)
		}))
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"B3/S23~flip=0.001,async=0.5,seed=7", "PN/0,0.5,1/0.2/C1~set0=0.1,checkerboard", "P@18/0,1/1", "B3/S23", "23/3",
		"B2-a/S34/5H", "B3/S2-i34q:T30+5,20", "345/2/4V", lifeMAP + "/3", "MAPHmlphg", "R5,C0,M1,S34..58,B34..45,NM",
		"5,34,45,34,58", "R5B34T45S34T58", "R2,C3,S8,11-15,B4,9,NG", "r2b1e7108s3e7c80z", "R1,C2,S2-3,B3,N@ef:K30*+1,20",
		"R1,C3,S-2--1,B3,NW1f1101111,012H", "Brian's Brain:S33", "R40,C2,S,B1-9,N#",
		"B3/S23Super", "b2/s34hinvestigator:P9", "B2o/S2m34/3H", "1,0,1,0,0,15,0,0,0,5", "R1/T1/C14/NN/GH",
		"C48,NM,Sb255a,Babb189ab63a", "NW1,RS2,RB3", "C2,SW0;1,PW1;1;1;1;1;1;1;1,RS2;3,RB3", "B2/S345/D1-2-1",
		"B2/S23/F0/K1/L2", "b3s23f0k1", "R1,W1E", "/D1", "B3/S23|/D1", "C\xdb\xdb\xdb\xdb,N", "Bri\\AnsBrAin",
		"0SX/7L", "B45/S34L", "B4XYZ/S0LV:T8", "345/2/4LB", "R2,C0,M1,S3..9,B4..6,NL:K8,8*", "R1,C2,S,B1,N@58L",
		"R1,C3,S2-3,B3,NW111101111,011L", "3D4,5/5", "3D0..6/1,3F:T9,8,7", "4/4/5/M", "2,6,9/4,6,8-9/10/N", "4555",
		"3DR2,C0,M1,S25..43,B25..35,N2:P8,8,8", "3D2/3H|3D4/4C", "3D4/4~flip=0.1",
		"2pca4,0,4,8,3,1,10,6,7,2,9,5,11,12,13,14,15:T9,8", "2PCA4,0,1", "PCA_12", "/D1|2PCA4,0,4,8,3,1,10,6,7,2,9,5,11,12,13,14,15",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		r, err := rule.Parse(s)
		if err != nil {
			if err.Error() == "" {
				t.Fatal("an error without a message")
			}
			return
		}
		checkRoundTrip(t, r)
	})
}
