package hosts

import (
	"encoding/binary"
	"errors"

	"github.com/gosper-life/gosper/component"
)

// Clusters are found in bands: each worker labels its band, and sends what the coordinator needs to join clusters that
// cross the edges of bands. In a message all numbers are varints:
//
//   - the sizes of clusters inside, and how many there are of each;
//   - the sizes of clusters at the edges;
//   - for each cell of the four edges its cluster, from 1 on, or 0.

// encodePart makes the data of a message.
func encodePart(p *component.Part) []byte {
	var sizes []uint64
	for size, n := range p.Sizes.All() {
		sizes = append(sizes, size, n)
	}
	var data []byte
	list := func(numbers []uint64) {
		data = binary.AppendUvarint(data, uint64(len(numbers)))
		for _, n := range numbers {
			data = binary.AppendUvarint(data, n)
		}
	}
	list(sizes)
	list(p.Edge)
	for _, side := range [][]int32{p.Top, p.Bottom, p.Left, p.Right} {
		data = binary.AppendUvarint(data, uint64(len(side)))
		for _, label := range side {
			data = binary.AppendUvarint(data, uint64(label+1))
		}
	}
	return data
}

var errPart = errors.New("the clusters of a band are damaged")

// decodePart reads what encodePart makes.
func decodePart(data []byte) (*component.Part, error) {
	list := func(below uint64) (numbers []uint64, ok bool) {
		n, used := binary.Uvarint(data)
		if used <= 0 || n > uint64(len(data)) {
			return nil, false
		}
		data = data[used:]
		for range n {
			x, used := binary.Uvarint(data)
			if used <= 0 || x >= below {
				return nil, false
			}
			data, numbers = data[used:], append(numbers, x)
		}
		return numbers, true
	}
	const any = 1 << 63
	p := &component.Part{}
	sizes, ok := list(any)
	if !ok || len(sizes)%2 != 0 {
		return nil, errPart
	}
	for i := 0; i < len(sizes); i += 2 {
		p.Sizes.Add(sizes[i], sizes[i+1])
	}
	if p.Edge, ok = list(any); !ok {
		return nil, errPart
	}
	for _, side := range []*[]int32{&p.Top, &p.Bottom, &p.Left, &p.Right} {
		labels, ok := list(uint64(len(p.Edge)) + 1)
		if !ok {
			return nil, errPart
		}
		for _, label := range labels {
			*side = append(*side, int32(label)-1)
		}
	}
	if len(data) > 0 {
		return nil, errPart
	}
	return p, nil
}

// clusters joins the clusters of all bands.
func (a *attempt) clusters() (*component.Clusters, error) {
	j, err := component.NewJoiner(a.Config.Topology, *a.Clusters)
	if err != nil {
		return nil, err
	}
	d, err := a.do(order{To: a.reached, Clusters: a.Clusters.String()})
	if err != nil {
		return nil, err
	}
	for _, data := range d.data {
		p, err := decodePart(data)
		if err == nil {
			err = j.Add(p)
		}
		if err != nil {
			return nil, err
		}
	}
	c, err := j.Clusters()
	return &c, err
}
