package grid

import "testing"

func TestSmoke(t *testing.T) {
	g, err := New(100, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	g.Set(99, 19, 1)
	if g.Population() != 1 || g.BoundingBox() != (Rect{99, 19, 1, 1}) {
		t.Fatal(g.Population(), g.BoundingBox())
	}
	_, err = New(1e12, 1e12, 1)
	t.Log(err)
	_, err = New(1e6, 1e6, 8)
	t.Log(err)
}
