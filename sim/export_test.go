package sim

// Tried lists the engines that Auto tries for a configuration, in order.
func Tried(cfg Config) (names []string) {
	for row := range engines.tried(cfg) {
		names = append(names, row.Engine)
	}
	return names
}
