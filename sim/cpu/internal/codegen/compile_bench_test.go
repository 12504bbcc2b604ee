package codegen

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// BenchmarkCompile is the time from a parsed rule to machine code.
func BenchmarkCompile(b *testing.B) {
	for _, name := range []string{
		"B3/S23", "B2n3/S23-q", "R2,C0,M1,S7..10,B7..11,NM", "R5,C0,M1,S34..58,B34..45,NM",
		"R16,C0,M1,S300..500,B310..400,NM", "R10,C2,S30-180,B24-45,NC",
	} {
		b.Run(name, func(b *testing.B) {
			if Fastest() == Portable {
				b.Skip("this machine runs no machine code")
			}
			r, err := rule.Parse(name)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				p := compile.Columns(circuit.Of(r))
				l := layout.New(4096, 4096, Fastest().Lanes(), Fastest().Lanes(), p.Radius())
				code, err := assemble(Fastest(), p, &l, nil, nil)
				if err != nil {
					b.Fatal(err)
				}
				if err := code.code.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
