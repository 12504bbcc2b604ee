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
//
// In three dimensions:
//
//   - the sizes as above;
//   - for each cluster at the edges the faces of the universe that it touches;
//   - the span;
//   - for each run in the first layer, and in the last one, six numbers: see component.EndRun.

// encodePart makes the data of a message.
func encodePart(p *component.Part) []byte {
	data := appendList(appendList(nil, flat(&p.Sizes)), p.Edge)
	for _, side := range [][]int32{p.Top, p.Bottom, p.Left, p.Right} {
		data = binary.AppendUvarint(data, uint64(len(side)))
		for _, label := range side {
			data = binary.AppendUvarint(data, uint64(label+1))
		}
	}
	return data
}

// appendList appends numbers, after how many they are.
func appendList(data []byte, numbers []uint64) []byte {
	data = binary.AppendUvarint(data, uint64(len(numbers)))
	for _, n := range numbers {
		data = binary.AppendUvarint(data, n)
	}
	return data
}

// flat lists sizes, each with how many clusters have it.
func flat(h *component.Histogram) (sizes []uint64) {
	for size, n := range h.All() {
		sizes = append(sizes, size, n)
	}
	return sizes
}

// takeList decodes a list of appendList at the beginning of data. All numbers must be below a bound.
func takeList(data *[]byte, below uint64) (numbers []uint64, ok bool) {
	n, used := binary.Uvarint(*data)
	if used <= 0 || n > uint64(len(*data)) {
		return nil, false
	}
	rest := (*data)[used:]
	for range n {
		x, used := binary.Uvarint(rest)
		if used <= 0 || x >= below {
			return nil, false
		}
		rest, numbers = rest[used:], append(numbers, x)
	}
	*data = rest
	return numbers, true
}

// mostSize bounds the sizes of clusters and their numbers.
const mostSize = 1 << 63

// takeSizes takes the sizes at the beginning of a message.
func takeSizes(data *[]byte, sizes *component.Histogram) (edge []uint64, ok bool) {
	list, ok := takeList(data, mostSize)
	if !ok || len(list)%2 != 0 {
		return nil, false
	}
	for i := 0; i < len(list); i += 2 {
		sizes.Add(list[i], list[i+1])
	}
	return takeList(data, mostSize)
}

// encodeLayers makes the data of a message about layers of a volume.
func encodeLayers(p *component.LayersPart) []byte {
	data := appendList(appendList(nil, flat(&p.Sizes)), p.Edge)
	faces := make([]uint64, len(p.Faces))
	for i, f := range p.Faces {
		faces[i] = uint64(f)
	}
	data = appendList(appendList(data, faces), []uint64{uint64(p.Span)})
	for _, runs := range p.Ends {
		var list []uint64
		for _, r := range runs {
			for _, n := range [...]int32{r.Row, r.First, r.Last, r.Cluster, r.X, r.Y} {
				list = append(list, uint64(uint32(n)))
			}
		}
		data = appendList(data, list)
	}
	return data
}

// decodeLayers decodes the layers that encodeLayers encodes. component.JoinLayers looks at what the numbers say.
func decodeLayers(data []byte) (*component.LayersPart, error) {
	p := &component.LayersPart{}
	var ok bool
	if p.Edge, ok = takeSizes(&data, &p.Sizes); !ok {
		return nil, errPart
	}
	faces, ok := takeList(&data, 1<<8)
	if !ok {
		return nil, errPart
	}
	for _, f := range faces {
		p.Faces = append(p.Faces, uint8(f))
	}
	span, ok := takeList(&data, 1<<3)
	if !ok || len(span) != 1 {
		return nil, errPart
	}
	p.Span = component.Span(span[0])
	for end := range p.Ends {
		list, ok := takeList(&data, 1<<32)
		if !ok || len(list)%6 != 0 {
			return nil, errPart
		}
		for ; len(list) > 0; list = list[6:] {
			n := func(i int) int32 { return int32(uint32(list[i])) }
			p.Ends[end] = append(p.Ends[end], component.EndRun{
				Row: n(0), First: n(1), Last: n(2), Cluster: n(3), X: n(4), Y: n(5),
			})
		}
	}
	if len(data) > 0 {
		return nil, errPart
	}
	return p, nil
}

var errPart = errors.New("the clusters of a band are damaged")

// decodePart decodes the part that encodePart encodes.
func decodePart(data []byte) (*component.Part, error) {
	p := &component.Part{}
	var ok bool
	if p.Edge, ok = takeSizes(&data, &p.Sizes); !ok {
		return nil, errPart
	}
	for _, side := range []*[]int32{&p.Top, &p.Bottom, &p.Left, &p.Right} {
		labels, ok := takeList(&data, uint64(len(p.Edge))+1)
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

// clusters labels the clusters of the band, for a message.
func (b *band) clusters(c component.Connectivity) ([]byte, error) {
	if !b.topology.Volume() {
		p, err := new(component.Labeller).Part(b.cells(), c)
		if err != nil {
			return nil, err
		}
		return encodePart(p), nil
	}
	t, err := b.of(b.Lines)
	if err != nil {
		return nil, err
	}
	p, err := component.PartOfLayers(b.cells(), t, c)
	if err != nil {
		return nil, err
	}
	return encodeLayers(p), nil
}

// clusters joins the clusters of all bands.
func (a *attempt) clusters() (*component.Clusters, error) {
	d, err := a.do(order{To: a.reached, Clusters: a.Clusters.String()})
	if err != nil {
		return nil, err
	}
	if a.Config.Topology.Volume() {
		var parts []*component.LayersPart
		for _, data := range d.data {
			p, err := decodeLayers(data)
			if err != nil {
				return nil, err
			}
			parts = append(parts, p)
		}
		c, err := component.JoinLayers(a.Config.Topology, *a.Clusters, parts)
		return &c, err
	}
	j, err := component.NewJoiner(a.Config.Topology, *a.Clusters)
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
