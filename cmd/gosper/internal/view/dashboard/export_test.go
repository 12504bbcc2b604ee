package dashboard

// Refresh looks at the ensemble now.
var Refresh = (*Dashboard).refresh
