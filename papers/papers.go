package papers

import (
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/boris"
	cat "github.com/gosper-life/gosper/papers/internal/cat/protocol"
	"github.com/gosper-life/gosper/papers/internal/fujita"
	"github.com/gosper-life/gosper/papers/internal/playne"
)

// Fujita is Fujita, Nishikori, Nakano, Ito: Efficient GPU implementations for the Conway's Game of Life (2015).
func Fujita() experiment.Paper { return fujita.Paper() }

// Boris is BorisTheBrave's second article on Conway's Game of Life in CUDA (2025).
func Boris() experiment.Paper { return boris.Paper() }

// Playne is Playne, Hawick: Job parallelism using GPU individual multi-processors and localised memory (2013).
func Playne() experiment.Paper { return playne.Paper() }

// CAT is CAT: Cellular Automata on Tensor cores, measured as the settings say.
func CAT(s CATSettings) experiment.Paper { return cat.Paper(s) }

// CATSettings say which parts of CAT's protocol are run; the zero value is all of it. Check refuses settings
// that are not possible.
type CATSettings = cat.Settings
