package script_test

import (
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/cli"
	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

func TestMain(m *testing.M) { clitest.Main(m, cli.Main) }
