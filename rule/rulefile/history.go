package rulefile

import "github.com/gosper-life/gosper/rule/local"

// History is the file of an [R]History rule, which Golly and LifeViewer have built in: local.History with the usual names and colours.
func History(name string, letter byte, cells []int, lives func(block int) bool) (*File, error) {
	f, err := local.History(cells, lives)
	if err != nil {
		return nil, err
	}
	return &File{
		Name: name, Letter: letter, Function: f, Description: "What lives, and where it has been.",
		Names: map[uint8]string{
			0: "dead", local.HistoryLive: "live", local.HistoryPast: "was live", local.HistoryMarked: "live, marked",
			local.HistoryMark: "dead, marked", local.HistoryStart: "live at the start", local.HistoryBoundary: "boundary, kills what touches it",
		},
		Colours: map[uint8][3]uint8{
			0: {}, local.HistoryLive: {0, 255, 0}, local.HistoryPast: {0, 0, 128}, local.HistoryMarked: {216, 255, 216},
			local.HistoryMark: {255, 0, 0}, local.HistoryStart: {255, 255, 0}, local.HistoryBoundary: {96, 96, 96},
		},
	}, nil
}
