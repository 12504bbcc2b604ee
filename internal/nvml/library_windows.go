package nvml

var libraries = []string{"nvml.dll"}
