package cli

import (
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, Main) }
