package layout

func init() {
	if lanes4 {
		transposes["transpose4"] = transpose4
	}
	if lanes8 {
		transposes["transpose8"] = transpose8
	}
}
