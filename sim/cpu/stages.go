package cpu

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
)

// Stages lists every stage of a rule on its way to code, including the machine code if there is any. The code
// is portable, avx2, avx512, neon or simd128; "" means the fastest that this processor runs. Any processor can
// list any code.
func Stages(r rule.Rule, code string) ([]compile.Stage, error) {
	c := codegen.Code(code)
	switch {
	case code == "":
		c = codegen.Fastest()
	case c.Lanes() == 0:
		return nil, fmt.Errorf("code %q: want %s, %s, %s, %s or %s", code, codegen.Portable, codegen.AVX2, codegen.AVX512,
			codegen.NEON, codegen.SIMD128)
	}
	return c.Stages(r)
}
